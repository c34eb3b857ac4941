import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Run } from '../../test/cardport.ts';
import { environmentOf, runCardportInProcess } from '../../test/cardport-in-process.ts';
import { assertSays } from '../../test/console-pages.ts';
import { mailsTo } from '../../test/mails.ts';
import {
  formTo,
  hasFormTo,
  PlainBrowser,
  SIGN_IN,
  type VisitedPage,
} from '../../test/plain-browser.ts';
import {
  seedShop,
  type SeededShop,
  startTestService,
  type TestService,
} from '../../test/service.ts';
import { openSignedIn } from '../../test/signed-in-browser.ts';
import { openTestDatabase, type TestDatabase } from '../../test/test-database.ts';
import { waitUntil } from '../../test/wait-until.ts';
import { invitationMessages } from '../console/invitations/messages.ts';
import { findAccountByEmail } from '../shops/account.ts';
import { findMember } from '../shops/member.ts';
import { verifyPassword } from '../shops/password.ts';

const OF_ATTACKER = 'a sentence of the attacker';
const OF_OPERATOR = 'ceo own long secret 99';

describe('member add for an account that exists', () => {
  let base: TestDatabase;
  let service: TestService;
  let first: SeededShop;
  let second: SeededShop;
  before(async () => {
    base = await openTestDatabase();
    service = await startTestService(base);
    first = await seedShop(base);
    second = await seedShop(base);
  });
  after(async () => {
    await service.close();
    await base.close();
  });

  const run = async (args: readonly string[], password = ''): Promise<Run> =>
    await runCardportInProcess(args, {
      environment: environmentOf(base),
      stdin: password === '' ? '' : `${password}\n`,
    });
  const add = async (email: string, shop: SeededShop, password = ''): Promise<Run> =>
    await run(
      [
        ['member', 'add', '--shop', shop.shop.slug, '--email', email, '--name', 'Real CEO'],
        ['--permission', 'members.manage', '--json'],
        password === '' ? [] : ['--password-stdin'],
      ].flat(),
      password,
    );
  const errorOf = ({ stderr }: Run): { readonly code: string; readonly message: string } =>
    JSON.parse(stderr).error;
  const isMemberOf = async ({ shop }: SeededShop, email: string): Promise<boolean> => {
    const account = await findAccountByEmail(base.db, email);
    return (await findMember(base.db, shop.id, account?.id ?? shop.id)) !== undefined;
  };
  const passwordIs = async (email: string, password: string): Promise<boolean> =>
    await verifyPassword(
      password,
      (await findAccountByEmail(base.db, email))?.passwordHash ?? null,
    );
  const invite = async (by: SeededShop, email: string): Promise<string> => {
    const owner = await openSignedIn(service, base.db, by.member.account.id);
    const members = `${service.publicUrl}/console/shops/${by.shop.slug}/members`;
    const form = await owner.visit(`${members}/invite`);
    const shown = await owner.submit(form, formTo(form, '/members/invite'), { email });
    const [link] = /http\S+\/console\/invitations\/cpi_\w{43}/.exec(shown.text) ?? [];
    assert.ok(link !== undefined);
    return link;
  };
  /** The attacker opens the link that the page has shown, and chooses name and password. */
  const takeAddress = async (email: string): Promise<PlainBrowser> => {
    const attacker = new PlainBrowser(service.publicUrl);
    const page = await attacker.visit(await invite(first, email));
    const typed = { name: 'Evil CEO', new: OF_ATTACKER, again: OF_ATTACKER };
    await attacker.submit(page, formTo(page, '/invitations/accept'), typed);
    assert.ok(await isMemberOf(first, email));
    return attacker;
  };
  const resetLinkTo = (email: string): string | undefined =>
    mailsTo(email).flatMap((text) => /http\S+\/console\/reset\/cpp_\w{43}/.exec(text) ?? [])[0];
  const openSecond = async (browser: PlainBrowser): Promise<VisitedPage> =>
    await browser.visit(`${service.publicUrl}/console/shops/${second.shop.slug}/members`);

  it('an account made with a link that the inviter saw gets no rights until it is taken over', async () => {
    const email = 'ceo@bbb.example';
    const attacker = await takeAddress(email);
    for (const password of [OF_OPERATOR, '']) {
      const refused = await add(email, second, password);
      const { code, message } = errorOf(refused);
      assert.equal(refused.code, 1);
      assert.equal(code, password === '' ? 'not_allowed' : 'already_exists');
      assert.match(message, /“Evil CEO”.*has not signed in recently/);
      assert.ok(message.includes(`works in: ${first.shop.slug}`), message);
      assert.equal(await isMemberOf(second, email), false);
    }
    assert.match(errorOf(await add(email, second)).message, /member set --password-stdin/);
    assert.equal((await openSecond(attacker)).status, 404);

    const slug = first.shop.slug;
    const set = ['member', 'set', '--shop', slug, '--email', email, '--password-stdin'];
    assert.equal((await run(set, OF_OPERATOR)).code, 0);
    const added = await add(email, second);
    assert.equal(added.code, 0, added.stderr);
    const account = await findAccountByEmail(base.db, email);
    const json = { id: account?.id, email, name: 'Evil CEO', isNew: false };
    assert.deepEqual(JSON.parse(added.stdout), json);
    assert.match((await openSecond(attacker)).url, /\/signin/);
    assert.ok(await passwordIs(email, OF_OPERATOR));
  });

  it('the invitation of another shop does not add the account either, until a mailed reset', async () => {
    const email = 'cfo@bbb.example';
    const attacker = await takeAddress(email);
    const link = await invite(second, email);
    const page = await attacker.visit(link);
    assertSays(page, invitationMessages.en.unproved);
    assert.equal(hasFormTo(page, '/invitations/accept'), false);
    const owner = new PlainBrowser(service.publicUrl);
    const asking = await owner.visit(`${service.publicUrl}/console/reset`);
    await owner.submit(asking, formTo(asking, '/console/reset'), { email });
    await waitUntil(() => resetLinkTo(email) !== undefined);
    const form = await owner.visit(resetLinkTo(email) ?? '');
    const typed = { new: OF_OPERATOR, again: OF_OPERATOR };
    await owner.submit(form, formTo(form, '/reset/password'), typed);
    const invited = await owner.visit(link);
    await owner.submit(invited, formTo(invited, '/invitations/accept'));
    assert.ok(await isMemberOf(second, email));
    assert.match((await openSecond(attacker)).url, /\/signin/);
  });

  it('the password of an account is neither replaced nor swallowed', async () => {
    const { email, password, member } = second;
    const browser = new PlainBrowser(service.publicUrl);
    const page = await browser.visit(`${service.publicUrl}/signin`);
    await browser.submit(page, formTo(page, SIGN_IN), { email, password });
    const refused = await add(email, first, 'another long secret');
    assert.equal(refused.code, 1);
    const { code, message } = errorOf(refused);
    assert.equal(code, 'already_exists');
    assert.match(message, /leave out --password-stdin/);
    assert.ok(message.includes(`“${member.account.name}”`), message);
    assert.match(message, /last signed in at \d{4}-\d\d-\d\dT/);
    assert.ok(await passwordIs(email, password));
    assert.equal(await isMemberOf(first, email), false);
    assert.equal((await add(email, first)).code, 0);
  });
});
