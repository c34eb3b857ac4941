import { newOrderedId } from '../base/ordered-id.ts';
import type { Transaction } from '../database/database.ts';
import { statement } from '../database/statement.ts';

/**
 * Who changes access: a signed-in member, an app by its own token, a system of the shop by its Shop API key, an operator
 * by the command line, or the service itself because a rule demands it.
 */
export type Actor =
  | { readonly kind: 'member'; readonly accountId: string }
  | { readonly kind: 'app'; readonly clientId: string }
  | { readonly kind: 'shop_key'; readonly keyId: string }
  | { readonly kind: 'operator' }
  | { readonly kind: 'service' };

/** Whoever may run `cardport`; the command line asks nobody for a name. */
export const OPERATOR: Actor = { kind: 'operator' };
/** The service itself. */
export const SERVICE: Actor = { kind: 'service' };

/** Every change of access that is recorded. Who adds one gives it a sentence in `console/audit`. */
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
  'account.sessions_ended',
  'account.passkey_added',
  'account.passkey_renamed',
  'account.passkey_removed',
  'shop_key.created',
  'shop_key.removed',
] as const;

/** One word of the closed list. */
export type AuditAction = (typeof AUDIT_ACTIONS)[number];

/**
 * Whose access it is about. Approvals and connections are their app's, sessions, passwords and passkeys their member's,
 * so that one subject finds all that concerned it.
 */
export type SubjectKind = 'app' | 'member' | 'invitation' | 'shop_key';

/** What happened. Never a secret, a token, a hash of one, or a cookie. */
export interface AuditEvent {
  readonly action: AuditAction;
  /** `id`: an app's client id, a member's account id, else a uuid. `name` null: looked up, as it is now. */
  readonly subject: {
    readonly kind: SubjectKind;
    readonly id: string;
    readonly name: string | null;
  };
  /** Few members; a text is cut at 300 characters, a list at 20. */
  readonly details?: AuditDetails;
}

/** What is told beside action and subject. Who adds a name gives it words in `console/audit`. */
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
] as const;
export type AuditDetailName = (typeof AUDIT_DETAILS)[number];
export type AuditDetail = string | number | boolean | readonly string[] | null;
export type AuditDetails = Readonly<Partial<Record<AuditDetailName, AuditDetail>>>;

/** Longest text of the details: an address or a name is told by its beginning. */
const TEXT_CODE_POINTS_MAX = 300;
/** Longest list of the details: an app has at most 20 redirect URIs. */
const LIST_MAX = 20;
/** Bound of the schema (0014_audit.sql); an e-mail address is the longest name. */
const NAME_CODE_POINTS_MAX = 254;

/**
 * Records a change of access within the transaction that makes it: both stand or neither. A plain insert that waits for
 * nobody. The actor's name is kept as it is now.
 */
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
 * Records what happened to a person, such as a new password, in every shop in which he or she is an active member, and in
 * the shop where it was done (`shopId`). When another member has done it, only his shop is told who: the others read that
 * the service did it.
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
  // Both are known in every shop: the person, and who belongs to none.
  const isKnown = isOwn || by.kind === 'operator' || by.kind === 'service';
  const values = [accountId, ...valuesOf(by, event, now), isKnown, shopId];
  await tx.count(insertAuditEventOfAccount, values);
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
    subject.name === null ? null : cut(subject.name, NAME_CODE_POINTS_MAX),
    JSON.stringify(boundDetails(details ?? {})),
  ];
}

function boundDetails(details: AuditDetails): AuditDetails {
  const bounded: Partial<Record<AuditDetailName, AuditDetail>> = {};
  for (const name of AUDIT_DETAILS) {
    const value = details[name];
    if (value !== undefined) bounded[name] = boundDetail(value);
  }
  return bounded;
}

function boundDetail(value: AuditDetail): AuditDetail {
  if (typeof value === 'string') return cut(value, TEXT_CODE_POINTS_MAX);
  if (typeof value !== 'object' || value === null) return value;
  return value.slice(0, LIST_MAX).map((text) => cut(text, TEXT_CODE_POINTS_MAX));
}

function cut(text: string, codePointsMax: number): string {
  const points = Array.from(text);
  return points.length <= codePointsMax ? text : `${points.slice(0, codePointsMax - 1).join('')}…`;
}

// Each id of an actor is a parameter of its own type: a cast inside a `case` may be tried for every kind.
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

export const insertAuditEventOfAccount = statement(
  'insert_audit_event_of_account',
  `insert into audit_event (shop_id, entry_id, happened_at, actor_kind, actor_id, actor_name,
          action, subject_kind, subject_id, subject_name, details)
   select m.shop_id, $2::uuid, $3::timestamptz,
          case when seen.is_named then $4::text else 'service' end,
          case when seen.is_named then coalesce($5::uuid::text, $6::text, $7::uuid::text) end,
          case when seen.is_named then coalesce(
            (select a.name from account a where a.account_id = $5),
            (select p.name from app p where p.client_id = $6),
            (select k.name from shop_key k where k.shop_id = m.shop_id and k.key_id = $7)) end,
          $8::text, $9::text, $10::text, coalesce($11::text, whose.name), $12::jsonb
     from member m
     join account whose on whose.account_id = m.account_id
    cross join lateral (
      select $13::boolean or coalesce(m.shop_id = $14::uuid, false) as is_named) seen
    where m.account_id = $1 and (m.is_active or m.shop_id = $14::uuid)`,
);
