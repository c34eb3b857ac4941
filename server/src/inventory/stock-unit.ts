import { pick } from '../base/object-fields.ts';
import type { Queryable } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import type { Actor } from '../shops/audit.ts';
import type { FeedPosition } from './cursor.ts';
import { type StockUnit, toStockUnit } from './stock-list.ts';
import { LISTED_COLUMNS, type ListRow } from './stock-list-sql.ts';
import { OWN_UNIT_COLUMNS, type OwnValues } from './unit-row.ts';
import type { UnitStatus } from './unit-status.ts';

/** The maximum number of status changes on a unit's page, which shows the newest. */
const HISTORY_MAX = 200;

/** `id` is that of an account, an app or a Shop API key; null for the operator and the service. */
export interface ChangedBy {
  readonly kind: Actor['kind'];
  readonly id: string | null;
  /** The actor's name; null for kinds without names and for removed keys and apps. */
  readonly name: string | null;
}

/** A status change. `number` is the feed position that the unit got with the change. */
export interface UnitStatusChange {
  readonly number: number;
  readonly changedAt: Date;
  readonly from: UnitStatus;
  readonly to: UnitStatus;
  readonly by: ChangedBy;
}

export interface StockUnitDetails extends StockUnit, OwnValues {
  /** The first recorded status of the unit, even if it is older than `history`. */
  readonly firstStatus: UnitStatus;
  /** At most the 200 newest status changes, newest first. */
  readonly history: readonly UnitStatusChange[];
  /** The head of the shop's feed, read together with the unit. */
  readonly head: FeedPosition;
}

interface DetailsRow extends ListRow, OwnValues {
  readonly firstStatus: UnitStatus;
  readonly headEpoch: number;
  readonly headSeq: number;
}

interface HistoryRow extends Omit<UnitStatusChange, 'by'> {
  readonly actorKind: ChangedBy['kind'];
  readonly actorId: string | null;
  readonly actorName: string | null;
}

export const selectStockUnit = statement<DetailsRow>(
  'select_stock_unit',
  `select 0 as "cutSeq", u.unit_id as id, u.doc, ${LISTED_COLUMNS.select('u')},
    ${OWN_UNIT_COLUMNS.select('u')},
    s.code as "siteCode", s.name as "siteName", l.code as "locationCode", l.name as "locationName",
    h.epoch as "headEpoch", h.seq as "headSeq",
    coalesce((
      select c.from_status from unit_status_change c
      where c.shop_id = $1 and c.unit_id = $2 order by c.number limit 1
    ), u.status) as "firstStatus"
  from unit u
    join feed_head h on h.shop_id = u.shop_id
    join site s on s.shop_id = u.shop_id and s.site_id = u.site_id
    left join location l on l.shop_id = u.shop_id and l.location_id = u.location_id
  where u.shop_id = $1 and u.unit_id = $2`,
);

export const selectUnitHistory = statement<HistoryRow>(
  'select_unit_history',
  `select c.number, c.changed_at as "changedAt", c.from_status as "from", c.to_status as "to",
    c.actor_kind as "actorKind", c.actor_id as "actorId",
    case c.actor_kind
      when 'member' then (select a.name from account a where a.account_id = c.actor_id::uuid)
      when 'shop_key' then (
        select k.name from shop_key k where k.shop_id = $1 and k.key_id = c.actor_id::uuid)
      when 'app' then (
        select p.name from app p where p.shop_id = $1 and p.client_id = c.actor_id)
    end as "actorName"
  from unit_status_change c
  where c.shop_id = $1 and c.unit_id = $2 order by c.number desc limit $3`,
);

export async function findStockUnit(
  db: Queryable,
  shopId: string,
  unitId: string,
  historyMax: number = HISTORY_MAX,
): Promise<StockUnitDetails | undefined> {
  const [row, history] = await Promise.all([
    db.one(selectStockUnit, [shopId, unitId]),
    db.query(selectUnitHistory, [shopId, unitId, historyMax]),
  ]);
  if (row === undefined) return undefined;
  const { headEpoch, headSeq, firstStatus, ...listed } = row;
  return {
    ...toStockUnit(listed),
    ...pick(listed, OWN_UNIT_COLUMNS.members),
    firstStatus,
    history: history.map(({ actorKind, actorId, actorName, ...change }) => {
      return { ...change, by: { kind: actorKind, id: actorId, name: actorName } };
    }),
    head: { epoch: headEpoch, seq: headSeq },
  };
}
