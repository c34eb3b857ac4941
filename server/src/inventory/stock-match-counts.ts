import type { Queryable } from '../database/database.ts';
import { statement, type Statement } from '../database/statement.ts';
import { itemIdsOf, spellingsOf, type StockFilter, parseUnitId } from './stock-list.ts';
import { UNIT_STATUSES, type UnitStatus } from './unit-status.ts';

/** The units that are read for each status. Counting all 8 statuses takes about 10 ms. */
const COUNTED_MAX = 1_000;

export interface MatchCount {
  readonly status: UnitStatus;
  readonly units: number;
  /** True if only the `COUNTED_MAX` most recently changed units were read. */
  readonly isPartial: boolean;
}

// All statements share the parameters: $1 shop, $2 statuses, $3 limit, then the filters, which are
// null if absent: $4 site, $5 location, $6 grade, $7 items. Each scan has a limit, because the
// planner does not know the values. `order by` makes the planner use the index that ends with the
// position.
const COLUMNS = 'u.seq, u.site_id, u.location_id, u.grade_id';
const NEWEST = 'order by u.seq desc limit $3::bigint + 1';

function countSql(found: string): string {
  return `select given.status, count(*) > $3::bigint as "isPartial", least(
      $3::bigint,
      count(*) filter (where ($4::uuid is null or found.site_id = $4)
        and ($5::uuid is null or found.location_id = $5)
        and ($6::uuid is null or found.grade_id = $6))
    )::int as units
  from unnest($2::text[]) as given (status) cross join lateral (${found}) found
  group by given.status`;
}

/** Uses index `unit_item`, and for the numbers $8 and the id $9 those of `selectExactStock`. */
export const countStockOfItems = statement<MatchCount>(
  'count_stock_of_items',
  `with exact as materialized (
    (select ${COLUMNS}, u.status, coalesce(u.card_id, u.product_id) as item_id
    from unnest($8::text[]) as given (number) cross join lateral (
      select * from unit u where u.shop_id = $1 and u.cert_number = given.number ${NEWEST}
    ) u)
    union
    (select ${COLUMNS}, u.status, coalesce(u.card_id, u.product_id)
    from unnest($8::text[]) as given (number) cross join lateral (
      select * from unit u where u.shop_id = $1 and u.serial_number = given.number ${NEWEST}
    ) u)
    union
    (select ${COLUMNS}, u.status, coalesce(u.card_id, u.product_id)
    from unit u where u.shop_id = $1 and u.unit_id = $9::uuid)
  )
  ${countSql(`
    (select u.* from unnest($7::uuid[]) as item (item_id) cross join lateral (
      select ${COLUMNS} from unit u
      where u.shop_id = $1 and coalesce(u.card_id, u.product_id) = item.item_id
        and u.status = given.status ${NEWEST}
    ) u limit $3::bigint + 1)
    union all
    (select ${COLUMNS} from exact u
    where u.status = given.status and (u.item_id = any($7::uuid[])) is not true)`)}`,
);

/** Uses index `unit_location`. */
export const countStockOfLocation = statement<MatchCount>(
  'count_stock_of_location',
  countSql(`select ${COLUMNS} from unit u where u.shop_id = $1
    and u.location_id = $5::uuid and u.status = given.status ${NEWEST}`),
);

/** Uses index `unit_of_grade`. */
export const countStockOfGrade = statement<MatchCount>(
  'count_stock_of_grade',
  countSql(`select ${COLUMNS} from unit u where u.shop_id = $1
    and u.grade_id = $6::uuid and u.status = given.status ${NEWEST}`),
);

/**
 * Counts by status, so it ignores the statuses of the filter. Returns null if the filter is empty
 * or contains only a site, because `readStockCounts` has those counts.
 */
export async function countMatchingStock(
  db: Queryable,
  shopId: string,
  filter: StockFilter,
  countedMax: number = COUNTED_MAX,
): Promise<readonly MatchCount[] | null> {
  const { siteId = null, locationId = null, gradeId = null, exact } = filter;
  const items = itemIdsOf(filter);
  const count = async (
    counting: Statement<MatchCount>,
    ...more: readonly unknown[]
  ): Promise<readonly MatchCount[]> =>
    await db.query(counting, [
      shopId,
      UNIT_STATUSES,
      countedMax,
      siteId,
      locationId,
      gradeId,
      ...more,
    ]);
  if (items !== null || exact !== undefined) {
    return await count(
      countStockOfItems,
      items ?? [],
      spellingsOf(exact ?? null),
      parseUnitId(exact ?? ''),
    );
  }
  if (locationId !== null) return await count(countStockOfLocation);
  return gradeId === null ? null : await count(countStockOfGrade);
}
