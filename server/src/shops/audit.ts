import { newOrderedId } from '../base/ordered-id.ts';
import type { Transaction } from '../database/database.ts';
import { statement } from '../database/statement.ts';

/**
 * Who changes access: a signed-in member, an app with its token, a system of the shop with its Shop
 * API key, an operator on the command line, or the service when a rule requires it.
 */
export type Actor =
  | { readonly kind: 'member'; readonly accountId: string }
  | { readonly kind: 'app'; readonly clientId: string }
  | { readonly kind: 'shop_key'; readonly keyId: string }
  | { readonly kind: 'operator' }
  | { readonly kind: 'service' };

/** Anyone who may run `cardport`, because the command line does not identify its user. */
export const OPERATOR: Actor = { kind: 'operator' };
export const SERVICE: Actor = { kind: 'service' };

/** Returns the columns that store an actor. The id is null for a kind without ids. */
export function actorColumns(by: Actor): {
  readonly kind: Actor['kind'];
  readonly id: string | null;
} {
  switch (by.kind) {
    case 'member':
      return { kind: by.kind, id: by.accountId };
    case 'app':
      return { kind: by.kind, id: by.clientId };
    case 'shop_key':
      return { kind: by.kind, id: by.keyId };
    case 'operator':
    case 'service':
      return { kind: by.kind, id: null };
  }
}

/** All actions in the audit log. A new action also needs a sentence in `console/audit`. */
export const AUDIT_ACTIONS = [
  'app.registered',
  'app.changed',
  'app.redirect_uris_changed',
  'app.secret_added',
  'app.secret_removed',
  'app.enabled',
  'app.disabled',
  'app.removed',
  'approval.given',
  'approval.ended',
  'approval.recovered',
  'connection.opened',
  'connection.ended',
  'webhook.registered',
  'webhook.removed',
  'member.added',
  'member.invited',
  'member.invitation_withdrawn',
  'member.joined',
  'member.permissions_changed',
  'member.deactivated',
  'member.activated',
  'account.renamed',
  'account.signed_in',
  'account.sign_ins_failed',
  'account.password_changed',
  'account.password_reset',
  'account.reset_link_sent',
  'account.reset_link_shown',
  'account.sessions_ended',
  'account.passkey_added',
  'account.passkey_renamed',
  'account.passkey_removed',
  'shop_key.created',
  'shop_key.removed',
  'shop.set_up',
  'shop.renamed',
  'shop.changed',
  'shop.closed',
  'shop.reopened',
] as const;

export type AuditAction = (typeof AUDIT_ACTIONS)[number];

/**
 * Approvals and connections are recorded under their app, and sessions, passwords and passkeys
 * under their member, so a search by one subject finds all its entries.
 */
export type SubjectKind = 'app' | 'member' | 'invitation' | 'shop_key' | 'shop';

/** An entry to record. It never contains a secret, a token, a token hash or a cookie. */
export interface AuditEvent {
  readonly action: AuditAction;
  /**
   * `id` is an app's client id, a member's account id, or else a UUID. If `name` is null, the
   * current name is looked up.
   */
  readonly subject: {
    readonly kind: SubjectKind;
    readonly id: string;
    readonly name: string | null;
  };
  /** Texts are cut at 300 characters, lists at 20 items. */
  readonly details?: AuditDetails;
}

/** A new name also needs a label in `console/audit`. */
export const AUDIT_DETAILS = [
  'name',
  'contactEmail',
  'before',
  'after',
  'member',
  'permissions',
  'scopes',
  'added',
  'removed',
  'redirectUris',
  'sharesCost',
  'reason',
  'approvals',
  'sessions',
  'connection',
  'origin',
  'secret',
  'way',
  'failures',
  'timezone',
  'currency',
  'language',
] as const;
export type AuditDetailName = (typeof AUDIT_DETAILS)[number];
export type AuditDetail = string | number | boolean | readonly string[] | null;
export type AuditDetails = Readonly<Partial<Record<AuditDetailName, AuditDetail>>>;

const TEXT_CODE_POINTS_MAX = 300;
const LIST_MAX = 20;
/** The maximum number of shops in which an event of one account is recorded. */
const SHOPS_MAX = 1_000;
/** The schema has the same limit (0014_audit.sql). The longest names are email addresses. */
const NAME_CODE_POINTS_MAX = 254;

/** Call this in the transaction that makes the change. The insert does not wait for locks. */
export async function recordAudit(
  tx: Transaction,
  shopId: string,
  by: Actor,
  event: AuditEvent,
  now: Date,
): Promise<void> {
  const { kind, id } = event.subject;
  const accountId = kind === 'member' ? id : null;
  await tx.count(insertAuditEvent, [shopId, ...valuesOf(by, event, now), accountId]);
}

/**
 * Records the event in every shop where the account is an active member, and in `shopId`, where it
 * happened. If another member is the actor, only the audit log of `shopId` names that member; the
 * other shops see the service as the actor.
 */
export async function recordAuditOfAccount(
  tx: Transaction,
  accountId: string,
  by: Actor,
  event: AuditEvent,
  now: Date,
  shopId: string | null = null,
): Promise<void> {
  const isOwn = by.kind === 'member' && by.accountId === accountId;
  const isActorVisible = isOwn || by.kind === 'operator' || by.kind === 'service';
  const shops = await tx.query(selectShopsToRecord, [accountId, shopId, SHOPS_MAX]);
  for (const shop of shops) {
    const actor = isActorVisible || shop.id === shopId ? by : SERVICE;
    await recordAudit(tx, shop.id, actor, event, now);
  }
}

function valuesOf(by: Actor, { action, subject, details }: AuditEvent, now: Date): unknown[] {
  return [
    newOrderedId(now),
    now,
    by.kind,
    by.kind === 'member' ? by.accountId : null,
    by.kind === 'app' ? by.clientId : null,
    by.kind === 'shop_key' ? by.keyId : null,
    action,
    subject.kind,
    subject.id,
    subject.name === null ? null : truncate(subject.name, NAME_CODE_POINTS_MAX),
    JSON.stringify(truncateDetails(details ?? {})),
  ];
}

function truncateDetails(details: AuditDetails): AuditDetails {
  const truncated: Partial<Record<AuditDetailName, AuditDetail>> = {};
  for (const name of AUDIT_DETAILS) {
    const value = details[name];
    if (value !== undefined) truncated[name] = truncateDetail(value);
  }
  return truncated;
}

function truncateDetail(value: AuditDetail): AuditDetail {
  if (typeof value === 'string') return truncate(value, TEXT_CODE_POINTS_MAX);
  if (typeof value !== 'object' || value === null) return value;
  return value.slice(0, LIST_MAX).map((text) => truncate(text, TEXT_CODE_POINTS_MAX));
}

function truncate(text: string, codePointsMax: number): string {
  const points = Array.from(text);
  return points.length <= codePointsMax ? text : `${points.slice(0, codePointsMax - 1).join('')}…`;
}

// Each kind of actor id has a separate parameter of the right type, because PostgreSQL may evaluate
// every cast inside a `case`, even the casts for other kinds.
export const insertAuditEvent = statement(
  'insert_audit_event',
  `insert into audit_event (shop_id, entry_id, happened_at, actor_kind, actor_id, actor_name,
          action, subject_kind, subject_id, subject_name, details)
   select $1::uuid, $2::uuid, $3::timestamptz, $4::text, coalesce($5::uuid::text, $6::text, $7::uuid::text),
          coalesce(
            (select a.name from account a where a.account_id = $5),
            (select p.name from app p where p.shop_id = $1 and p.client_id = $6),
            (select k.name from shop_key k where k.shop_id = $1 and k.key_id = $7)),
          $8::text, $9::text, $10::text,
          coalesce($11::text,
            (select a.name from account a where a.account_id = $13::uuid),
            (select p.name from app p where $9 = 'app' and p.shop_id = $1 and p.client_id = $10)),
          $12::jsonb`,
);

export const selectShopsToRecord = statement<{ readonly id: string }>(
  'select_shops_to_record',
  `select shop_id as id from member
    where account_id = $1 and (is_active or shop_id = $2)
    order by shop_id limit $3`,
);
