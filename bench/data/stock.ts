import { createHash } from 'node:crypto';
import { systemClock } from '../../server/src/base/clock.ts';
import { importCatalog } from '../../server/src/catalog/import-catalog.ts';
import { makeCards } from '../../server/src/demo/cards.ts';
import type { Database } from '../../server/src/database/database.ts';
import { statement } from '../../server/src/database/statement.ts';
import { readHead } from '../../server/src/inventory/feed.ts';
import { putLocation } from '../../server/src/inventory/location.ts';
import { putSite } from '../../server/src/inventory/site.ts';
import { UNIT_COLUMNS } from '../../server/src/inventory/unit-row.ts';
import { putUnits, UNIT_BATCH_MAX, type UnitChange } from '../../server/src/inventory/unit.ts';
import { recountStock } from '../../server/src/inventory/stock-figures.ts';
import { createShop } from '../../server/src/shops/shop.ts';

/** A benchmark shop with one site and its locations, using the demo's catalog. */
export interface StockedShop {
  readonly id: string;
  readonly currency: string;
  readonly siteId: string;
  readonly locationIds: readonly string[];
}

/** The number of units that the application renders. All other units are copies with new ids. */
const TEMPLATES = UNIT_BATCH_MAX;
const LOCATIONS = 8;
/** The number of units copied per statement. It bounds the size of a transaction. */
const COPIED_AT_ONCE = 100_000;
/** The time at which the stock was written. */
const WRITTEN_AT = new Date('2026-06-01T09:00:00.000Z');

// Writes rows to disk in position order, as consecutive writes do. Ids are as random as those that
// a shop's system generates.
export const copyBenchUnits = statement(
  'bench_copy_units',
  `insert into unit (shop_id, unit_id, photos, catalog_position, seq, doc, ${UNIT_COLUMNS.names()})
  select t.shop_id, n.unit_id, t.photos, t.catalog_position, n.seq,
    replace(t.doc, t.unit_id::text, n.unit_id::text), ${UNIT_COLUMNS.names('t')}
  from (
    select seq, md5($1::text || ' ' || seq)::uuid as unit_id
    from generate_series($2::bigint, $3::bigint) seq
  ) n join unit t on t.shop_id = $1::uuid and t.seq = $4::bigint + n.seq % $5::bigint
  order by n.seq`,
);

export const selectBenchIndexes = statement<{ readonly name: string; readonly text: string }>(
  'bench_indexes',
  `select indexname as name, indexdef as text from pg_indexes
  where tablename = 'unit' and indexname not in ('unit_pkey', 'unit_feed')`,
);

// Skips a million foreign key checks, because the copies refer to the same rows as their templates.
export const skipForeignKeyChecks = statement(
  'bench_skip_foreign_key_checks',
  `select set_config('session_replication_role', 'replica', true),
    set_config('synchronous_commit', 'off', true), set_config('statement_timeout', '0', true)`,
);

export const moveBenchHead = statement(
  'bench_move_head',
  `update feed_head set seq = $2 where shop_id = $1`,
);

// Gives a share of the units new positions that do not follow the heap order, as a day of sales and
// price changes does.
export const churnBenchUnits = statement(
  'bench_churn_units',
  `update unit set seq = $2::bigint + c.n, price_minor = price_minor + 1
  from (
    select unit_id, row_number() over (order by md5(unit_id::text)) as n
    from unit where shop_id = $1 and mod(hashtext(unit_id::text), $3::int) = 0
  ) c
  where unit.shop_id = $1 and unit.unit_id = c.unit_id`,
);

/** Loads the demo's catalog into the database. Existing entries are not changed. */
async function fillCatalog(db: Database): Promise<void> {
  const cards = makeCards();
  async function* lines(): AsyncGenerator<{ kind: 'value'; number: number; value: unknown }> {
    for (const [at, { of }] of cards.entries()) yield { kind: 'value', number: at + 1, value: of };
  }
  const { accepted, rejected } = await importCatalog(db, lines(), { clock: systemClock });
  if (accepted !== cards.length) throw new Error(JSON.stringify(rejected));
}

/** The input of `fillShops` for one shop. A shop gets at least `TEMPLATES` units. */
export interface ShopSpec {
  readonly slug: string;
  readonly units: number;
}

/** Creates shops, each with one site, its locations and the given number of units. */
export async function fillShops(
  db: Database,
  specs: readonly ShopSpec[],
): Promise<StockedShop[]> {
  await fillCatalog(db);
  const started: StartedShop[] = [];
  for (const spec of specs) started.push(await createTemplates(db, spec));
  await withoutIndexes(db, async () => {
    for (const each of started) await copyUnits(db, each);
  });
  return started.map(({ shop }) => shop);
}

/** A shop whose template units have not been copied yet. */
interface StartedShop {
  readonly shop: StockedShop;
  /** Positions of the first template and of the last unit to create. */
  readonly first: number;
  readonly last: number;
  readonly templates: number;
}

async function createTemplates(db: Database, { slug, units }: ShopSpec): Promise<StartedShop> {
  const shop = await makePlace(db, slug);
  const before = (await readHead(db, shop.id)).seq;
  const changes = makeChanges(shop, slug, Math.min(units, TEMPLATES));
  const results = await db.transaction(async (tx) => await putUnits(tx, shop, changes, WRITTEN_AT));
  const bad = results.find(({ kind }) => kind !== 'created');
  if (bad !== undefined) throw new Error(JSON.stringify(bad));
  return { shop, first: before + 1, last: before + units, templates: changes.length };
}

async function copyUnits(db: Database, { shop, first, last, templates }: StartedShop): Promise<void> {
  for (let from = first + templates; from <= last; from += COPIED_AT_ONCE) {
    const to = Math.min(last, from + COPIED_AT_ONCE - 1);
    await db.transaction(async (tx) => {
      await tx.query(skipForeignKeyChecks);
      await tx.query(copyBenchUnits, [shop.id, from, to, first, templates]);
    });
  }
  await db.query(moveBenchHead, [shop.id, last]);
  await db.transaction(async (tx) => await recountStock(tx, shop.id));
}

/**
 * Drops all unit indexes except the feed's, runs `work` and creates the indexes again. In total,
 * this takes a third of the time that `work` would take with the indexes in place.
 */
export async function withoutIndexes(db: Database, work: () => Promise<void>): Promise<void> {
  const made = await db.query(selectBenchIndexes);
  await db.runScript(made.map(({ name }) => `drop index ${name}`).join(';'));
  await db.runScript('alter table unit drop constraint unit_pkey');
  await work();
  const primaryKey = 'alter table unit add primary key (shop_id, unit_id)';
  // One script per index, because a connection is cut 40 s after a script without a response.
  for (const create of [primaryKey, ...made.map(({ text }) => text)]) {
    await db.runScript(`set maintenance_work_mem = '256MB'; set statement_timeout = 0;
      ${create}; reset maintenance_work_mem; reset statement_timeout`);
  }
}

/**
 * Gives one unit in `share` a new position, in an order that is random on disk. Returns the shop's
 * new head.
 */
export async function churnUnits(db: Database, shop: StockedShop, head: number, share: number): Promise<number> {
  return await db.transaction(async (tx) => {
    await tx.query(skipForeignKeyChecks);
    const moved = await tx.count(churnBenchUnits, [shop.id, head, share]);
    await tx.query(moveBenchHead, [shop.id, head + moved]);
    return head + moved;
  });
}

async function makePlace(db: Database, slug: string): Promise<StockedShop> {
  const siteId = uuidFrom(`${slug} site`);
  const locationIds = Array.from({ length: LOCATIONS }, (_, n) => uuidFrom(`${slug} location ${n}`));
  return await db.transaction(async (tx) => {
    const made = await createShop(tx, { name: `店 ${slug}`, slug, currency: 'JPY' }, WRITTEN_AT);
    if (made.kind !== 'created') throw new Error(made.kind);
    const { id, currency } = made.shop;
    const site = { code: 'main', name: '本店', kind: 'store' as const };
    await putSite(tx, id, siteId, { ...site, countryCode: 'JP', timezone: 'Asia/Tokyo' }, WRITTEN_AT);
    for (const [n, locationId] of locationIds.entries()) {
      const shelf = { siteId, code: `A-${n}`, name: `ショーケース ${n}`, kind: 'shelf' as const };
      await putLocation(tx, id, locationId, shelf, WRITTEN_AT);
    }
    return { id, currency, siteId, locationIds };
  });
}

/** Returns `count` units as the shop's system would write them. The result is deterministic. */
export function makeChanges(shop: StockedShop, salt: string, count: number): UnitChange[] {
  const cards = makeCards();
  return Array.from({ length: count }, (_, n) => {
    const card = cards[n % cards.length];
    if (card === undefined) throw new Error('the demo has no card');
    return {
      id: uuidFrom(`${salt} unit ${n}`),
      siteId: shop.siteId,
      locationId: shop.locationIds[n % shop.locationIds.length] ?? null,
      item: { kind: 'card' as const, cardId: card.of.id },
      serialNumber: n % 10 === 0 ? `${n}/500` : null,
      priceMinor: 100 + n * 10,
      costMinor: 50 + n * 5,
      acquiredAt: WRITTEN_AT,
    };
  });
}

/** Returns a version 4 UUID derived from a text. */
export function uuidFrom(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex');
  const parts = [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`];
  return `${parts.join('-')}-${hex.slice(20, 32)}`;
}
