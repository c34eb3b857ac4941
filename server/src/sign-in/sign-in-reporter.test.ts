import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { mailsTo } from '../../test/mails.ts';
import { formTo, PlainBrowser, SIGN_IN } from '../../test/plain-browser.ts';
import {
  MAIL_FOLDER,
  seedShop,
  type SeededShop,
  startTestService,
  type TestService,
} from '../../test/service.ts';
import { openSignedIn } from '../../test/signed-in-browser.ts';
import { openTestDatabase, type TestDatabase } from '../../test/test-database.ts';
import { waitUntil } from '../../test/wait-until.ts';
import { ManualClock } from '../base/clock.ts';
import { type Log, openLog } from '../base/log.ts';
import { setAccountLanguage } from '../shops/account.ts';
import { listAudit } from '../shops/audit-log.ts';
import { listSignInRecords } from '../shops/sign-in-record.ts';
import { failuresMailMessages } from './messages.ts';

describe('reports of sign-ins', () => {
  let base: TestDatabase;
  let service: TestService;
  let log: Log;
  let lines = '';
  const clock = new ManualClock(new Date());

  before(async () => {
    base = await openTestDatabase();
    log = openLog({ level: 'info', write: (text) => void (lines += text) });
    const environment = { TRUST_PROXY: '1' };
    service = await startTestService(base, { clock, log, environment });
  });
  after(async () => {
    await service.close();
    log.close();
    await base.close();
  });

  async function attempt(email: string, password: string, address: string): Promise<number> {
    const browser = new PlainBrowser(service.url, { 'x-forwarded-for': address });
    const form = await browser.visit(`${service.url}/signin`);
    const page = await browser.submit(form, formTo(form, SIGN_IN), { email, password });
    return page.status;
  }

  /** Waits until the failures, which are recorded after the responses, are in the database. */
  async function failuresOf({ member }: SeededShop, count: number): Promise<void> {
    await waitUntil(async () => {
      const records = await listSignInRecords(base.db, member.account.id);
      const failed = records.filter(({ outcome }) => outcome === 'failed');
      return failed.reduce((sum, { attempts }) => sum + attempts, 0) === count;
    });
  }

  const linesOf = (message: string, { member }: SeededShop): readonly string[] => {
    log.flush();
    return lines
      .split('\n')
      .filter((line) => line.includes(message) && line.includes(member.account.id));
  };

  it('a burst is logged, audited and mailed only once, and My account shows every attempt', async () => {
    const person = await seedShop(base);
    const { id } = person.member.account;
    await setAccountLanguage(base.db, id, 'ja');
    for (let count = 0; count < 9; count++) {
      assert.equal(await attempt(person.email, 'not it', '198.51.100.1'), 400);
    }
    await failuresOf(person, 9);
    assert.deepEqual(linesOf('many sign-ins', person), []);
    for (let count = 0; count < 6; count++) await attempt(person.email, 'not it', '198.51.100.2');
    await failuresOf(person, 15);
    await waitUntil(() => linesOf('many sign-ins', person).length > 0);
    const [line, ...others] = linesOf('many sign-ins', person);
    assert.equal(others.length, 0);
    const told: unknown = JSON.parse(line ?? '');
    assert.ok(typeof told === 'object' && told !== null);
    assert.deepEqual(
      [Reflect.get(told, 'level'), Reflect.get(told, 'network'), Reflect.get(told, 'failures')],
      ['warn', '198.51.100.2', 10],
    );
    await waitUntil(() => existsSync(MAIL_FOLDER) && mailsTo(person.email).length > 0);
    const [mail, ...more] = mailsTo(person.email);
    assert.equal(more.length, 0);
    assert.ok(mail?.includes(failuresMailMessages.ja.what(10)), mail);
    assert.equal(mail?.includes(failuresMailMessages.en.what(10)), false);
    assert.ok((mail ?? '').includes(`${service.publicUrl}/console/account/sessions`));
    const actions = ['account.sign_ins_failed'] as const;
    const filters = { before: null, limit: 10, actions };
    assert.equal((await listAudit(base.db, person.shop.id, filters)).length, 1);

    const page = await (
      await openSignedIn(service, base.db, id)
    ).visit(`${service.publicUrl}/console/account/sessions`);
    assert.match(page.text, /198\.51\.100\.1</);
    assert.match(page.text, /198\.51\.100\.2</);
    assert.equal(page.text.includes('203.0.113.'), false);
  });

  it('a sign-in is audited, and logged with account and network but without email or password', async () => {
    const person = await seedShop(base);
    assert.equal(await attempt(person.email, person.password, '203.0.113.7'), 200);
    const [line, ...others] = linesOf('a person signed in', person);
    assert.equal(others.length, 0);
    assert.match(line ?? '', /"way":"password","network":"203\.0\.113\.7"/);
    assert.equal(await attempt(person.email, 'wr0ng-secret-word', '203.0.113.8'), 400);
    assert.equal(await attempt('nobody-here@x.example', 'wr0ng-secret-word', '203.0.113.9'), 400);
    assert.equal(linesOf('a sign-in failed', person).length, 1);
    assert.match(lines, /"accountId":null,"way":"password","network":"203\.0\.113\.9"/);
    for (const secret of [person.email, 'nobody-here', 'wr0ng-secret', person.password]) {
      assert.equal(lines.includes(secret), false, secret);
    }
    const actions = ['account.signed_in'] as const;
    const filters = { before: null, limit: 10, actions };
    assert.equal((await listAudit(base.db, person.shop.id, filters)).length, 1);
    await failuresOf(person, 1);
  });

  it('a person who has not chosen a language gets the mail in both languages', async () => {
    const person = await seedShop(base);
    const wrong = Array.from({ length: 10 }, async (_, index) => {
      return await attempt(person.email, 'not it', `198.51.100.${index}`);
    });
    await Promise.all(wrong);
    await waitUntil(() => existsSync(MAIL_FOLDER) && mailsTo(person.email).length > 0);
    const [mail = ''] = mailsTo(person.email);
    assert.ok(
      mail.includes(failuresMailMessages.en.what(10)) &&
        mail.includes(failuresMailMessages.ja.what(10)),
      mail,
    );
  });
});
