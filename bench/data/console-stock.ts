import type { Grade } from '../../server/src/catalog/grade.ts';
import { putShopGrade } from '../../server/src/catalog/shop-grade.ts';
import type { Database } from '../../server/src/database/database.ts';
import { statement } from '../../server/src/database/statement.ts';
import { putSite } from '../../server/src/inventory/site.ts';
import { recountStock } from '../../server/src/inventory/stock-figures.ts';
import {
  fillShops,
  uuidFrom,
  moveBenchHead,
  type StockedShop,
  skipForeignKeyChecks,
  withoutIndexes,
} from './stock.ts';

/** A shop of the largest supported size. Its data is skewed, which makes query planning hard. */
export interface ConsoleStock extends StockedShop {
  /** The shop's sites, with a third of the units each. The first is the shop's default site. */
  readonly siteIds: readonly string[];
  /** One unit in 10 is at this location. */
  readonly fullLocationId: string;
  /** One unit in 20 is a copy of this card. */
  readonly fullCardId: string;
  readonly unitIds: readonly string[];
  /** The shop's grades: an eighth of the units have the first grade, a few have the second. */
  readonly gradeIds: readonly string[];
}

const TEMPLATES = 500;
const COPIED_AT_ONCE = 100_000;
/** One unit in this many is being graded: 5 of a million. */
const GRADING_EVERY = 200_000;
/** One unit in this many has a certificate. */
const CERTIFIED_EVERY = 4;
const MADE_AT = new Date('2026-06-01T09:00:00.000Z');

// A twentieth of the copies are made from the first template, so its card is the most common. The
// rendered record of each copy matches its columns.
export const copyConsoleUnits = statement(
  'bench_copy_console_units',
  `insert into unit (shop_id, unit_id, status, site_id, location_id, card_id, grade_id, product_id,
    cert_number, serial_number, ownership, price_minor, cost_minor, currency, photos, acquired_at,
    status_changed_at, created_at, updated_at, catalog_position, seq, doc)
  select t.shop_id, n.unit_id, n.status, n.site_id, n.location_id, t.card_id, ($10::uuid[])[n.grade],
    t.product_id, n.cert_number, t.serial_number, t.ownership, t.price_minor, t.cost_minor,
    t.currency, t.photos, t.acquired_at, t.status_changed_at, t.created_at, t.updated_at,
    t.catalog_position, n.seq,
    replace(replace(replace(replace(replace(t.doc, t.unit_id::text, n.unit_id::text),
      '"grade":null', '"grade":' || coalesce(($11::text[])[n.grade], 'null')),
      '"status":"in_stock"', '"status":"' || n.status || '"'),
      '"siteId":"' || t.site_id, '"siteId":"' || n.site_id),
      '"locationId":"' || t.location_id || '"',
      '"locationId":' || coalesce('"' || n.location_id || '"', 'null'))
  from (
    select seq, md5($1::text || ' ' || seq)::uuid as unit_id,
      case when seq % 20 = 9 then $4::bigint else $4::bigint + 1 + seq % ($5::bigint - 1) end as template,
      case when seq % $9::bigint = 7 then 'grading' when seq % 100 = 3 then 'reserved'
        when seq % 5 = 1 then 'sold' else 'in_stock' end as status,
      case when seq % 10 = 0 then ($6::uuid[])[1] else ($6::uuid[])[1 + seq % 3] end as site_id,
      case when seq % 10 = 0 then $7::uuid end as location_id,
      case when seq % $8::bigint = 0 then 'KGS ' || seq end as cert_number,
      case when seq % $9::bigint = 11 then 2 when seq % 8 = 5 then 1 end as grade
    from generate_series($2::bigint, $3::bigint) seq
  ) n join unit t on t.shop_id = $1::uuid and t.seq = n.template
  order by n.seq`,
);

export const selectConsoleUnits = statement<{ readonly id: string; readonly cardId: string }>(
  'bench_console_units',
  `select unit_id as id, card_id as "cardId" from unit
  where shop_id = $1 and seq >= $2 order by seq limit 20`,
);

/**
 * Creates a shop with this many units: three sites, common and rare statuses, one crowded location,
 * and one very common card.
 */
export async function fillConsoleStock(db: Database, units: number): Promise<ConsoleStock> {
  const [shop] = await fillShops(db, [{ slug: 'console', units: TEMPLATES }]);
  if (shop === undefined) throw new Error('no shop');
  const grades = await makeGrades(db, shop);
  const siteIds = [shop.siteId, ...(await makeSites(db, shop))];
  const fullLocationId = shop.locationIds[0] ?? '';
  const first = await firstPosition(db, shop);
  const last = first + units - 1;
  await withoutIndexes(db, async () => {
    for (let from = first + TEMPLATES + 10; from <= last; from += COPIED_AT_ONCE) {
      const to = Math.min(last, from + COPIED_AT_ONCE - 1);
      await db.transaction(async (tx) => {
        await tx.query(skipForeignKeyChecks);
        await tx.query(copyConsoleUnits, [
          shop.id,
          from,
          to,
          first,
          TEMPLATES,
          siteIds,
          fullLocationId,
          CERTIFIED_EVERY,
          GRADING_EVERY,
          grades.map(({ id }) => id),
          grades.map((grade) => JSON.stringify(grade)),
        ]);
      });
    }
  });
  await db.transaction(async (tx) => {
    await tx.query(moveBenchHead, [shop.id, last]);
    await tx.query(skipForeignKeyChecks);
    await recountStock(tx, shop.id);
  });
  const some = await db.query(selectConsoleUnits, [shop.id, first]);
  return {
    ...shop,
    siteIds,
    fullLocationId,
    fullCardId: some[0]?.cardId ?? '',
    unitIds: some.map(({ id }) => id),
    gradeIds: grades.map(({ id }) => id),
  };
}

async function makeGrades(db: Database, shop: StockedShop): Promise<Grade[]> {
  return await db.transaction(async (tx) => {
    const grades: Grade[] = [];
    for (const code of ['A', 'S']) {
      const names = { code, label: `状態${code}`, serviceCode: 'own', serviceName: '自店' };
      const made = await putShopGrade(tx, shop.id, uuidFrom(`${shop.id} grade ${code}`), names, MADE_AT);
      if (!('grade' in made)) throw new Error(made.kind);
      grades.push(made.grade);
    }
    return grades;
  });
}

async function makeSites(db: Database, shop: StockedShop): Promise<string[]> {
  const ids = ['north', 'depot'].map((code) => uuidFrom(`${shop.id} ${code}`));
  await db.transaction(async (tx) => {
    for (const [n, id] of ids.entries()) {
      const site = { code: `s${n}`, name: `支店 ${n}`, kind: 'store' as const };
      await putSite(tx, shop.id, id, { ...site, countryCode: 'JP', timezone: 'Asia/Tokyo' }, MADE_AT);
    }
  });
  return ids;
}

async function firstPosition(db: Database, { id }: StockedShop): Promise<number> {
  return (await db.one(selectFirstPosition, [id]))?.first ?? 1;
}

export const selectFirstPosition = statement<{ readonly first: number }>(
  'bench_first_position',
  `select min(seq) as first from unit where shop_id = $1`,
);
