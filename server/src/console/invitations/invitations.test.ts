import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { assertSays } from '../../../test/console-pages.ts';
import { mailsTo, decodeMail } from '../../../test/mails.ts';
import {
  formTo,
  hasFormTo,
  PlainBrowser,
  type VisitedPage,
  SIGN_IN,
} from '../../../test/plain-browser.ts';
import {
  seedShop,
  type SeededShop,
  startTestService,
  type TestService,
} from '../../../test/service.ts';
import { startSmtpServer } from '../../../test/smtp-server.ts';
import { openSignedIn } from '../../../test/signed-in-browser.ts';
import { openTestDatabase, type TestDatabase } from '../../../test/test-database.ts';
import { ManualClock } from '../../base/clock.ts';
import { newId } from '../../base/secrets.ts';
import { putSite } from '../../inventory/site.ts';
import { findAccountByEmail } from '../../shops/account.ts';
import { listInvitations } from '../../shops/invitation.ts';
import { findMember } from '../../shops/member.ts';
import type { Permission } from '../../shops/permission.ts';
import { flashText } from '../flash.ts';
import { invitationMailMessages, inviteMessages } from '../members/messages.ts';
import { newPasswordMessages } from '../messages.ts';
import { permissionName } from '../permission-text.ts';
import { invitationMessages } from './messages.ts';

const PASSWORD = 'a sentence that is long';
const DAY_MS = 86_400_000;

describe('an invitation', () => {
  let base: TestDatabase;
  let service: TestService;
  let seeded: SeededShop;
  let browser: PlainBrowser;
  const clock = new ManualClock(new Date());
  before(async () => {
    base = await openTestDatabase();
    const environment = { RATE_LIMITS: 'failures=2' };
    service = await startTestService(base, { clock, environment });
    seeded = await seedShop(base, { name: 'Kumo & Co' });
    const { id } = seeded.member.account;
    browser = await openSignedIn(service, base.db, id, { now: clock.now() });
  });
  after(async () => {
    await service.close();
    await base.close();
  });

  let count = 0;
  const newAddress = (): string => `person-${++count}@new.example`;
  const at = (path: string): string => `${service.publicUrl}/console${path}`;
  const members = (sub = ''): string => at(`/shops/${seeded.shop.slug}/members${sub}`);

  const invite = async (
    email: string,
    permissions: readonly Permission[] = ['inventory.read'],
    language = 'en',
  ): Promise<VisitedPage> => {
    // Advance the clock, because mails are sorted by time.
    clock.advance(1);
    const page = await browser.visit(members('/invite'));
    const { action, fields } = formTo(page, '/members/invite');
    const form = { action, fields: { form_token: fields['form_token'] ?? '' } };
    const boxes = permissions.map((each) => [`permissions.${each}`, 'on'] as const);
    return await browser.submit(page, form, { email, language, ...Object.fromEntries(boxes) });
  };
  /** Returns the link in the newest mail to an address. */
  const linkTo = (email: string): string => {
    const text = mailsTo(email).at(-1) ?? '';
    const link = /https?:\/\/\S+\/console\/invitations\/cpi_[A-Za-z0-9]{43}/.exec(text)?.[0];
    if (link === undefined) throw new Error(`no link: ${text}`);
    return link;
  };
  const plain = (): PlainBrowser => new PlainBrowser(service.publicUrl);
  const accept = async (
    visitor: PlainBrowser,
    page: VisitedPage,
    fields: Readonly<Record<string, string>> = {},
  ): Promise<VisitedPage> =>
    await visitor.submit(page, formTo(page, '/invitations/accept'), fields);

  it('an invitation is sent by mail, and no page shows its link', async () => {
    await using server = await startSmtpServer();
    await using mailing = await startTestService(base, {
      clock,
      environment: { MAIL_URL: server.url },
    });
    const { id } = seeded.member.account;
    const owner = await openSignedIn(mailing, base.db, id, { now: clock.now() });
    const path = `${mailing.publicUrl}/console/shops/${seeded.shop.slug}/members/invite`;
    const page = await owner.visit(path);
    const email = newAddress();
    const sent = await owner.submit(page, formTo(page, '/members/invite'), { email });
    assertSays(sent, flashText('invited', 'en'));
    assert.equal(sent.text.includes('cpi_'), false);
    assert.deepEqual(
      server.mails.map(({ to }) => to),
      [[`<${email}>`]],
    );
    assert.match(decodeMail(server.mails[0]?.source ?? ''), /\/console\/invitations\/cpi_\w{43}/);
  });

  it('the link is shown once if no mail server is set, so that the member can send it', async () => {
    const email = newAddress();
    const sent = await invite(email);
    assertSays(sent, flashText('invited_by_link', 'en'));
    assert.ok(sent.text.includes(linkTo(email)));
    assert.equal((await browser.visit(members())).text.includes('cpi_'), false);
    assert.equal((await plain().visit(linkTo(email))).status, 200);
  });

  it('an invitation is mailed in the chosen language', async () => {
    const email = newAddress();
    const sent = await invite(email, ['inventory.read', 'inventory.write'], 'ja');
    assert.ok(sent.text.includes(email));
    const [mail] = mailsTo(email);
    assert.ok(
      mail?.includes(invitationMailMessages.ja.intro(seeded.member.account.name, 'Kumo & Co')),
      mail,
    );
    assert.ok(mail?.includes(`- ${permissionName('inventory.write', 'ja')}`), mail);
    assert.ok(linkTo(email).startsWith(service.publicUrl));
  });

  it('an invitation gets the permissions of a preset, and is rejected for an invalid address or a member’s address', async () => {
    const page = await browser.visit(members('/invite?preset=developer'));
    const ticked = Object.keys(formTo(page, '/members/invite').fields);
    assert.deepEqual(
      ticked.filter((name) => name.startsWith('permissions.')),
      [
        'permissions.purchases.read',
        'permissions.inventory.read',
        'permissions.integrations.approve',
        'permissions.integrations.manage',
      ],
    );
    // A preset that is chosen later keeps the typed address and language.
    const typed = { email: 'kept@new.example', language: 'ja', preset: 'owner' };
    const chosen = await browser.submit(page, formTo(page, '/members/invite'), typed);
    assert.equal(chosen.status, 200);
    const { fields } = formTo(chosen, '/members/invite');
    assert.deepEqual([fields['email'], fields['language']], ['kept@new.example', 'ja']);
    assert.equal(fields['permissions.members.manage'], 'on');
    assert.equal(mailsTo('kept@new.example').length, 0);
    const none = await invite('nobody');
    assert.equal(none.status, 422);
    assertSays(none, inviteMessages.en.invalid_email);
    const member = await invite(seeded.email.toUpperCase());
    assert.equal(member.status, 422);
    assertSays(member, inviteMessages.en.member);
    // The ticked permissions stay ticked.
    assert.deepEqual(
      Object.keys(formTo(member, '/members/invite').fields).filter((name) =>
        name.startsWith('permissions.'),
      ),
      ['permissions.inventory.read'],
    );
  });

  it('the mail and the page show the same expiry, in the shop’s time zone', async () => {
    const email = newAddress();
    for (const zone of ['UTC', 'Asia/Tokyo']) {
      if (zone !== 'UTC') {
        const place = { code: 'main', name: '本店', kind: 'store', countryCode: 'JP' } as const;
        await base.db.transaction(async (tx) => {
          await putSite(tx, seeded.shop.id, newId(), { ...place, timezone: zone }, clock.now());
        });
      }
      await invite(email);
      const page = await plain().visit(linkTo(email));
      const [, shown] =
        new RegExp(`${invitationMessages.en.until}</dt>\\s*<dd>([\\s\\S]*?)</dd>`).exec(
          page.text,
        ) ?? [];
      const end = shown?.replaceAll(/<[^>]*>/g, '') ?? 'nothing';
      assert.ok(end.endsWith(`(${zone})`), end);
      assert.ok(mailsTo(email).at(-1)?.includes(invitationMailMessages.en.until(end)), end);
    }
  });

  it('the link redirects to an address without its secret, which no referrer, cache or page contains', async () => {
    const email = newAddress();
    await invite(email);
    const link = linkTo(email);
    const answer = await fetch(link, { redirect: 'manual' });
    assert.equal(answer.status, 303);
    assert.equal(answer.headers.get('location'), '/console/invitations');
    assert.equal(answer.headers.get('referrer-policy'), 'no-referrer');
    assert.equal(answer.headers.get('cache-control'), 'no-store');
    const [cookie = ''] = answer.headers.getSetCookie();
    assert.match(
      cookie,
      /^cardport_invitation=cpi_\w{43}; Path=\/; Max-Age=3600; HttpOnly; SameSite=Lax$/,
    );
    const page = await plain().visit(link);
    assert.equal(page.url, at('/invitations'));
    assert.equal(page.text.includes('cpi_'), false);
    assert.equal(page.headers.get('cache-control'), 'no-store');
    // Opening the link twice did not use the invitation up.
    const waiting = await listInvitations(base.db, seeded.shop.id, clock.now());
    assert.ok(waiting.some((each) => each.email === email));
  });

  it('an invitation makes a new person a signed-in member with exactly its permissions, and works once', async () => {
    const email = newAddress();
    await invite(email, ['inventory.read', 'purchases.read']);
    const link = linkTo(email);
    const visitor = plain();
    const page = await visitor.visit(link);
    assertSays(page, invitationMessages.en.invitation('Kumo & Co'));
    assert.match(page.text, new RegExp(seeded.member.account.name));
    assertSays(
      page,
      permissionName('purchases.read', 'en'),
      permissionName('inventory.read', 'en'),
    );
    const typed = { name: '青木 晶', new: PASSWORD, again: PASSWORD };
    for (const [wrong, fault] of [
      [{ ...typed, name: ' ' }, invitationMessages.en.badName],
      // An invisible character could make the name look like another person's.
      [{ ...typed, name: '青木\u200b 晶' }, invitationMessages.en.badName],
      [{ ...typed, new: 'short', again: 'short' }, newPasswordMessages.en.faults.too_short],
      [{ ...typed, new: 'sunshine', again: 'sunshine' }, newPasswordMessages.en.faults.common],
      [
        { ...typed, new: 'Kitamura1', again: 'Kitamura1', name: 'Aki Kitamura' },
        newPasswordMessages.en.faults.personal,
      ],
      [{ ...typed, again: 'other words' }, newPasswordMessages.en.faults.different],
    ] as const) {
      const refused = await accept(visitor, page, wrong);
      assert.equal(refused.status, 422);
      assertSays(refused, fault);
      assert.equal(refused.text.includes(PASSWORD), false);
      clock.advance(60_000);
    }
    assert.equal(await findAccountByEmail(base.db, email), undefined);
    const [one, two] = await Promise.all([
      accept(visitor, page, typed),
      accept(visitor, page, typed),
    ]);
    assert.deepEqual([one.status, two.status].includes(200), true);
    const welcome = await visitor.visit(at(''));
    assert.equal(welcome.url, at(`/shops/${seeded.shop.slug}`));
    const account = await findAccountByEmail(base.db, email);
    const member = await findMember(base.db, seeded.shop.id, account?.id ?? '');
    assert.deepEqual(new Set(member?.permissions), new Set(['inventory.read', 'purchases.read']));
    assert.equal(account?.name, '青木 晶');
    clock.advance(60_000);
    const used = await plain().visit(link);
    assert.equal(used.status, 404);
    assertSays(used, invitationMessages.en.gone);
    const signIn = plain();
    const form = await signIn.visit(`${service.publicUrl}/signin?next=/console/account`);
    const done = await signIn.submit(form, formTo(form, SIGN_IN), {
      email,
      password: PASSWORD,
    });
    assert.equal(done.url, at('/account'));
  });

  it('a person with an account must sign in with the invited address, and no other', async () => {
    const known = await seedShop(base, { name: 'Other' });
    await invite(known.email);
    const link = linkTo(known.email);
    const visitor = plain();
    const page = await visitor.visit(link);
    assert.equal(hasFormTo(page, '/invitations/accept'), false);
    assert.match(page.text, /href="\/signin\?next=%2Fconsole%2Finvitations"/);
    const third = await seedShop(base, { name: 'Third' });
    const others = await openSignedIn(service, base.db, third.member.account.id, {
      now: clock.now(),
    });
    const strange = await others.visit(link);
    assertSays(strange, invitationMessages.en.other(third.email));
    assert.equal(hasFormTo(strange, '/invitations/accept'), false);
    const out = formTo(strange, '/sign-out');
    const forced = await others.submit(strange, { ...out, action: '/console/invitations/accept' });
    assertSays(forced, invitationMessages.en.other(third.email));
    assert.equal(await findMember(base.db, seeded.shop.id, third.member.account.id), undefined);
    const outside = await others.submit(strange, out);
    assertSays(outside, invitationMessages.en.known);
    const signIn = await visitor.visit(`${service.publicUrl}/signin?next=%2Fconsole%2Finvitations`);
    const { email, password } = known;
    const back = await visitor.submit(signIn, formTo(signIn, SIGN_IN), {
      email,
      password,
    });
    assert.equal(back.url, at('/invitations'));
    const joined = await accept(visitor, back);
    assert.equal(joined.url, at(`/shops/${seeded.shop.slug}`));
    assertSays(joined, flashText('joined', 'en'));
    const member = await findMember(base.db, seeded.shop.id, known.member.account.id);
    assert.deepEqual(member?.permissions, ['inventory.read']);
  });

  it('an invitation is invalid once it is withdrawn or resent, and after exactly 7 days', async () => {
    const withdrawn = newAddress();
    const again = newAddress();
    const old = newAddress();
    for (const email of [withdrawn, again]) await invite(email);
    const links = [linkTo(withdrawn), linkTo(again)];
    const ids = new Map(
      (await listInvitations(base.db, seeded.shop.id, clock.now())).map(({ email, id }) => [
        email,
        id,
      ]),
    );
    const page = await browser.visit(members());
    const act = async (email: string, verb: string): Promise<VisitedPage> => {
      clock.advance(1);
      const { fields } = formTo(page, '/sign-out');
      const action = members(`/invitations/${ids.get(email) ?? email}/${verb}`);
      return await browser.submit(page, { action, fields });
    };
    assertSays(await act(withdrawn, 'withdraw'), flashText('invitation_withdrawn', 'en'));
    assert.equal((await act(withdrawn, 'withdraw')).status, 404);
    assert.equal((await act(withdrawn, 'again')).status, 404);
    assert.equal((await act('x', 'withdraw')).status, 404);
    assertSays(await act(again, 'again'), flashText('invited_by_link', 'en'));
    for (const link of links) {
      clock.advance(60_000);
      assert.equal((await plain().visit(link)).status, 404);
    }
    assert.equal((await plain().visit(linkTo(again))).status, 200);
    await invite(old);
    clock.advance(7 * DAY_MS - 1);
    assert.equal((await plain().visit(linkTo(old))).status, 200);
    clock.advance(1);
    assert.equal((await plain().visit(linkTo(old))).status, 404);
    const { id } = seeded.member.account;
    browser = await openSignedIn(service, base.db, id, { now: clock.now() });
  });

  it('an invitation can be withdrawn and resent only by its shop', async () => {
    const email = newAddress();
    await invite(email);
    const [invitation] = await listInvitations(base.db, seeded.shop.id, clock.now());
    const other = await seedShop(base, { name: 'Elsewhere' });
    const stranger = await openSignedIn(service, base.db, other.member.account.id, {
      now: clock.now(),
    });
    const page = await stranger.visit(at(`/shops/${other.shop.slug}/members`));
    const { fields } = formTo(page, '/sign-out');
    for (const verb of ['withdraw', 'again']) {
      for (const { slug } of [other.shop, seeded.shop]) {
        const action = at(`/shops/${slug}/members/invitations/${invitation?.id ?? ''}/${verb}`);
        assert.equal((await stranger.submit(page, { action, fields })).status, 404);
      }
    }
    assert.equal((await plain().visit(linkTo(email))).status, 200);
  });

  it('the page rejects a form of another invitation, and a form with a wrong token', async () => {
    const [one, two] = [newAddress(), newAddress()];
    for (const email of [one, two]) await invite(email);
    const visitor = plain();
    const page = await visitor.visit(linkTo(one));
    await visitor.visit(linkTo(two));
    const typed = { name: 'Aki', new: PASSWORD, again: PASSWORD };
    assert.equal((await accept(visitor, page, typed)).status, 403);
    clock.advance(60_000);
    const own = await visitor.visit(linkTo(one));
    assert.equal((await accept(visitor, own, { ...typed, form_token: 'x' })).status, 403);
    for (const email of [one, two]) {
      assert.equal(await findAccountByEmail(base.db, email), undefined);
    }
  });

  it('a secret cannot be guessed: after ten wrong secrets in a minute, an address gets 429 for every secret', async () => {
    const email = newAddress();
    await invite(email);
    clock.advance(60_000);
    const wrong = at(`/invitations/cpi_${'a'.repeat(43)}`);
    // `failures=2` allows 10 attempts for an address.
    for (let tries = 0; tries < 10; tries++) assert.equal((await plain().visit(wrong)).status, 404);
    const blocked = await plain().visit(linkTo(email));
    assert.equal(blocked.status, 429);
    assert.equal(blocked.headers.get('retry-after'), '60');
    clock.advance(60_000);
    for (let looks = 0; looks < 12; looks++) {
      assert.equal((await plain().visit(linkTo(email))).status, 200);
    }
    assert.equal((await plain().visit(at('/invitations'))).status, 404);
    assert.equal((await plain().visit(at('/invitations/<script>'))).status, 404);
  });
});
