import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { environmentOf } from '../../test/cardport-in-process.ts';
import { startServe } from '../../test/cardport.ts';
import { formTo, PlainBrowser } from '../../test/plain-browser.ts';
import { startTestService } from '../../test/service.ts';
import { openTestDatabase } from '../../test/test-database.ts';
import { openDatabase } from '../database/open-database.ts';
import { issueSetupCode } from '../shops/setup-code.ts';
import { listShops } from '../shops/shop.ts';
import { printSetupCode } from './setup-notice.ts';

const CODE = /cpo_[A-Za-z0-9]{43}/g;

describe('the first start of serve', () => {
  it('serve prints one set-up code for all processes, and none once a page has created the first shop with it', async () => {
    await using base = await openTestDatabase();
    const environment = { ...environmentOf(base), LOG_LEVEL: 'trace', DRAIN_NOTICE_SECONDS: '0' };
    await using worker = await startServe({ ...environment, METRICS_PORT: '0' }, ['deliver']);
    assert.doesNotMatch(worker.printed(), CODE);
    await using first = await startServe(environment);
    const [code = '', ...others] = first.printed().match(CODE) ?? [];
    assert.deepEqual(others, []);
    assert.match(first.printed(), new RegExp(`${first.url}/console/setup with the code ${code},`));
    await using second = await startServe(environment);
    assert.match(second.printed(), /\/console\/setup with the code that an earlier start printed/);
    const browser = new PlainBrowser(second.url);
    const page = await browser.visit(`${second.url}/signin`);
    const password = 'a sentence that is long';
    const done = await browser.submit(page, formTo(page, '/console/setup'), {
      code,
      shopName: 'Kumo Cards',
      ownerName: 'Hana',
      email: 'boss@kumo.example',
      new: password,
      again: password,
    });
    assert.equal(new URL(done.url).pathname, '/console/shops/kumo-cards');
    assert.equal((await listShops(base.db)).length, 1);
    // The log must contain this address without the code.
    await browser.visit(`${second.url}/console/setup/${code}`);
    await using third = await startServe(environment);
    assert.doesNotMatch(third.printed(), /setup/);
    for (const process of [worker, first, second, third]) {
      assert.equal(await process.stop('SIGTERM'), 0);
    }
    assert.equal(first.printed().match(CODE)?.length, 1);
    assert.match(second.printed(), /\/console\/setup\/cpo_\[hidden\]/);
    for (const process of [worker, second, third]) assert.doesNotMatch(process.printed(), CODE);
  });

  it('serve prints no set-up code with --demo', async () => {
    await using base = await openTestDatabase();
    const environment = { ...environmentOf(base), DRAIN_NOTICE_SECONDS: '0' };
    await using demo = await startServe(environment, ['serve', '--demo']);
    assert.doesNotMatch(demo.printed(), /setup|cpo_/);
    const issued = await issueSetupCode(base.db, new Date());
    assert.equal(issued.kind, 'issued', 'the process has issued none');
  });

  it('serve continues without a set-up code if the database does not respond, and says so', async () => {
    await using base = await openTestDatabase();
    await using service = await startTestService(base);
    const db = openDatabase(base.engine, { onFault: () => undefined });
    await db.close();
    const told: string[] = [];
    await printSetupCode({ ...service, db }, (sentence) => told.push(sentence));
    assert.equal(told.length, 1);
    assert.match(told[0] ?? '', /^could not check whether a first shop must be created/);
    await printSetupCode(service, (sentence) => told.push(sentence));
    assert.match(told[1] ?? '', /with the code cpo_/);
  });
});
