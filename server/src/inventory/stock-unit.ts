import type { Queryable } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import type { FeedPosition } from './cursor.ts';
import { type StockUnit, toUnit } from './stock-list.ts';
import type { ListRow } from './stock-list-sql.ts';
import type { UnitStatus } from './unit-status.ts';

/** Changes of status that a unit's page shows at most, the newest. */
const HISTORY_MAX = 200;

/** Whoever changed a status: ids of accounts, apps and Shop API keys; null for the operator and the service. */
export interface ChangedBy {
  readonly kind: 'member' | 'app' | 'shop_key' | 'operator' | 'service';
  readonly id: string | null;
}

/** One change of a unit's status. `number` is the position in the feed that it got by it. */
export interface UnitStatusChange {
  readonly number: number;
  readonly changedAt: Date;
  readonly from: UnitStatus;
  readonly to: UnitStatus;
  readonly by: ChangedBy;
}

/** A unit with all that its page shows. */
export interface StockUnitDetails extends StockUnit {
  readonly costMinor: number | null;
  readonly acquiredAt: Date | null;
  readonly createdAt: Date;
  /** The first status that it had. */
  readonly firstStatus: UnitStatus;
  /** The newest first, at most 200. Changes before histories were kept are not known. */
  readonly history: readonly UnitStatusChange[];
  /** Where the shop's feed ends: `seq` lies at or before it. */
  readonly head: FeedPosition;
}

interface DetailsRow extends ListRow {
  readonly costMinor: number | null;
  readonly acquiredAt: Date | null;
  readonly createdAt: Date;
  readonly headEpoch: number;
  readonly headSeq: number;
}

interface HistoryRow extends Omit<UnitStatusChange, 'by'> {
  readonly actorKind: ChangedBy['kind'];
  readonly actorId: string | null;
}

export const selectStockUnit = statement<DetailsRow>(
  'select_stock_unit',
  `select 0 as "cutSeq", u.unit_id as id, u.seq, u.doc, u.status, u.cert_number as "certNumber",
    u.serial_number as "serialNumber", u.ownership, u.price_minor as "priceMinor", u.currency,
    u.cost_minor as "costMinor", u.acquired_at as "acquiredAt", u.created_at as "createdAt",
    u.status_changed_at as "statusChangedAt", u.updated_at as "updatedAt",
    u.site_id as "siteId", s.code as "siteCode", s.name as "siteName",
    u.location_id as "locationId", l.code as "locationCode", l.name as "locationName",
    h.epoch as "headEpoch", h.seq as "headSeq"
  from unit u
    join feed_head h on h.shop_id = u.shop_id
    join site s on s.shop_id = u.shop_id and s.site_id = u.site_id
    left join location l on l.shop_id = u.shop_id and l.location_id = u.location_id
  where u.shop_id = $1 and u.unit_id = $2`,
);

export const selectUnitHistory = statement<HistoryRow>(
  'select_unit_history',
  `select number, changed_at as "changedAt", from_status as "from", to_status as "to",
    actor_kind as "actorKind", actor_id as "actorId"
  from unit_status_change where shop_id = $1 and unit_id = $2 order by number desc limit $3`,
);

/** A unit with its history and its place in the feed; undefined when the shop has none of that id. */
export async function findStockUnit(
  db: Queryable,
  shopId: string,
  unitId: string,
): Promise<StockUnitDetails | undefined> {
  const [row, history] = await Promise.all([
    db.one(selectStockUnit, [shopId, unitId]),
    db.query(selectUnitHistory, [shopId, unitId, HISTORY_MAX]),
  ]);
  if (row === undefined) return undefined;
  const { costMinor, acquiredAt, createdAt, headEpoch, headSeq } = row;
  return {
    ...toUnit(row),
    costMinor,
    acquiredAt,
    createdAt,
    firstStatus: history.at(-1)?.from ?? row.status,
    history: history.map(({ actorKind, actorId, ...change }) => {
      return { ...change, by: { kind: actorKind, id: actorId } };
    }),
    head: { epoch: headEpoch, seq: headSeq },
  };
}
