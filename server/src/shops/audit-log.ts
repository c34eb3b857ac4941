import { leastOrderedId } from '../base/ordered-id.ts';
import { createPerShopCleaner } from '../database/cleaner.ts';
import type { Queryable } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import type { Actor, AuditAction, AuditDetails, SubjectKind } from './audit.ts';

export interface AuditEntry {
  /** A UUID of version 7, so newer entries have greater ids. */
  readonly id: string;
  readonly happenedAt: Date;
  /**
   * `id` and `name` are null for the operator and the service. `name` is the actor's name at that
   * time.
   */
  readonly actor: {
    readonly kind: Actor['kind'];
    readonly id: string | null;
    readonly name: string | null;
  };
  readonly action: AuditAction;
  readonly subject: {
    readonly kind: SubjectKind;
    readonly id: string;
    readonly name: string | null;
  };
  readonly details: AuditDetails;
}

export interface AuditFilters {
  readonly actorKind?: Actor['kind'] | null;
  /** An account id, client id or key id. */
  readonly actorId?: string | null;
  readonly actions?: readonly AuditAction[] | null;
  /** An account id, client id, key id or invitation id. */
  readonly subjectId?: string | null;
  /** Inclusive, to the millisecond. */
  readonly since?: Date | null;
  /** Exclusive. */
  readonly until?: Date | null;
}

export interface AuditPageQuery extends AuditFilters {
  /** The id of the previous page's last entry; null starts with the newest. */
  readonly before: string | null;
  readonly limit: number;
}

/** Entries are kept for two years (decision 0180). */
const RETENTION_DAYS = 731;
const DAY_MS = 86_400_000;

export async function listAudit(
  db: Queryable,
  shopId: string,
  page: AuditPageQuery,
): Promise<AuditEntry[]> {
  const { before, limit, actions = null, actorKind = null } = page;
  const { actorId = null, subjectId = null, since = null, until = null } = page;
  const end = smallerId(before, until === null ? null : leastOrderedId(until));
  const begin = since === null ? null : leastOrderedId(since);
  const values = [shopId, end, begin, actions, actorKind, limit];
  const rows =
    subjectId !== null
      ? await db.query(selectAuditOfSubject, [...values, subjectId, actorId])
      : actorId !== null
        ? await db.query(selectAuditOfActor, [...values, actorId])
        : await db.query(selectAuditEvents, values);
  return rows.map((row) => ({
    id: row.id,
    happenedAt: row.happenedAt,
    actor: { kind: row.actorKind, id: row.actorId, name: row.actorName },
    action: row.action,
    subject: { kind: row.subjectKind, id: row.subjectId, name: row.subjectName },
    details: row.details,
  }));
}

/** Text order equals UUID order, because the digits are lower case. */
function smallerId(a: string | null, b: string | null): string | null {
  if (a === null || b === null) return a ?? b;
  return a < b ? a : b;
}

export interface AuditActor {
  readonly kind: Actor['kind'];
  readonly id: string | null;
  readonly name: string | null;
}

/** Lists the actors in a shop's newest 1,000 entries, as options for the filter. */
export async function listAuditActors(
  db: Queryable,
  shopId: string,
  limit: number,
): Promise<AuditActor[]> {
  return await db.query(selectAuditActors, [shopId, limit]);
}

interface AuditRow {
  readonly id: string;
  readonly happenedAt: Date;
  readonly actorKind: Actor['kind'];
  readonly actorId: string | null;
  readonly actorName: string | null;
  readonly action: AuditAction;
  readonly subjectKind: SubjectKind;
  readonly subjectId: string;
  readonly subjectName: string | null;
  readonly details: AuditDetails;
}

/** Each statement below scans a different index, newest first, even with a generic plan. */
const ENTRIES = `
   select entry_id as id, happened_at as "happenedAt", actor_kind as "actorKind", actor_id as "actorId",
          actor_name as "actorName", action, subject_kind as "subjectKind", subject_id as "subjectId",
          subject_name as "subjectName", details
     from audit_event
    where shop_id = $1
      and entry_id < coalesce($2::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
      and entry_id >= coalesce($3::uuid, '00000000-0000-0000-0000-000000000000')
      and ($4::text[] is null or action = any($4))
      and ($5::text is null or actor_kind = $5)`;

export const selectAuditEvents = statement<AuditRow>(
  'select_audit_events',
  `${ENTRIES}
    order by entry_id desc limit $6`,
);

export const selectAuditOfActor = statement<AuditRow>(
  'select_audit_of_actor',
  `${ENTRIES} and actor_id = $7
    order by entry_id desc limit $6`,
);

export const selectAuditOfSubject = statement<AuditRow>(
  'select_audit_of_subject',
  `${ENTRIES} and subject_id = $7 and ($8::text is null or actor_id = $8)
    order by entry_id desc limit $6`,
);

export const selectAuditActors = statement<AuditActor>(
  'select_audit_actors',
  `select distinct on (kind, id) kind, id, name
     from (
       select actor_kind as kind, actor_id as id, actor_name as name, entry_id
         from audit_event where shop_id = $1 order by entry_id desc limit 1000) newest
    order by kind, id, entry_id desc
    limit $2`,
);

export const selectShopsOfOldAuditEvents = statement<{ readonly shopId: string }>(
  'select_shops_of_old_audit_events',
  `select distinct shop_id as "shopId" from (
     select shop_id from audit_event where happened_at < $1 order by happened_at limit $2) old`,
);

// Ids are chronological, so the oldest entries come first in the primary key.
export const deleteOldAuditEvents = statement(
  'delete_old_audit_events',
  `delete from audit_event where shop_id = $1 and entry_id in (
     select entry_id from audit_event
      where shop_id = $1 and happened_at < $2
      order by entry_id limit $3 for update skip locked)`,
);

export const cleanAudit = createPerShopCleaner(
  selectShopsOfOldAuditEvents,
  deleteOldAuditEvents,
  RETENTION_DAYS * DAY_MS,
);
