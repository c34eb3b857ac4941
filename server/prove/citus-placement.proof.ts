import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import pg from 'pg';
import { installOnNodes } from '../../scripts/citus.ts';
import { findFreePort } from '../src/base/free-port.ts';
import type { Engine } from '../src/database/engine.ts';
import { migrate } from '../src/database/migrate.ts';
import { openDatabase } from '../src/database/open-database.ts';
import { PLACEMENTS } from '../src/database/placement.ts';
import { postgresqlEngine } from '../src/database/postgresql-engine.ts';
import { AppClient } from '../test/app-client.ts';
import { citusNodes } from '../test/citus-nodes.ts';
import { seedShop, startTestService } from '../test/service.ts';
import { seedStock } from '../test/stock.ts';

/** Creates a database on every node, without Citus. It is removed together with the servers. */
async function createPlain(): Promise<{ readonly name: string; readonly url: string }> {
  const name = `test_${randomBytes(8).toString('hex')}`;
  const { coordinator, workers } = citusNodes();
  for (const { url } of [coordinator, ...workers]) {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query(`create database ${name}`);
    await client.end();
  }
  return { name, url: coordinator.url.replace(/\/postgres$/, `/${name}`) };
}

async function read<Row extends object>(engine: Engine, text: string): Promise<readonly Row[]> {
  const client = new pg.Client(engine.clientConfig());
  await client.connect();
  try {
    return (await client.query<Row>(text)).rows;
  } finally {
    await client.end();
  }
}

/**
 * Returns the rows of every table as text that does not depend on the order of rows and columns.
 */
async function contentOf(engine: Engine): Promise<Readonly<Record<string, string>>> {
  const content: Record<string, string> = {};
  for (const name of Object.values(PLACEMENTS).flat()) {
    const rows = await read<{ row: string }>(
      engine,
      `select to_jsonb(t)::text as row from ${name} t`,
    );
    content[name] = rows
      .map(({ row }) => row)
      .toSorted()
      .join('\n');
  }
  return content;
}

describe('the conversion of a database with data to Citus (decision 0130)', () => {
  it('the conversion keeps every row, and tokens stay valid', async () => {
    const { name, url } = await createPlain();
    const engine = postgresqlEngine(url);
    await migrate(engine);
    const key = { 'idempotency-key': 'k' };

    const before = openDatabase(engine, { onFault: console.error });
    const close = async (): Promise<void> => await before.close();
    const base = { engine, url, close, [Symbol.asyncDispose]: close, db: before };
    await seedStock(before);
    const seeded = await seedShop(base);
    // Both services need the same port, because tokens contain the service's address.
    const environment = { PORT: String(await findFreePort()) };
    const plain = await startTestService(base, { environment });
    const app = new AppClient(plain, seeded);
    const tokens = await app.tokens();
    const connected = await app.call('POST', '/connection', tokens.access_token);
    assert.equal(connected.status, 201);
    const refreshed = await app.refresh(tokens.refresh_token, {}, key);
    assert.equal(refreshed.status, 200);
    await plain.close();
    await before.close();

    const content = await contentOf(engine);
    assert.notEqual(content['oauth_artifact'], '');
    assert.notEqual(content['oauth_answer'], '');
    await installOnNodes(citusNodes(), name);
    assert.deepEqual((await migrate(engine)).applied, []);
    assert.deepEqual(await contentOf(engine), content);
    const placed = await read<{ name: string; kind: string }>(
      engine,
      'select logicalrelid::text as name, partmethod::text as kind from pg_dist_partition',
    );
    for (const [placement, kind] of [
      ['by_shop', 'h'],
      ['reference', 'n'],
    ] as const) {
      const names = placed.filter((table) => table.kind === kind).map((table) => table.name);
      assert.deepEqual(names.toSorted(), PLACEMENTS[placement].toSorted());
    }
    const after = openDatabase(engine, { onFault: console.error });
    const service = await startTestService({ ...base, db: after }, { environment });
    try {
      const again = new AppClient(service, seeded);
      const access = refreshed.body.access_token ?? '';
      assert.equal((await again.call('GET', '/connection', access)).status, 200);
      const repeated = await again.refresh(tokens.refresh_token, {}, key);
      assert.equal(repeated.text, refreshed.text);
      assert.equal((await again.refresh(refreshed.body.refresh_token ?? '')).status, 200);
    } finally {
      await service.close();
      await after.close();
      await engine.close();
    }
  });
});
