import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type ForeignKey, readSchemaFacts } from '../../test/schema-facts.ts';
import { openTestDatabase } from '../../test/test-database.ts';
import { KEYS_BY_SHOP, type Placement, PLACEMENTS } from './placement.ts';

// Tables with a `shop_id` that are not distributed: the list of the shops, and a queue over all
// shops.
const UNDISTRIBUTED: readonly string[] = ['shop', 'stale_photo'];

const ORDER = (['reference', 'by_shop', 'local'] as const).flatMap((placement) =>
  PLACEMENTS[placement].map((table) => ({ table, placement })),
);

function findPlace(table: string): { readonly placement: Placement; readonly turn: number } {
  const turn = ORDER.findIndex((place) => place.table === table);
  const place = ORDER[turn];
  assert.ok(place, `${table} has a place`);
  return { placement: place.placement, turn };
}

function refusalOf(
  { name, columns, targetColumns }: ForeignKey,
  from: Placement,
  to: Placement,
): string | null {
  if (to === 'reference') return null;
  if (from !== to) return `${name} leads from a ${from} table to a ${to} one`;
  if (from === 'local') return null;
  const place = columns.indexOf('shop_id');
  return place >= 0 && targetColumns[place] === 'shop_id' ? null : `${name} leaves its shop`;
}

describe('the placement of tables on Citus (decision 0130)', () => {
  it('the placement names every table once', async () => {
    await using base = await openTestDatabase();
    const { tables } = await readSchemaFacts(base.db);
    const distributed = tables.flatMap(({ table, hasShop }) =>
      hasShop && !UNDISTRIBUTED.includes(table) ? [table] : [],
    );
    assert.deepEqual(
      ORDER.map(({ table }) => table).toSorted(),
      tables.map(({ table }) => table),
    );
    assert.deepEqual(PLACEMENTS.by_shop.toSorted(), distributed);
  });

  it('the placement and its order meet the restrictions of Citus on unique indexes and foreign keys', async () => {
    await using base = await openTestDatabase();
    const { uniqueIndexes, foreignKeys } = await readSchemaFacts(base.db);
    for (const { table, index, columns } of uniqueIndexes) {
      if (findPlace(table).placement !== 'by_shop' || index in KEYS_BY_SHOP) continue;
      assert.equal(columns[0], 'shop_id', index);
    }
    for (const key of foreignKeys) {
      const [from, to] = [findPlace(key.table), findPlace(key.target)];
      assert.equal(refusalOf(key, from.placement, to.placement), null);
      if (from.placement !== 'local') {
        assert.ok(to.turn < from.turn, `${key.name}: its target comes first`);
      }
    }
  });
});
