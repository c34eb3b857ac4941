import type { Engine } from './engine.ts';
import { statement } from './statement.ts';

/**
 * `replaced`: the data is in another database, or in an earlier state of it. `lost`: apps have seen
 * changes that the database does not have. `promoted`: a standby has become the primary.
 */
export type RestoreState = 'none' | 'replaced' | 'lost' | 'promoted';

export interface KnownIdentity {
  readonly state: RestoreState;
  /** When the identity was last recorded or confirmed. */
  readonly decidedAt: Date;
  /** False if this role may not read the system identifier or the timeline. */
  readonly isReadable: boolean;
}

// A copied or restored database differs in the system identifier, the oid or, with the packaged
// PostgreSQL, the folder (`$1`). A promotion begins a new timeline, and so does a point-in-time
// restore; the control file has the timeline only after the next checkpoint.
const PRESENT = `
  select concat_ws('/', read_if_allowed('select system_identifier from pg_control_system()'),
      (select oid from pg_database where datname = current_database()), $1::text) as identity,
    read_if_allowed('select left(pg_walfile_name(pg_current_wal_insert_lsn()), 8)') as timeline`;

// With `$2`, the address of the database may lead to a promoted standby.
const STATE = `
  select case when known.loss_found_at is not null then 'lost'
    when known.identity <> present.identity
      or (known.timeline <> present.timeline and not $2) then 'replaced'
    when known.timeline <> present.timeline then 'promoted' else 'none' end as state,
    known.decided_at as "decidedAt",
    present.timeline is not null and present.identity like '%/%' as "isReadable"
  from database_identity known, (${PRESENT}) present`;

export const selectIdentity = statement<KnownIdentity>('select_identity', STATE);

export const lockIdentity = statement<KnownIdentity>(
  'lock_identity',
  `${STATE} for update of known`,
);

/** If `$3` is true, the service may continue on this database. Otherwise a known identity stays. */
export const recordIdentity = statement(
  'record_identity',
  `insert into database_identity (identity, timeline, decided_at)
  select present.identity, present.timeline, $2 from (${PRESENT}) present
  on conflict (is_only) do update set identity = excluded.identity, timeline = excluded.timeline,
    decided_at = excluded.decided_at, loss_found_at = null where $3`,
);

export const markLoss = statement(
  'mark_loss',
  `update database_identity set loss_found_at = coalesce(loss_found_at, $1)`,
);

/** The values of `selectIdentity` and `lockIdentity`. */
export function identityValues(
  engine: Engine,
  { databaseFailsOver }: { readonly databaseFailsOver: boolean },
): readonly unknown[] {
  return [engine.folderId, databaseFailsOver || engine.hasSeveralHosts === true];
}
