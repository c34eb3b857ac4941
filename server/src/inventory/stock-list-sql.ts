import { Columns, columnsOf, type StoredValues } from '../database/columns.ts';
import { statement } from '../database/statement.ts';
import { SHARED_UNIT_FIELDS } from './unit-fields.ts';
import { UNIT_INSTANTS, type UnitRow } from './unit-row.ts';

type ListedColumns = StoredValues<typeof SHARED_UNIT_FIELDS> &
  Pick<UnitRow, 'seq' | keyof typeof UNIT_INSTANTS>;

/**
 * A row of a list. `cutSeq` is the position at which the scan stopped early, or 0 if it reached the
 * end. For an empty page, the query returns one row whose other columns are null.
 */
export interface ListRow extends ListedColumns {
  readonly cutSeq: number;
  readonly id: string | null;
  readonly doc: string;
  readonly siteCode: string;
  readonly siteName: string;
  readonly locationCode: string | null;
  readonly locationName: string | null;
}

export const LISTED_COLUMNS = new Columns<ListedColumns>({
  ...columnsOf(SHARED_UNIT_FIELDS),
  ...UNIT_INSTANTS,
  seq: 'seq bigint',
});

// A list merges a few backward scans of an index by position ("arms"), newest first (decision
// 0184). Each arm stops after its share of the rows that a page may read. The page ends where the
// first arm stopped, and the next page continues there. Each lateral subquery has a limit; without
// one, the planner, which does not know the parameter values, may choose to read whole tables. All
// lists share ten parameters: $1 shop, $2 the position before which to start, $3 rows to read, $4
// minimum per arm, $5 rows to show, then the filters, which are null if absent: $6 statuses, $7
// site, $8 location, $9 grade, $10 items.
const SCAN_END = `and u.seq < $2::bigint order by u.seq desc limit (select share.rows from share)`;

function shownSql(condition = ''): string {
  return `, cut as materialized (
    select coalesce(max(ended.seq), 0) as seq from (
      select min(walked.seq) as seq from walked
      group by walked.n having count(*) >= (select share.rows from share)
    ) ended
  )
  select cut.seq as "cutSeq", shown.*
  from cut left join lateral (
    select unit.*, site.*, place.*
    from (
      select distinct walked.seq from walked where walked.seq >= cut.seq order by walked.seq desc
    ) found
    cross join lateral (
      select u.unit_id as id, u.doc, ${LISTED_COLUMNS.select('u')}
      from unit u where u.shop_id = $1 and u.seq = found.seq
        and ($6::text[] is null or u.status = any($6))
        and ($7::uuid is null or u.site_id = $7)
        and ($8::uuid is null or u.location_id = $8)
        and ($9::uuid is null or u.grade_id = $9)
        and ($10::uuid[] is null or coalesce(u.card_id, u.product_id) = any($10))
        ${condition}
      limit 1
    ) unit
    cross join lateral (
      select s.code as "siteCode", s.name as "siteName"
      from site s where s.shop_id = $1 and s.site_id = unit."siteId" limit 1
    ) site
    left join lateral (
      select l.code as "locationCode", l.name as "locationName"
      from location l where l.shop_id = $1 and l.location_id = unit."locationId" limit 1
    ) place on true
    order by found.seq desc limit $5
  ) shown on true
  order by shown.seq desc`;
}

const SHARE = `share as materialized (
    select greatest($4::bigint, $3::bigint / greatest(count(*), 1)) as rows from arm
  )`;

/** Scans once per arm. `where` selects its index entries (`u`); `condition` restricts the units. */
function scanSql(arms: string, where: string, condition?: string): string {
  return `with arm as materialized (
    ${arms}
  ), ${SHARE}, walked as materialized (
    select arm.n, walk.seq from arm cross join lateral (
      select u.seq from unit u where u.shop_id = $1 and ${where} ${SCAN_END}
    ) walk
  )${shownSql(condition)}`;
}

export const selectWholeStock = statement<ListRow>(
  'select_whole_stock',
  scanSql(`select 1 as n`, `true`),
);

/** Uses index `unit_place`. A shop has few sites, and an arm without units costs one look-up. */
export const selectStockOfPlaces = statement<ListRow>(
  'select_stock_of_places',
  scanSql(
    `select row_number() over () as n, s.site_id, status
    from site s cross join unnest($6::text[]) as given (status)
    where s.shop_id = $1 and ($7::uuid is null or s.site_id = $7)`,
    `u.site_id = arm.site_id and u.status = arm.status`,
  ),
);

/** Uses index `unit_location`. */
export const selectStockOfLocation = statement<ListRow>(
  'select_stock_of_location',
  scanSql(
    `select row_number() over () as n, status from unnest($6::text[]) as given (status)`,
    `u.location_id = $8 and u.status = arm.status`,
  ),
);

/** Uses index `unit_of_grade`. */
export const selectStockOfGrade = statement<ListRow>(
  'select_stock_of_grade',
  scanSql(
    `select row_number() over () as n, status from unnest($6::text[]) as given (status)`,
    `u.grade_id = $9 and u.status = arm.status`,
  ),
);

/** Uses index `unit_item`. Leaves out the units that `selectExactStock` finds. */
export const selectStockOfItems = statement<ListRow>(
  'select_stock_of_items',
  scanSql(
    `select row_number() over () as n, item_id, status
    from unnest($10::uuid[]) as item (item_id) cross join unnest($6::text[]) as given (status)`,
    `coalesce(u.card_id, u.product_id) = arm.item_id and u.status = arm.status`,
    `and (u.cert_number = any($11::text[])) is not true
        and (u.serial_number = any($11)) is not true and u.unit_id is distinct from $12::uuid`,
  ),
);

/** Uses `unit_cert` and `unit_serial` for the numbers $11, and the primary key for the id $12. */
export const selectExactStock = statement<ListRow>(
  'select_exact_stock',
  `with arm as materialized (
    select row_number() over () as n, number from unnest($11::text[]) as given (number)
  ), ${SHARE}, walked as materialized (
    select arm.n, walk.seq from arm cross join lateral (
      select u.seq from unit u
      where u.shop_id = $1 and u.cert_number = arm.number ${SCAN_END}
    ) walk
    union all
    select -arm.n, walk.seq from arm cross join lateral (
      select u.seq from unit u
      where u.shop_id = $1 and u.serial_number = arm.number ${SCAN_END}
    ) walk
    union all
    (select 0, u.seq from unit u
      where u.shop_id = $1 and u.unit_id = $12::uuid and u.seq < $2::bigint)
  )${shownSql()}`,
);
