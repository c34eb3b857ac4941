import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { newId } from '../src/base/secrets.ts';
import type { Database } from '../src/database/database.ts';
import { openDatabase } from '../src/database/open-database.ts';
import { statement } from '../src/database/statement.ts';
import type { FeedPosition } from '../src/inventory/cursor.ts';
import { readChanges } from '../src/inventory/feed.ts';
import { putUnits } from '../src/inventory/unit.ts';
import { seedStock, STOCK_MADE_AT, type TestStock } from '../test/stock.ts';
import { openTestDatabase, type TestDatabase } from '../test/test-database.ts';
import { type FeedDesign, runFeedTrial } from './feed-trial.ts';

const IS_FULL = process.env['PROVE_FULL'] === '1';
const OPTIONS = {
  writers: 16,
  readers: 4,
  transactionsPerWriter: IS_FULL ? 400 : 40,
  ids: Array.from({ length: IS_FULL ? 4_000 : 600 }, () => newId()),
};

const selectTrialUnits = statement<{ id: string; value: number }>(
  'prove_select_trial_units',
  `select unit_id as id, price_minor as value from unit where shop_id = $1`,
);
const selectTrialHeads = statement<{ head: number; highest: number }>(
  'prove_select_trial_heads',
  `select (select seq from feed_head where shop_id = $1) as head,
    greatest((select max(seq) from site where shop_id = $1),
      (select max(seq) from location where shop_id = $1),
      (select max(seq) from unit where shop_id = $1)) as highest`,
);
const NAIVE_TABLE = `create sequence naive_seq;
  create table naive (id uuid primary key, value int not null, seq bigint not null);
  create index naive_feed on naive (seq)`;
const stampNaive = statement(
  'prove_stamp_naive',
  `insert into naive (id, value, seq)
  select id, $2, nextval('naive_seq') from unnest($1::uuid[]) as given (id)
  on conflict (id) do update set value = excluded.value, seq = excluded.seq`,
);
const readNaive = statement<{ id: string; value: number; seq: number }>(
  'prove_read_naive',
  `select id, value, seq from naive where seq > $1 order by seq limit $2`,
);
const selectNaive = statement<{ id: string; value: number }>(
  'prove_select_naive',
  `select id, value from naive`,
);

/** Returns the service's design: positions come from a head row, which each write locks. */
function makeHeadRowDesign(db: Database, stock: TestStock): FeedDesign<FeedPosition> {
  const { shop, siteId, cardId } = stock;
  return {
    write: async (tx, ids, value) => {
      const item = { kind: 'card' as const, cardId };
      const changes = ids.map((id) => ({ id, siteId, item, priceMinor: value }));
      await putUnits(tx, shop, changes, STOCK_MADE_AT);
    },
    readPage: async (position, limit) => {
      const page = await readChanges(db, shop.id, position, { limit, canSeeCost: false });
      if (page.kind !== 'page') throw new Error(page.kind);
      const records: { kind: string; id: string; data: { priceMinor: number } }[] = JSON.parse(
        `[${page.recordBytes.toString()}]`,
      );
      const changes = records.map(({ id, data }) => ({ id, value: data.priceMinor }));
      return { changes, next: page.next };
    },
    readTruth: async () => toMap(await db.query(selectTrialUnits, [shop.id])),
    readHeads: async () => (await db.one(selectTrialHeads, [shop.id])) ?? null,
  };
}

/** Returns a naive design: positions come from a sequence, which does not follow commit order. */
function makeSequenceDesign(db: Database): FeedDesign<number> {
  return {
    write: async (tx, ids, value) => void (await tx.query(stampNaive, [ids, value])),
    readPage: async (position, limit) => {
      const changes = await db.query(readNaive, [position ?? 0, limit]);
      return { changes, next: changes.at(-1)?.seq ?? position ?? 0 };
    },
    readTruth: async () => toMap(await db.query(selectNaive)),
    readHeads: async () => null,
  };
}

function toMap(rows: readonly { id: string; value: number }[]): Map<string, number> {
  return new Map(rows.map((row) => [row.id, row.value]));
}

/** Opens a database with a connection for each writer and reader, so that they run concurrently. */
function openWide(base: TestDatabase): Database & AsyncDisposable {
  const onFault = (): void => {
    // Connections that are still closing when their database is dropped report an error.
  };
  const db = openDatabase(base.engine, { onFault, poolClientsMax: 24 });
  return Object.assign(db, { [Symbol.asyncDispose]: async () => await db.close() });
}

describe('a trial of the change feed', () => {
  it('loses no change with a head row, which always has the highest position', async (t) => {
    await using base = await openTestDatabase();
    await using db = openWide(base);
    const stock = await seedStock(base.db);
    const result = await runFeedTrial(db, makeHeadRowDesign(db, stock), OPTIONS);
    t.diagnostic(JSON.stringify(result));
    assert.deepEqual(result.lost, [0, 0, 0, 0]);
    assert.equal(result.unevenSnapshots, 0);
    assert.ok(result.snapshots > 20);
    assert.ok(result.commits > OPTIONS.writers * OPTIONS.transactionsPerWriter * 0.8);
  });

  it('loses changes with a sequence', async (t) => {
    await using base = await openTestDatabase();
    await using db = openWide(base);
    await base.db.runScript(NAIVE_TABLE);
    const result = await runFeedTrial(db, makeSequenceDesign(db), OPTIONS);
    t.diagnostic(JSON.stringify(result));
    for (const lost of result.lost) assert.ok(lost > 0);
  });
});
