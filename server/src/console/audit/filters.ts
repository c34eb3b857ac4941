import type { AuditFilters } from '../../shops/audit-log.ts';
import { AUDIT_ACTIONS, type AuditAction, type Actor } from '../../shops/audit.ts';
import { uuidOf } from '../query.ts';

/** What a member may choose to see: actions that belong together. */
export const GROUPS = ['apps', 'connections', 'members', 'accounts', 'keys'] as const;
export type Group = (typeof GROUPS)[number];

const BEGINNINGS: Readonly<Record<Group, readonly string[]>> = {
  apps: ['app.'],
  connections: ['approval.', 'connection.', 'webhook.'],
  members: ['member.'],
  accounts: ['account.'],
  keys: ['shop_key.'],
};

/** Days back that a member may choose. */
export const DAYS = [1, 7, 30, 90, 365] as const;
const DAY_MS = 86_400_000;

const ACTOR_KINDS = ['member', 'app', 'shop_key', 'operator', 'service'] as const;
/** Longest id of an actor or subject (0014_audit.sql). */
const ID_LENGTH_MAX = 100;

/** The choices of the page, as its address carries them; what is no choice is left out. */
export interface AuditQuery {
  readonly who: string | null;
  readonly what: Group | null;
  /** Days back. */
  readonly since: number | null;
  /** The id of a subject. */
  readonly about: string | null;
  /** The last entry of the page before. */
  readonly before: string | null;
}

export function readAuditQuery(query: Readonly<Record<string, string>>): AuditQuery {
  const { who, what, since, about, before } = query;
  return {
    who: who !== undefined && readActor(who) !== null ? who : null,
    what: GROUPS.find((each) => each === what) ?? null,
    since: DAYS.find((each) => String(each) === since) ?? null,
    about: about !== undefined && about !== '' && about.length <= ID_LENGTH_MAX ? about : null,
    before: uuidOf(before),
  };
}

/** What the audit is asked for these choices. */
export function toFilters({ who, what, since, about }: AuditQuery, now: Date): AuditFilters {
  const actor = who === null ? null : readActor(who);
  return {
    actorKind: actor?.kind ?? null,
    actorId: actor?.id ?? null,
    actions: what === null ? null : actionsOf(what),
    subjectId: about,
    since: since === null ? null : new Date(now.getTime() - since * DAY_MS),
  };
}

function actionsOf(group: Group): readonly AuditAction[] {
  const beginnings = BEGINNINGS[group];
  return AUDIT_ACTIONS.filter((action) => beginnings.some((each) => action.startsWith(each)));
}

/** An actor in an address: `kind`, or `kind:id`. */
export function writeActor({
  kind,
  id,
}: {
  readonly kind: Actor['kind'];
  readonly id: string | null;
}): string {
  return id === null ? kind : `${kind}:${id}`;
}

function readActor(
  text: string,
): { readonly kind: Actor['kind']; readonly id: string | null } | null {
  const [word = '', ...rest] = text.split(':');
  const id = rest.join(':');
  const kind = ACTOR_KINDS.find((each) => each === word);
  if (kind === undefined || id.length > ID_LENGTH_MAX) return null;
  return { kind, id: id === '' ? null : id };
}
