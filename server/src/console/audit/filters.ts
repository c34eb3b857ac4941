import type { AuditFilters } from '../../shops/audit-log.ts';
import { AUDIT_ACTIONS, type AuditAction, type Actor } from '../../shops/audit.ts';
import { parseUuid } from '../query.ts';

export const ACTION_GROUPS = [
  'apps',
  'connections',
  'members',
  'accounts',
  'keys',
  'shop',
] as const;
export type ActionGroup = (typeof ACTION_GROUPS)[number];

const ACTION_PREFIXES: Readonly<Record<ActionGroup, readonly string[]>> = {
  apps: ['app.'],
  connections: ['approval.', 'connection.', 'webhook.'],
  members: ['member.'],
  accounts: ['account.'],
  keys: ['shop_key.'],
  shop: ['shop.'],
};

/** The periods that the page can filter by, in days before now. */
export const PERIOD_DAYS = [1, 7, 30, 90, 365] as const;
const DAY_MS = 86_400_000;

const ACTOR_KINDS = ['member', 'app', 'shop_key', 'operator', 'service'] as const;
/** The maximum length of the ids of actors and subjects (0014_audit.sql). */
const ID_LENGTH_MAX = 100;

/** The filters in the page's address. Invalid values are ignored. */
export interface AuditQuery {
  readonly who: string | null;
  readonly what: ActionGroup | null;
  /** The length of the period, in days. */
  readonly since: number | null;
  /** Selects the entries about the subject with this id. */
  readonly about: string | null;
  /** The id of the last entry on the previous page. */
  readonly before: string | null;
}

export function parseAuditQuery(query: Readonly<Record<string, string>>): AuditQuery {
  const { who, what, since, about, before } = query;
  return {
    who: who !== undefined && parseActor(who) !== null ? who : null,
    what: ACTION_GROUPS.find((each) => each === what) ?? null,
    since: PERIOD_DAYS.find((each) => String(each) === since) ?? null,
    about: about !== undefined && about !== '' && about.length <= ID_LENGTH_MAX ? about : null,
    before: parseUuid(before),
  };
}

export function toFilters({ who, what, since, about }: AuditQuery, now: Date): AuditFilters {
  const actor = who === null ? null : parseActor(who);
  return {
    actorKind: actor?.kind ?? null,
    actorId: actor?.id ?? null,
    actions: what === null ? null : actionsOf(what),
    subjectId: about,
    since: since === null ? null : new Date(now.getTime() - since * DAY_MS),
  };
}

function actionsOf(group: ActionGroup): readonly AuditAction[] {
  const prefixes = ACTION_PREFIXES[group];
  return AUDIT_ACTIONS.filter((action) => prefixes.some((each) => action.startsWith(each)));
}

/** Formats an actor for the query of a URL: `kind`, or `kind:id`. */
export function formatActor({
  kind,
  id,
}: {
  readonly kind: Actor['kind'];
  readonly id: string | null;
}): string {
  return id === null ? kind : `${kind}:${id}`;
}

function parseActor(
  text: string,
): { readonly kind: Actor['kind']; readonly id: string | null } | null {
  const [word = '', ...rest] = text.split(':');
  const id = rest.join(':');
  const kind = ACTOR_KINDS.find((each) => each === word);
  if (kind === undefined || id.length > ID_LENGTH_MAX) return null;
  return { kind, id: id === '' ? null : id };
}
