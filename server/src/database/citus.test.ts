import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { type ForeignKey, readSchemaFacts } from '../../test/schema-facts.ts';
import { openTestDatabase } from '../../test/test-database.ts';
import { statement } from './statement.ts';

const plan = readFileSync(new URL('../../../docs/citus.sql', import.meta.url), 'utf8');

type Placement = 'reference' | 'distributed' | 'local';

/** What `docs/citus.sql` calls, in place of Citus: each call notes its table in the order in which it was placed. */
const STAND_INS = `
  create schema spread;
  create table spread.placed (
    place serial, name text primary key, kind text not null, colocated_with text);
  create function create_reference_table(given regclass) returns void language sql as
    $$ insert into spread.placed (name, kind) values (given::text, 'reference') $$;
  create function create_distributed_table(given regclass, by text, colocate_with text)
    returns void language plpgsql as $$
  begin
    if by <> 'shop_id' then raise exception '% is distributed by %', given, by; end if;
    if colocate_with <> 'none' and not exists (
      select from spread.placed p where p.name = colocate_with and p.kind = 'distributed'
    ) then raise exception '% is colocated with %', given, colocate_with; end if;
    insert into spread.placed (name, kind, colocated_with)
      values (given::text, 'distributed', colocate_with);
  end $$;
`;

const findPlaced = statement<{ name: string; kind: Placement; colocatedWith: string | null }>(
  'test_placed',
  `select name, kind, colocated_with as "colocatedWith" from spread.placed order by place`,
);

/** Shops' tables that are not distributed: the list of the shops, and a queue over all of them. */
const UNDISTRIBUTED: readonly string[] = ['shop', 'stale_photo'];

/** Why Citus refuses a foreign key between tables that are placed so; null when it takes it. */
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

describe('docs/citus.sql', () => {
  it('distributes every table once, as keys, unique indexes and foreign keys allow (decision 0130)', async () => {
    await using base = await openTestDatabase();
    const { db } = base;
    const facts = await readSchemaFacts(db);
    await db.runScript(STAND_INS);
    await db.runScript(plan);
    const placed = await db.query(findPlaced);
    const local = [...plan.matchAll(/^-- local: (.+)$/gm)].map(([, name]) => name ?? '');
    const named = [...placed.map(({ name }) => name), ...local];
    assert.deepEqual(
      named.toSorted(),
      facts.tables.map(({ table }) => table),
    );
    const places = new Map<string, { kind: Placement; turn: number }>([
      ...placed.map(({ name, kind }, turn) => [name, { kind, turn }] as const),
      ...local.map((name) => [name, { kind: 'local', turn: Infinity }] as const),
    ]);
    const placeOf = (table: string): { kind: Placement; turn: number } => {
      const place = places.get(table);
      assert.ok(place, table);
      return place;
    };
    for (const { table, hasShop } of facts.tables) {
      const isDistributed = hasShop && !UNDISTRIBUTED.includes(table);
      assert.equal(placeOf(table).kind === 'distributed', isDistributed, table);
    }
    for (const { table, index, columns } of facts.uniqueIndexes) {
      if (placeOf(table).kind === 'distributed') assert.equal(columns[0], 'shop_id', index);
    }
    for (const key of facts.foreignKeys) {
      const [from, to] = [placeOf(key.table), placeOf(key.target)];
      assert.equal(refusalOf(key, from.kind, to.kind), null);
      if (from.kind !== 'local') {
        assert.ok(to.turn < from.turn, `${key.name}: its target comes first`);
      }
    }
    const groups = placed.filter(({ kind }) => kind === 'distributed');
    assert.deepEqual(
      groups.map(({ colocatedWith }) => colocatedWith),
      groups.map((_, at) => (at === 0 ? 'none' : groups[0]?.name)),
    );
  });
});
