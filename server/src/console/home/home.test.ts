import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { insertTestAttempt } from '../../../test/connection-scene.ts';
import { assertSays } from '../../../test/console-pages.ts';
import { startTestService, type TestService } from '../../../test/service.ts';
import { openSignedIn } from '../../../test/signed-in-browser.ts';
import { seedStock, type TestStock } from '../../../test/stock.ts';
import { openTestDatabase, type TestDatabase } from '../../../test/test-database.ts';
import { type TestHook, WebhookFixture } from '../../../test/webhook-fixture.ts';
import { addAppSecret } from '../../apps/app-secret.ts';
import { setAppEnabled } from '../../apps/app.ts';
import { newId } from '../../base/secrets.ts';
import { type BoostChange, putBoost } from '../../boosts/put-boost.ts';
import type { Transaction } from '../../database/database.ts';
import { statement } from '../../database/statement.ts';
import { putSite } from '../../inventory/site.ts';
import { putUnits } from '../../inventory/unit.ts';
import type { Language } from '../../html/language.ts';
import { OPERATOR } from '../../shops/audit.ts';
import { listInvitations, withdrawInvitation } from '../../shops/invitation.ts';
import { inviteMember } from '../../shops/invite-member.ts';
import { addMember, setMember } from '../../shops/member.ts';
import { type Permission, PERMISSIONS } from '../../shops/permission.ts';
import { removeWebhook } from '../../webhooks/registration.ts';
import { approvalMessages, connectionMessages } from '../apps/messages/connection.ts';
import { createFormatter } from '../format.ts';
import { healthMessages, attemptMessages } from '../parts/messages/apps.ts';
import { boostStateMessages } from '../parts/messages/catalog.ts';
import { describeTrend } from '../parts/plot-times.ts';
import {
  appAttentionMessages,
  attentionMessages,
  homeMessages,
  homeStockMessages,
  openBoostMessages,
} from './messages.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const ORIGIN = 'http://127.0.0.1:9';

export const selectTestShop = statement<{ slug: string; accountId: string }>(
  'test_select_home_shop',
  `select s.slug, m.account_id as "accountId" from shop s join member m using (shop_id) where s.shop_id = $1`,
);
export const failTestHook = statement(
  'test_fail_home_hook',
  `update webhook set failures = $3, failing_since = $4, next_attempt_at = $5 where shop_id = $1 and connection_id = $2`,
);
export const upsertTestFeedRead = statement(
  'test_upsert_home_feed_read',
  `insert into feed_read (shop_id, connection_id, epoch, seq, read_at) select $1, $2, epoch, seq, $3 from feed_head where shop_id = $1
   on conflict (shop_id, connection_id) do update set seq = excluded.seq, read_at = excluded.read_at`,
);
export const renameTestApp = statement(
  'test_rename_home_app',
  `update app set name = $3 where shop_id = $1 and client_id = $2`,
);

/** Returns the titles of the attention items in page order, without markup, not decoded. */
function itemsOf(page: string): string[] {
  const titles = page.matchAll(/<p class="what">([\s\S]*?)<\/p>/g);
  return [...titles].map(([, title = '']) =>
    title
      .replace(/<span class="unseen">[^<]*<\/span>/, '')
      .replaceAll(/<[^>]+>/g, '')
      .trim(),
  );
}

function hasPart(page: string, id: 'boosts' | 'stock' | 'apps'): boolean {
  return page.includes(`<h2 id="${id}">`);
}

describe('Home (decision 0194)', () => {
  let base: TestDatabase;
  let bench: WebhookFixture;
  let service: TestService;
  let hook: TestHook;
  let owner: { readonly slug: string; readonly accountId: string };
  let stock: TestStock;

  before(async () => {
    base = await openTestDatabase();
    bench = new WebhookFixture(base.db);
    service = await startTestService(base, { clock: bench.clock });
    hook = await bench.hook(ORIGIN);
    const found = await base.db.one(selectTestShop, [hook.shopId]);
    assert.ok(found);
    owner = found;
    stock = await seedStock(base.db, 'sora');
  });
  after(async () => {
    await service.close();
    await base.close();
  });

  const now = (): Date => bench.clock.now();
  const write = async <T>(work: (tx: Transaction) => Promise<T>): Promise<T> =>
    await base.db.transaction(work);
  async function home(
    { slug, accountId }: { readonly slug: string; readonly accountId: string } = owner,
    language: Language = 'en',
  ): Promise<string> {
    const browser = await openSignedIn(service, base.db, accountId, { language, now: now() });
    const page = await browser.visit(`${service.publicUrl}/console/shops/${slug}`);
    assert.equal(page.status, 200, page.text);
    return page.text;
  }
  const setFailures = async (failures: number): Promise<void> => {
    const at = (ms: number): Date | null => (failures > 0 ? new Date(now().getTime() + ms) : null);
    const times = [at(-2 * HOUR_MS), at(3 * HOUR_MS)];
    await base.db.query(failTestHook, [hook.shopId, hook.connectionId, failures, ...times]);
  };
  const items = async (language: Language = 'en'): Promise<string[]> =>
    itemsOf(await home(owner, language));
  async function join(
    shopId: string,
    slug: string,
    permissions: readonly Permission[],
  ): Promise<{ readonly slug: string; readonly accountId: string }> {
    const person = { email: `${newId()}@person.example`, name: 'Ren', permissions };
    const added = await write(
      async (tx) => await addMember(tx, shopId, { ...person, passwordHash: 'x' }, now(), OPERATOR),
    );
    if (added.kind !== 'added') throw new Error(added.kind);
    return { slug, accountId: added.member.account.id };
  }

  it('Home says in both languages that nothing needs attention', async () => {
    const [english, japanese] = [await home(), await home(owner, 'ja')];
    assert.deepEqual(itemsOf(english), []);
    assertSays(
      { text: english },
      attentionMessages.en.calm,
      openBoostMessages.en.none,
      homeStockMessages.en.none,
      'Mirror',
    );
    assert.match(japanese, /<html lang="ja">/);
    assertSays({ text: japanese }, attentionMessages.ja.calm, homeStockMessages.ja.none);
  });

  it('Home shows since when and why a webhook fails, and the next attempt, until the webhook works', async () => {
    const { shopId, connectionId } = hook;
    const refused = [shopId, connectionId, 1, newId(), now(), 503, 'status', 5];
    await base.db.query(insertTestAttempt, refused);
    // The last attempt is still running, so the page must show the failures before it.
    const begun = [shopId, connectionId, 2, newId(), now(), null, null, null];
    await base.db.query(insertTestAttempt, begun);
    await setFailures(4);
    const page = await home();
    assert.deepEqual(itemsOf(page), [appAttentionMessages.en.fails('Mirror')]);
    assertSays({ text: page }, `${appAttentionMessages.en.since.trim()} 2 hours ago`);
    assertSays({ text: page }, `${attemptMessages.en.error.status.what} (503)`);
    assertSays({ text: page }, `${appAttentionMessages.en.next.trim()} in 3 hours`);
    assert.match(page, new RegExp(`class="what">\\s*<a href="[^"]*/connections/${connectionId}"`));
    assert.deepEqual(await items('ja'), [appAttentionMessages.ja.fails('Mirror')]);
    await setFailures(0);
    assert.deepEqual(await items(), []);
  });

  it('Home shows a webhook that the service removed, but not a webhook that the app removed', async () => {
    const { shopId, connectionId } = hook;
    for (const reason of ['gone', 'failing', 'app'] as const) {
      await write(async (tx) => await removeWebhook(tx, shopId, connectionId, reason, now()));
      const expected = reason === 'app' ? [] : [appAttentionMessages.en.removed('Mirror')];
      assert.deepEqual(await items(), expected, reason);
      await bench.put(hook);
      assert.deepEqual(await items(), [], reason);
    }
  });

  it('Home shows an app whose approving member was deactivated, until reactivation (decision 0194)', async () => {
    const { shopId, connectionId } = hook;
    const manager = await join(shopId, owner.slug, ['integrations.manage']);
    const set = async (isActive: boolean): Promise<void> => {
      await write(
        async (tx) => await setMember(tx, shopId, owner.accountId, { isActive }, now(), OPERATOR),
      );
    };
    await set(false);
    const page = await home(manager);
    assert.deepEqual(itemsOf(page), [appAttentionMessages.en.unapproved('Mirror')]);
    assertSays({ text: page }, healthMessages.en.names.unapproved);
    const list = `${service.publicUrl}/console/shops/${owner.slug}`;
    const browser = await openSignedIn(service, base.db, manager.accountId, { now: now() });
    assertSays(await browser.visit(`${list}/apps`), healthMessages.en.names.unapproved);
    const connection = await browser.visit(`${list}/connections/${connectionId}`);
    assertSays(connection, connectionMessages.en.mayNothing);
    assertSays(connection, approvalMessages.en.outOfUse, approvalMessages.en.inactive);
    assert.doesNotMatch(connection.text, /class="scopes"/);
    await set(true);
    assert.deepEqual(itemsOf(await home(manager)), []);
    assert.match(
      (await browser.visit(`${list}/connections/${connectionId}`)).text,
      /inventory:read/,
    );
  });

  it('Home lists an app while its previous webhook secret still signs, and an app that has two secrets', async () => {
    await bench.put(hook);
    assert.deepEqual(await items(), [appAttentionMessages.en.rolled('Mirror')]);
    bench.clock.advance(DAY_MS);
    assert.deepEqual(await items(), []);
    const { shopId, clientId } = hook;
    await write(async (tx) => await addAppSecret(tx, shopId, clientId, now(), OPERATOR));
    const page = await home();
    assert.deepEqual(itemsOf(page), [appAttentionMessages.en.secrets('Mirror')]);
    assert.ok(page.includes(`/console/shops/${owner.slug}/apps/${clientId}"`));
    assert.deepEqual(await items('ja'), [appAttentionMessages.ja.secrets('Mirror')]);
    await base.db.runScript('delete from app_secret');
  });

  it('Home shows an app once changes wait and the app has not read for a full day', async () => {
    const read = [hook.shopId, hook.connectionId];
    await bench.change(hook);
    await base.db.query(upsertTestFeedRead, [...read, now()]);
    bench.clock.advance(2 * DAY_MS);
    assert.deepEqual(await items(), [], 'nothing waits');
    await base.db.query(upsertTestFeedRead, [...read, now()]);
    await bench.change(hook);
    bench.clock.advance(DAY_MS - 1);
    assert.deepEqual(await items(), []);
    bench.clock.advance(1);
    const page = await home();
    assert.deepEqual(itemsOf(page), [appAttentionMessages.en.behind('Mirror')]);
    assertSays(
      { text: page },
      `${healthMessages.en.changesBehind('1', 1)} · ${appAttentionMessages.en.lastRead.trim()} yesterday`,
    );
    await base.db.query(upsertTestFeedRead, [...read, now()]);
    assert.deepEqual(await items(), []);
  });

  it('Home shows no other problem of a disabled app, and escapes its name', async () => {
    const { shopId, clientId } = hook;
    await base.db.query(renameTestApp, [shopId, clientId, '<b>"M"</b>']);
    await setFailures(1);
    await write(async (tx) => await setAppEnabled(tx, clientId, false, now(), OPERATOR));
    const page = await home();
    assert.deepEqual(itemsOf(page), [
      appAttentionMessages.en.disabled('&lt;b&gt;&quot;M&quot;&lt;/b&gt;'),
    ]);
    assert.equal(page.includes('<b>"M'), false);
    await write(async (tx) => await setAppEnabled(tx, clientId, true, now(), OPERATOR));
    await setFailures(0);
    await base.db.query(renameTestApp, [shopId, clientId, 'Mirror']);
    assert.deepEqual(await items(), []);
  });

  it('Home shows pending invitations in one line, until they are withdrawn', async () => {
    const by = { kind: 'member', accountId: owner.accountId } as const;
    for (const email of ['a@new.example', 'b@new.example']) {
      const invitation = { email, permissions: [], language: 'en' as const, provesAddress: true };
      await write(async (tx) => await inviteMember(tx, hook.shopId, invitation, now(), by));
    }
    assert.deepEqual(await items(), [homeMessages.en.invitations('2', true)]);
    for (const each of await listInvitations(base.db, hook.shopId, now())) {
      await write(async (tx) => await withdrawInvitation(tx, hook.shopId, each, now(), by));
    }
    assert.deepEqual(await items(), []);
  });

  it('Home shows open boosts that end within 24 hours or need at most three units, up to three of each', async () => {
    const clerk = await join(stock.shop.id, 'sora', ['purchases.read']);
    const { cardId, otherCardId, productId } = stock;
    const put = async (id: string, change: BoostChange): Promise<void> => {
      const result = await write(async (tx) => await putBoost(tx, stock.shop, id, change, now()));
      assert.ok('boostText' in result, JSON.stringify(result));
    };
    const [first, second] = [newId(), newId()];
    const card = { kind: 'card', cardId } as const;
    const at = (ms: number): Date => new Date(now().getTime() + ms);
    await put(first, { target: card, priceMinor: 500, endsAt: at(DAY_MS + 1) });
    const other = { kind: 'card', cardId: otherCardId } as const;
    await put(second, { target: other, priceMinor: 900, remainingQuantity: 4 });
    assert.deepEqual(itemsOf(await home(clerk)), []);
    await put(first, { endsAt: at(DAY_MS) });
    await put(second, { remainingQuantity: 3 });
    const page = await home(clerk);
    assert.deepEqual(itemsOf(page), [
      openBoostMessages.en.ends('Alba'),
      openBoostMessages.en.nearly('&quot;引用&quot; \\ 符'),
    ]);
    assert.ok(page.includes(`/console/shops/sora/boosts/${first}"`));
    assertSays({ text: page }, `2 ${boostStateMessages.en.open}`);
    const state = /href="([^"]*\/boosts\?state=open)"/.exec(page)?.[1] ?? assert.fail(page);
    const browser = await openSignedIn(service, base.db, clerk.accountId, { now: now() });
    const rows = await browser.visit(`${service.publicUrl}${state}`);
    assert.equal(
      new Set(rows.text.match(/\/boosts\/[0-9a-f-]{36}"/g)).size,
      2,
      'the list has as many boosts as the number says',
    );
    assert.ok(page.indexOf('¥900') < page.indexOf('¥500'), 'the highest price first');
    const box = { kind: 'product', productId } as const;
    for (let i = 0; i < 4; i++) {
      await put(newId(), { target: box, priceMinor: 1, remainingQuantity: 1 });
    }
    await put(newId(), { target: box, priceMinor: 1, remainingQuantity: 0 });
    const more = await home(clerk);
    assert.equal(itemsOf(more).length, 4);
    assertSays({ text: more }, openBoostMessages.en.moreNearly('2'));
    bench.clock.advance(DAY_MS);
    assert.equal(itemsOf(await home(clerk)).includes(openBoostMessages.en.ends('Alba')), false);
  });

  it('Home counts units by site and status with links, and describes their history, without costs', async () => {
    const clerk = await join(stock.shop.id, 'sora', ['inventory.read', 'inventory.cost']);
    const { siteId, cardId } = stock;
    const unit = { siteId, item: { kind: 'card' as const, cardId }, costMinor: 123_457 };
    await write(async (tx) => {
      const units = [
        { ...unit, id: newId() },
        { ...unit, id: newId() },
        { ...unit, id: newId(), status: 'reserved' as const },
        { ...unit, id: newId(), status: 'sold' as const },
      ];
      await putUnits(tx, stock.shop, units, now());
    });
    const page = await home(clerk);
    assert.match(page, /本店[\s\S]*<strong>3<\/strong>/);
    assert.match(page, new RegExp(`/stock\\?status=in_stock&amp;site=${siteId}"\\s*>2<`));
    assert.match(page, /\/stock\?status=sold"\s*><strong>1<\/strong>/);
    const course = [0, 3];
    assertSays({ text: page }, describeTrend(createFormatter('en', 'Asia/Tokyo', now()), course));
    assert.equal(/123,?457/.test(page), false);
    const japanese = describeTrend(createFormatter('ja', 'Asia/Tokyo', now()), course);
    assertSays({ text: await home(clerk, 'ja') }, japanese);
  });

  it('Home sums asking prices by site and currency, and costs for members with inventory.cost', async () => {
    const seller = await join(stock.shop.id, 'sora', ['inventory.read']);
    const buyer = await join(stock.shop.id, 'sora', ['inventory.read', 'inventory.cost']);
    const [siteId, secondId] = [newId(), newId()];
    const item = { kind: 'card' as const, cardId: stock.cardId };
    const amount = { item, priceMinor: 1_000_007, costMinor: 600_011 };
    const place = { kind: 'store' as const, countryCode: 'JP', timezone: 'Asia/Tokyo' };
    await write(async (tx) => {
      await putSite(tx, stock.shop.id, siteId, { ...place, code: 'n', name: '北店' }, now());
      await putSite(tx, stock.shop.id, secondId, { ...place, code: 's', name: '南店' }, now());
      const units = [
        { ...amount, siteId, id: newId() },
        { ...amount, siteId, id: newId(), status: 'grading' as const },
        { ...amount, siteId, id: newId(), status: 'sold' as const },
        { item, siteId, id: newId() },
        { ...amount, siteId: secondId, id: newId(), currency: 'USD' },
      ];
      await putUnits(tx, stock.shop, units, now());
    });
    const page = await home(seller);
    assert.match(page, /北店\s*<\/th>\s*<td[^>]*>\s*¥2,000,014\s*<[\s\S]*US\$10,000\.07/);
    assert.equal(page.includes('1,200,022'), false);
    assertSays({ text: await home(buyer) }, '北店', '¥2,000,014', '¥1,200,022', 'US$6,000.11');
  });

  it('Home links to receiving, searching and a new boost for members with the permissions', async () => {
    const links = ['/stock" role="search', '/stock/receive', '/boosts/new'];
    const tools = async (permissions: readonly Permission[]): Promise<readonly string[]> => {
      const page = await home(await join(hook.shopId, owner.slug, permissions));
      const [shown = ''] = /<div class="tools">[\s\S]*?id="attention"/.exec(page) ?? [];
      return links.filter((link) => shown.includes(`/console/shops/${owner.slug}${link}"`));
    };
    const all = ['inventory.read', 'inventory.write', 'purchases.read', 'purchases.write'] as const;
    assert.deepEqual(await tools(all), links);
    assert.deepEqual(await tools(['inventory.read', 'purchases.read']), links.slice(0, 1));
    assert.deepEqual(await tools(['inventory.write', 'purchases.write']), []);
  });

  it('Home shows each part only to members who may see it', async () => {
    const seen: Readonly<Record<Permission, string>> = {
      'purchases.read': 'boosts',
      'purchases.write': '',
      'inventory.read': 'stock',
      'inventory.write': '',
      'inventory.cost': '',
      'integrations.approve': '',
      'integrations.manage': 'apps',
      'members.manage': '',
    };
    await setFailures(4);
    for (const permission of PERMISSIONS) {
      const page = await home(await join(hook.shopId, owner.slug, [permission]));
      const parts = (['boosts', 'stock', 'apps'] as const).filter((id) => hasPart(page, id));
      assert.equal(parts.join(), seen[permission], permission);
      assert.equal(page.includes('Mirror'), permission === 'integrations.manage', permission);
      const isEmpty = seen[permission] === '' && permission !== 'members.manage';
      assert.equal(page.includes(homeMessages.en.nothing), isEmpty, permission);
    }
    const nobody = await join(hook.shopId, owner.slug, []);
    assertSays({ text: await home(nobody, 'ja') }, homeMessages.ja.nothing);
    await setFailures(0);
  });
});
