import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { startServe } from '../../test/cardport.ts';
import { openTcpProxy } from '../../test/tcp-proxy.ts';
import { seedShop, TEST_SECRET_KEY } from '../../test/service.ts';
import { openTestDatabase } from '../../test/test-database.ts';
import { waitUntil } from '../../test/wait-until.ts';

const REQUESTS = 60;

describe('a database outage under load', () => {
  it('an outage under load adds only two lines to the log, without stack traces', async () => {
    await using base = await openTestDatabase();
    const { shopKey } = await seedShop(base);
    const database = new URL(base.url);
    await using wire = await openTcpProxy(Number(database.port));
    database.port = String(wire.port);
    database.hostname = '127.0.0.1';
    await using node = await startServe({
      DATABASE_URL: database.href,
      SECRET_KEY: TEST_SECRET_KEY,
      DRAIN_NOTICE_SECONDS: '0',
    });
    const lines = (): string[] =>
      node
        .printed()
        .split('\n')
        .filter((line) => line.startsWith('{') && !line.includes('"msg":"request"'));
    const before = lines().length;
    const read = async (path: string): Promise<number> => {
      const headers = { authorization: `Bearer ${shopKey}` };
      const answer = await fetch(`${node.url}${path}`, { headers });
      await answer.text();
      return answer.status;
    };
    assert.equal(await read('/shop/v1/sites'), 200);
    wire.disconnect();
    await waitUntil(async () => (await read('/shop/v1/sites')) === 503);
    for (let request = 1; request < REQUESTS; request++) {
      const path = ['/shop/v1/sites', '/readyz', '/console', '/shop/v1/units'][request % 4] ?? '';
      // Without a session cookie, the console redirects to the sign-in page without querying the
      // database.
      assert.equal(await read(path), path === '/console' ? 200 : 503, path);
      await wait(20);
    }
    wire.reconnect();
    const told = (): Readonly<Record<string, unknown>>[] =>
      lines()
        .slice(before)
        .map((line): Readonly<Record<string, unknown>> => JSON.parse(line));
    await waitUntil(() => told().some(({ msg }) => msg === 'the database responds again'));
    assert.equal(await read('/readyz'), 200);
    const shown = told();
    assert.deepEqual(
      shown.map(({ level, msg }) => `${String(level)} ${String(msg)}`),
      [
        'error the database does not respond: requests are refused until it does',
        'warn the database responds again',
      ],
    );
    const [begun, ended] = shown;
    assert.match(
      String(begun?.['place']),
      new RegExp(`^DATABASE_URL 127\\.0\\.0\\.1:${wire.port}$`),
    );
    assert.ok(Number(ended?.['requests']) >= REQUESTS / 4, JSON.stringify(ended));
    assert.ok(Number(ended?.['jobs']) >= 1);
    assert.ok(!node.printed().includes('"stack"'));
  });
});
