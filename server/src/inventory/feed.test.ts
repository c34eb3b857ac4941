import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { seedStock, STOCK_MADE_AT, type TestStock } from '../../test/stock.ts';
import { useTestDatabase } from '../../test/shared.ts';
import { openTestDatabase } from '../../test/test-database.ts';
import { deriveKey } from '../base/keys.ts';
import { newId } from '../base/secrets.ts';
import { type Database, DatabaseBusy } from '../database/database.ts';
import type { FeedPosition } from './cursor.ts';
import { openCursorCodec } from './cursors.ts';
import { readChanges, readHead } from './feed.ts';
import { putLocation } from './location.ts';
import { startNewEpoch } from './feed-epoch.ts';
import { putSite, readSitesText } from './site.ts';
import { putUnits, type UnitChange } from './unit.ts';

interface ChangeRecord {
  readonly kind: string;
  readonly id: string;
  readonly changedAt: string;
  readonly data: Readonly<Record<string, unknown>>;
}

async function write(db: Database, stock: TestStock, units: readonly UnitChange[]): Promise<void> {
  const results = await db.transaction(
    async (tx) => await putUnits(tx, stock.shop, units, STOCK_MADE_AT),
  );
  for (const result of results) assert.match(result.kind, /created|updated|unchanged/);
}

/** Writes as a client does: retries at most 20 times while the database is busy (503). */
async function writeUntilDone(db: Database, stock: TestStock, units: UnitChange[]): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await write(db, stock, units);
      return;
    } catch (error) {
      if (!(error instanceof DatabaseBusy) || attempt === 20) throw error;
    }
  }
}

function cards(stock: TestStock, count: number): UnitChange[] {
  return Array.from({ length: count }, () => ({
    id: newId(),
    siteId: stock.siteId,
    item: { kind: 'card' as const, cardId: stock.otherCardId },
    costMinor: 77,
  }));
}

/** Reads the changes from a position to the end of the feed. */
async function readAll(
  db: Database,
  shopId: string,
  from: FeedPosition | null,
  limit: number,
): Promise<{ records: ChangeRecord[]; end: FeedPosition; pages: number }> {
  const records: ChangeRecord[] = [];
  let position = from;
  for (let pages = 1; pages < 10_000; pages++) {
    const page = await readChanges(db, shopId, position, { limit, canSeeCost: true });
    assert.equal(page.kind, 'page');
    const found: ChangeRecord[] = JSON.parse(`[${page.recordBytes.toString()}]`);
    assert.ok(found.length <= limit);
    records.push(...found);
    position = page.next;
    if (!page.hasMore) return { records, end: page.next, pages };
  }
  throw new Error('the feed did not end');
}

describe('the change feed (4.6)', () => {
  const base = useTestDatabase();

  it('the feed of a shop that has never written is empty, and continues from the position of the empty page', async () => {
    await using base = await openTestDatabase();
    const shopId = newId();
    const page = await readChanges(base.db, shopId, null, { limit: 500, canSeeCost: true });
    assert.deepEqual(page, {
      kind: 'page',
      recordBytes: Buffer.alloc(0),
      next: { epoch: 1, seq: 0 },
      hasMore: false,
    });
  });

  it('the feed contains every object once, for any page size, in commit order', async () => {
    const stock = await seedStock(base.db);
    const units = cards(stock, 25);
    await write(base.db, stock, units);
    const first = units[0];
    assert.ok(first);
    await write(base.db, stock, [{ id: first.id, priceMinor: 1 }]);
    for (const limit of [1, 2, 7, 27, 28, 1000]) {
      const { records, end, pages } = await readAll(base.db, stock.shop.id, null, limit);
      assert.equal(records.length, 27, 'one site, one location, 25 units');
      assert.equal(new Set(records.map((record) => record.id)).size, 27);
      assert.equal(records.at(-1)?.id, first.id, 'the newest change comes last');
      assert.equal(pages, Math.ceil(27 / limit), 'hasMore is exact at a full last page');
      assert.deepEqual(end, await readHead(base.db, stock.shop.id));
    }
  });

  it('a record contains kind, id and time with the current value', async () => {
    const stock = await seedStock(base.db);
    const { records } = await readAll(base.db, stock.shop.id, null, 500);
    assert.deepEqual(records.map((record) => record.kind).toSorted(), ['location', 'site']);
    for (const record of records) {
      assert.deepEqual(Object.keys(record), ['kind', 'id', 'changedAt', 'data']);
      assert.equal(record.data['id'], record.id);
      assert.equal(record.changedAt, STOCK_MADE_AT.toISOString());
    }
    const site = records.find((record) => record.kind === 'site');
    const sites: unknown[] = JSON.parse(await readSitesText(base.db, stock.shop.id));
    assert.deepEqual(sites, [site?.data]);
  });

  it('a client that has read to the head gets only later changes', async () => {
    const stock = await seedStock(base.db);
    const head = await readHead(base.db, stock.shop.id);
    assert.equal((await readAll(base.db, stock.shop.id, head, 500)).records.length, 0);
    const [unit] = cards(stock, 1);
    assert.ok(unit);
    await write(base.db, stock, [unit]);
    const { records } = await readAll(base.db, stock.shop.id, head, 500);
    assert.deepEqual(
      records.map((record) => record.id),
      [unit.id],
    );
  });

  it('the feed shows the cost only if allowed, and is valid JSON with and without the cost', async () => {
    const stock = await seedStock(base.db);
    const head = await readHead(base.db, stock.shop.id);
    await write(base.db, stock, cards(stock, 3));
    for (const canSeeCost of [true, false]) {
      const page = await readChanges(base.db, stock.shop.id, head, { limit: 10, canSeeCost });
      assert.equal(page.kind, 'page');
      const records: ChangeRecord[] = JSON.parse(`[${page.recordBytes.toString()}]`);
      assert.deepEqual(
        records.map((record) => record.data['costMinor']),
        canSeeCost ? [77, 77, 77] : [null, null, null],
      );
      assert.ok(canSeeCost || !page.recordBytes.includes('77}'));
    }
  });

  it('a changed location and its site get new positions', async () => {
    const stock = await seedStock(base.db);
    const head = await readHead(base.db, stock.shop.id);
    await base.db.transaction(async (tx) => {
      const change = { isActive: false };
      const result = await putLocation(tx, stock.shop.id, stock.locationId, change, STOCK_MADE_AT);
      assert.equal(result.kind, 'updated');
    });
    const { records } = await readAll(base.db, stock.shop.id, head, 500);
    const [location, site] = records;
    assert.equal(records.length, 2);
    assert.equal(location?.data['isActive'], false);
    assert.deepEqual(site?.data['locations'], [location.data]);
  });

  it('the feed contains only the changes of its own shop', async () => {
    const stock = await seedStock(base.db);
    const other = await seedStock(base.db);
    await write(base.db, stock, cards(stock, 2));
    const { records } = await readAll(base.db, other.shop.id, null, 500);
    assert.deepEqual(
      records.map((record) => record.id).toSorted(),
      [other.siteId, other.locationId].toSorted(),
    );
  });

  it('a position past the head or from an older epoch is refused', async () => {
    await using base = await openTestDatabase();
    const stock = await seedStock(base.db);
    const head = await readHead(base.db, stock.shop.id);
    const options = { limit: 1, canSeeCost: false };
    const past = { ...head, seq: head.seq + 1 };
    assert.equal((await readChanges(base.db, stock.shop.id, past, options)).kind, 'expired');
    const now = new Date();
    const shops = await base.db.transaction(async (tx) => await startNewEpoch(tx, now));
    assert.equal(shops, 1);
    assert.equal((await readChanges(base.db, stock.shop.id, head, options)).kind, 'expired');
    const again = await readAll(base.db, stock.shop.id, null, 1);
    assert.equal(again.records.length, 2);
    assert.ok(again.end.epoch >= Math.floor(now.getTime() / 1000));
  });

  it('each restore starts a different epoch, even with the same backup', async () => {
    await using base = await openTestDatabase();
    const stock = await seedStock(base.db);
    const first = new Date('2026-05-01T00:00:00Z');
    await base.db.transaction(async (tx) => await startNewEpoch(tx, first));
    const epoch = (await readHead(base.db, stock.shop.id)).epoch;
    await base.db.transaction(async (tx) => await startNewEpoch(tx, first));
    assert.equal((await readHead(base.db, stock.shop.id)).epoch, epoch + 1);
  });

  it('earlier cursors stay valid after a change of the signing key, even on a node that never had the earlier key', async () => {
    await using base = await openTestDatabase();
    const shopId = newId();
    const oldKey = deriveKey('the first secret of the deployment', 'cursor');
    const newKey = deriveKey('the second secret of the deployment', 'cursor');
    const running = await openCursorCodec(base.db, oldKey, new Date());
    const restarted = await openCursorCodec(base.db, newKey, new Date());
    const position = { epoch: 1, seq: 5 };
    const ofOld = running.encode(shopId, position);
    const ofNew = restarted.encode(shopId, position);
    assert.deepEqual(await restarted.decode(shopId, ofOld), position);
    assert.deepEqual(await running.decode(shopId, ofNew), position);
    assert.equal(await running.decode(newId(), ofNew), null);
    assert.equal(await running.decode(shopId, 'A'.repeat(50)), null);
  });

  it('a client that reads while 8 writers write loses no change', async () => {
    const stock = await seedStock(base.db);
    const held = new Map<string, string>();
    let isWriting = true;
    let position: FeedPosition | null = null;
    const follow = async (): Promise<void> => {
      const { records, end } = await readAll(base.db, stock.shop.id, position, 50);
      for (const record of records) held.set(record.id, JSON.stringify(record.data));
      position = end;
    };
    const reader = (async (): Promise<void> => {
      while (isWriting) await follow();
      await follow();
    })();
    const shared = cards(stock, 12);
    await Promise.all(
      Array.from({ length: 8 }, async (_, writer) => {
        for (let turn = 0; turn < 12; turn++) {
          const mine = shared.filter(() => Math.random() < 0.4);
          const changed = mine.map((unit) => ({ ...unit, priceMinor: writer * 100 + turn }));
          await writeUntilDone(base.db, stock, [...changed, ...cards(stock, 2)]);
          const site = { name: `本店 ${writer}/${turn}` };
          await base.db.transaction(
            async (tx) => await putSite(tx, stock.shop.id, stock.siteId, site, new Date()),
          );
        }
      }),
    );
    isWriting = false;
    await reader;
    const { records } = await readAll(base.db, stock.shop.id, null, 1000);
    const current = new Map(records.map((record) => [record.id, JSON.stringify(record.data)]));
    assert.ok(current.size >= 192);
    assert.deepEqual(held, current);
  });
});
