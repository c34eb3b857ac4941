import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import pg from 'pg';
import { pauseProcess, untilRecovered } from '../../test/paused-process.ts';
import { openTestDatabase } from '../../test/test-database.ts';
import { limitResponseTime } from './response-timeout.ts';

// The limit is much longer than a fast response takes, and much shorter than the slow queries of
// these tests.
const LIMIT_MS = 500;

async function askByCallback(client: pg.Client, text: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    client.query(text, (error: Error | null) => (error === null ? resolve() : reject(error)));
  });
}

describe('the response timeout', () => {
  it('a connection that does not respond in time is closed, and all callers that wait for it fail', async () => {
    await using base = await openTestDatabase();
    const client = new pg.Client({ ...base.engine.clientConfig(), pipeline: true });
    const faults: Error[] = [];
    client.on('error', (error) => faults.push(error));
    await client.connect();
    limitResponseTime(client, LIMIT_MS);
    assert.deepEqual((await client.query('select 1 as n')).rows, [{ n: 1 }]);
    const ended = new Promise((resolve) => client.once('end', resolve));
    const asked = [
      client.query('select pg_sleep(2)'),
      client.query('select $1::int as n', [2]),
      askByCallback(client, 'select 3 as n'),
    ];
    for (const { status } of await Promise.allSettled(asked)) assert.equal(status, 'rejected');
    await ended;
    assert.match(String(faults[0]), /Query read timeout/);
  });

  it('a response that arrived while this process was paused is not too late', async () => {
    await using base = await openTestDatabase();
    const client = new pg.Client(base.engine.clientConfig());
    await client.connect();
    limitResponseTime(client, 1_000);
    const asked = client.query('select pg_sleep(0.1), 1 as n');
    await new Promise((resolve) => setImmediate(resolve));
    pauseProcess(2_000);
    assert.equal((await asked).rows[0]?.n, 1);
    await client.end();
    await untilRecovered();
  });

  it('the response timeout does not close an idle connection', async () => {
    await using base = await openTestDatabase();
    const client = new pg.Client(base.engine.clientConfig());
    await client.connect();
    limitResponseTime(client, LIMIT_MS);
    await assert.rejects(client.query('select 1 / $1::int', [0]), /division by zero/);
    await assert.rejects(askByCallback(client, 'select 1 / 0'), /division by zero/);
    await askByCallback(client, 'select 1');
    await new Promise((resolve) => setTimeout(resolve, LIMIT_MS * 1.2));
    await client
      .query('select')
      .catch(() => assert.fail('closed although no response was pending'));
    await client.end();
  });
});
