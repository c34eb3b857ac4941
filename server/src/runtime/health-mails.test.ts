import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mailsTo } from '../../test/mails.ts';
import { seedShopWithWebhook, type ShopWithWebhook } from '../../test/shop-with-webhook.ts';
import { openTestDatabase, type TestDatabase } from '../../test/test-database.ts';
import { setAppEnabled } from '../apps/app.ts';
import { ManualClock } from '../base/clock.ts';
import { silentLog } from '../base/log.ts';
import { endConnection } from '../connections/connection.ts';
import { statement } from '../database/statement.ts';
import type { Mailer, SendResult } from '../mail/mailer.ts';
import { openMailer } from '../mail/open-mailer.ts';
import { setAccountLanguage } from '../shops/account.ts';
import { OPERATOR } from '../shops/audit.ts';
import { addMember, setMember } from '../shops/member.ts';
import type { Permission } from '../shops/permission.ts';
import { claimHealthNotices } from '../webhooks/health-notice.ts';
import { healthMailMessages } from './health-mail-messages.ts';
import { sendHealthMails } from './health-mails.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const CONTACT = 'developer@app.example';

const failWebhook = statement(
  'test_fail_webhook_of_shop',
  `update webhook set failures = 1, failing_since = $2, next_attempt_at = $2 where shop_id = $1`,
);
const mendWebhook = statement(
  'test_mend_webhook_of_shop',
  `update webhook set failures = 0, failing_since = null where shop_id = $1`,
);
const setContact = statement(
  'test_set_contact',
  `update app set contact_email = $2 where shop_id = $1`,
);
const makeLasting = statement(
  'test_make_approval_lasting',
  `update approval set scopes = scopes || '{offline_access}' where shop_id = $1`,
);
const setShopContacts = statement(
  'test_set_shop_contacts',
  `update shop set contact_emails = $2, language = 'en' where shop_id = $1`,
);
const setNames = statement(
  'test_set_names_of_app_and_shop',
  `with renamed as (update app set name = $2 where shop_id = $1)
   update shop set name = $3 where shop_id = $1`,
);
const countNotices = statement<{ readonly count: number }>(
  'test_count_health_notices',
  `select count(*)::int as count from health_notice where shop_id = $1`,
);

describe('mails about apps that stopped working', () => {
  let base: TestDatabase;
  let shop: ShopWithWebhook;
  let folder: string;
  let clock: ManualClock;
  let owner: string;
  beforeEach(async () => {
    base = await openTestDatabase();
    clock = new ManualClock(new Date('2026-06-01T12:00:00.000Z'));
    shop = await seedShopWithWebhook(base.db, 'http://127.0.0.1:9/hook', clock.now());
    folder = mkdtempSync(join(tmpdir(), 'cardport-health-'));
    owner = shop.email;
    await base.db.query(setContact, [shop.shop.id, CONTACT]);
    await base.db.query(makeLasting, [shop.shop.id]);
    await setAccountLanguage(base.db, shop.member.account.id, 'ja');
  });
  afterEach(async () => {
    rmSync(folder, { recursive: true });
    await base.close();
  });

  const folderMailer = (): Mailer =>
    openMailer(
      { target: { kind: 'folder', path: folder }, from: { name: '', address: 'a@b.c' } },
      clock,
    );
  const run = async (mail: Mailer = folderMailer()): Promise<void> => {
    const options = {
      db: base.db,
      clock,
      log: silentLog(),
      mail,
      publicUrl: 'https://shop.example',
    };
    await sendHealthMails(options, new AbortController().signal);
  };
  /** Advances the clock, runs the job, and returns the number of mails in the folder. */
  const later = async (ms: number, mail?: Mailer): Promise<number> => {
    clock.advance(ms);
    await run(mail);
    return readdirSync(folder).length;
  };
  const add = async (email: string, permissions: readonly Permission[]): Promise<string> =>
    await base.db.transaction(async (tx) => {
      const person = { email, name: email, permissions, passwordHash: 'x' };
      const added = await addMember(tx, shop.shop.id, person, clock.now(), OPERATOR);
      return added.kind === 'added' ? added.member.account.id : '';
    });
  const fail = async (): Promise<void> => {
    await base.db.query(failWebhook, [shop.shop.id, clock.now()]);
  };
  const mend = async (): Promise<void> => {
    await base.db.query(mendWebhook, [shop.shop.id]);
  };
  const deactivate = async (isActive: boolean): Promise<void> => {
    await base.db.transaction(async (tx) => {
      await setMember(
        tx,
        shop.shop.id,
        shop.member.account.id,
        { isActive },
        clock.now(),
        OPERATOR,
      );
    });
  };

  it('mails go to the app’s contact and to members who manage apps, once after an hour and once after recovery', async () => {
    await add('developer@kumo.example', ['integrations.manage']);
    await add('clerk@kumo.example', ['inventory.read']);
    await fail();
    assert.equal(await later(HOUR_MS - 1), 0);
    assert.equal(await later(5 * MINUTE_MS), 3);
    const { name, slug } = shop.shop;
    const [told = ''] = mailsTo(owner, folder);
    const app = shop.app.name;
    assert.ok(told.includes(healthMailMessages.ja.webhook.text(app, name)), told);
    assert.ok(told.includes(`https://shop.example/console/shops/${slug}/connections/`), told);
    assert.equal(told.includes(healthMailMessages.en.webhook.text(app, name)), false);
    // A member who has chosen no language gets both languages, as does the app's contact.
    for (const address of ['developer@kumo.example', CONTACT]) {
      const [both = ''] = mailsTo(address, folder);
      for (const language of ['en', 'ja'] as const) {
        assert.ok(both.includes(healthMailMessages[language].webhook.text(app, name)), both);
      }
      assert.equal(both.includes('/console/'), address !== CONTACT);
    }
    assert.equal(mailsTo('clerk@kumo.example', folder).length, 0);
    assert.equal(await later(24 * HOUR_MS), 3);
    await mend();
    assert.equal(await later(5 * MINUTE_MS), 6);
    const [, over = ''] = mailsTo(owner, folder);
    assert.ok(over.includes(healthMailMessages.ja.webhook.overText(app, name)), over);
    assert.equal(await later(24 * HOUR_MS), 6);
    assert.equal((await base.db.one(countNotices, [shop.shop.id]))?.count, 0);
  });

  it('the names of apps and shops are no links, and subjects begin with our words', async () => {
    await base.db.query(setNames, [shop.shop.id, 'https://evil.example/unlock', 'a\u2028www.evil']);
    await fail();
    await later(HOUR_MS);
    assert.equal(await later(5 * MINUTE_MS), 2);
    for (const address of [owner, CONTACT]) {
      const [mail = ''] = mailsTo(address, folder);
      const names = ['https: / /evil. example/unlock', 'a www. evil'] as const;
      assert.ok(mail.includes(healthMailMessages.ja.webhook.text(...names)), mail);
      assert.equal(mail.includes('evil.example'), false);
    }
    for (const language of ['en', 'ja'] as const) {
      for (const problem of ['webhook', 'approval'] as const) {
        const { subject, over } = healthMailMessages[language][problem];
        for (const text of [subject, over]) assert.match(text('App', 'Shop'), /^Cardport[:：]/);
      }
    }
  });

  it('one mail goes to each contact address of the shop, in the shop’s language', async () => {
    const contacts = ['desk@kumo.example', owner.toUpperCase(), CONTACT];
    await base.db.query(setShopContacts, [shop.shop.id, contacts]);
    await fail();
    await later(HOUR_MS);
    assert.equal(await later(5 * MINUTE_MS), 3);
    const [told = ''] = mailsTo('desk@kumo.example', folder);
    const { name, slug } = shop.shop;
    assert.ok(told.includes(healthMailMessages.en.webhook.text(shop.app.name, name)), told);
    assert.ok(told.includes(`/console/shops/${slug}/connections/`), told);
    assert.equal(told.includes(healthMailMessages.ja.webhook.text(shop.app.name, name)), false);
    assert.equal(mailsTo(owner, folder).length, 1);
  });

  it('no mail is sent for a failure that ends within the hour, or when the connection ends', async () => {
    await fail();
    assert.equal(await later(50 * MINUTE_MS), 0);
    await mend();
    assert.equal(await later(2 * HOUR_MS), 0);
    await fail();
    assert.equal(await later(HOUR_MS), 2);
    await base.db.transaction(async (tx) => {
      await endConnection(tx, shop.shop.id, shop.app.clientId, 'shop', clock.now(), OPERATOR);
    });
    assert.equal(await later(HOUR_MS), 2);
    assert.equal((await base.db.one(countNotices, [shop.shop.id]))?.count, 0);
  });

  it('a mail says that an approval is missing, and later that the app was approved again', async () => {
    await add('developer@kumo.example', ['integrations.manage']);
    await deactivate(false);
    assert.equal(await later(5 * MINUTE_MS), 0);
    assert.equal(await later(HOUR_MS), 2);
    const [told = ''] = mailsTo('developer@kumo.example', folder);
    const { name } = shop.shop;
    assert.ok(told.includes(healthMailMessages.en.approval.text(shop.app.name, name)), told);
    assert.equal(mailsTo(owner, folder).length, 0);
    await deactivate(true);
    assert.equal(await later(5 * MINUTE_MS), 5);
  });

  it('no mail is sent for an app that the shop has disabled', async () => {
    await fail();
    await base.db.transaction(async (tx) => {
      await setAppEnabled(tx, shop.app.clientId, false, clock.now(), OPERATOR);
    });
    assert.equal(await later(2 * HOUR_MS), 0);
  });

  it('only one of several processes sends a mail, and retries it if the mail server was down', async () => {
    await fail();
    let attempts = 0;
    const down: Mailer = {
      kind: 'server',
      send: async () => {
        attempts++;
        const failed: SendResult = { kind: 'failed', reason: 'unreachable', cause: null };
        return await Promise.resolve(failed);
      },
    };
    assert.equal(await later(HOUR_MS, down), 0);
    assert.equal(attempts, 2);
    // The first process still holds the lease.
    assert.equal(await later(5 * MINUTE_MS), 0);
    clock.advance(10 * MINUTE_MS);
    await Promise.all(Array.from({ length: 4 }, async () => await run()));
    assert.equal(readdirSync(folder).length, 2);
    // Only one of several concurrent processes gets the lease.
    await mend();
    clock.advance(10 * MINUTE_MS);
    const claimed = await Promise.all(
      Array.from(
        { length: 4 },
        async () => await claimHealthNotices(base.db, shop.shop.id, clock.now()),
      ),
    );
    assert.equal(claimed.flat().length, 1);
    clock.advance(10 * MINUTE_MS);
    await Promise.all(Array.from({ length: 4 }, async () => await run()));
    assert.equal(readdirSync(folder).length, 4);
  });
});
