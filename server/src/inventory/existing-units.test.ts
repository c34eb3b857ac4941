import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { IS_ON_CITUS } from '../../test/citus-nodes.ts';
import { useTestDatabase } from '../../test/shared.ts';
import { seedStock, STOCK_MADE_AT } from '../../test/stock.ts';
import type { Database, Transaction } from '../database/database.ts';
import { newId } from '../base/secrets.ts';
import type { Statement } from '../database/statement.ts';
import { changeExistingUnits, receiveUnits } from './existing-units.ts';
import { setUnitStatus } from './status-change.ts';
import type { UnitChange } from './unit.ts';

const LATER = new Date(STOCK_MADE_AT.getTime() + 60_000);

/** Returns the names of the statements that `work` runs in its transaction, in order. */
async function statementsOf(
  db: Database,
  work: (tx: Transaction) => Promise<unknown>,
): Promise<string[]> {
  const names: string[] = [];
  await db.transaction(async (tx) => {
    const note = (name: string) => {
      const send: unknown = Reflect.get(tx, name);
      assert.ok(typeof send === 'function');
      return (statement: Statement<object>, ...more: readonly unknown[]): unknown => {
        names.push(statement.name);
        return Reflect.apply(send, tx, [statement, ...more]);
      };
    };
    const sending = ['query', 'one', 'count', 'queryPipelined', 'queryWithCommit'];
    await work(
      new Proxy(tx, {
        get: (target, name): unknown => {
          if (sending.includes(String(name))) return note(String(name));
          const member: unknown = Reflect.get(target, name);
          return typeof member === 'function' ? member.bind(target) : member;
        },
      }),
    );
  });
  return names;
}

describe('changes of existing units', () => {
  const base = useTestDatabase();

  it('changes of existing units lock the catalog and the units only once per transaction', async () => {
    const { db } = base;
    const stock = await seedStock(db);
    const newUnit = (): UnitChange => ({
      id: newId(),
      siteId: stock.siteId,
      item: { kind: 'card', cardId: stock.cardId },
    });
    const [unit, other] = [newUnit(), newUnit()];
    const REFERENCES = ['select_site_ids', 'select_cards', 'select_catalog_position'];
    const READS = ['share_catalog_lock', 'lock_unit_rows', ...REFERENCES];
    // On Citus each table is written by a separate statement (upsert-on-citus.ts).
    const COUNTS = ['add_to_stock_counts', 'add_to_stock_movement'];
    const created = ['advance_head_by', 'insert_units_of_shop', ...COUNTS];
    const changed = ['advance_head_by', 'update_units_of_shop', ...COUNTS, 'insert_status_changes'];
    const expect = (onCitus: readonly string[]): readonly string[] => [
      ...READS,
      ...(IS_ON_CITUS ? onCitus : ['stamp_moved_units']),
    ];
    const received = await statementsOf(db, async (tx) => {
      const { kind } = await receiveUnits(tx, stock.shop, [unit, other], STOCK_MADE_AT);
      assert.equal(kind, 'received');
    });
    assert.deepEqual(received, expect(created));
    const change = { change: { id: unit.id, status: 'sold' as const } };
    const sold = await statementsOf(db, async (tx) => {
      const [result] = await changeExistingUnits(tx, stock.shop, [change], LATER);
      assert.equal(result?.kind, 'updated');
    });
    assert.deepEqual(sold, expect(changed));
    const soldByTill = await statementsOf(db, async (tx) => {
      const result = await setUnitStatus(tx, stock.shop, other.id, 'sold', LATER);
      assert.equal(result.kind, 'updated');
    });
    assert.deepEqual(soldByTill, expect(changed));
  });
});
