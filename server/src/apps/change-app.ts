import { announce } from '../database/channel.ts';
import type { Transaction } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import type { Actor, AuditDetails } from '../shops/audit.ts';
import { type App, findAppProblem, lockApp, recordAppAudit } from './app.ts';
import type { Scope } from './scope.ts';

/** Missing fields stay unchanged. Redirect URIs change separately: the webhook depends on them. */
export interface AppChange {
  readonly name?: string;
  readonly contactEmail?: string | null;
  /** Replaces the complete set of scopes. */
  readonly scopes?: readonly Scope[];
  readonly sharesCost?: boolean;
}

export type ChangeAppResult =
  | { readonly kind: 'changed' | 'unchanged'; readonly app: App }
  | { readonly kind: 'invalid'; readonly reason: string }
  | { readonly kind: 'unknown' };

/**
 * A removed scope ends immediately for every issued token, while an added scope needs a new
 * approval by a member (decision 0003). A change of cost sharing applies from the next call.
 */
export async function changeApp(
  tx: Transaction,
  shopId: string,
  clientId: string,
  change: AppChange,
  now: Date,
  by: Actor,
): Promise<ChangeAppResult> {
  const before = await lockApp(tx, shopId, clientId);
  if (before === undefined) return { kind: 'unknown' };
  const after = { ...before, ...change, scopes: [...new Set(change.scopes ?? before.scopes)] };
  const reason = findAppProblem(after);
  if (reason !== null) return { kind: 'invalid', reason };
  const details = differenceOf(before, after);
  if (Object.keys(details).length === 0) return { kind: 'unchanged', app: before };
  const { name, contactEmail, scopes, sharesCost } = after;
  const values = [shopId, clientId, name, contactEmail, scopes, sharesCost, now];
  await tx.count(updateApp, values);
  await announce(tx, 'access', shopId);
  await recordAppAudit(tx, after, by, { action: 'app.changed', details }, now);
  return { kind: 'changed', app: after };
}

function differenceOf(before: App, after: App): AuditDetails {
  const added = after.scopes.filter((scope) => !before.scopes.includes(scope));
  const removed = before.scopes.filter((scope) => !after.scopes.includes(scope));
  return {
    ...(before.name === after.name ? {} : { name: `${before.name} → ${after.name}` }),
    ...(before.contactEmail === after.contactEmail
      ? {}
      : { contactEmail: `${before.contactEmail ?? '–'} → ${after.contactEmail ?? '–'}` }),
    ...(added.length === 0 ? {} : { added }),
    ...(removed.length === 0 ? {} : { removed }),
    ...(before.sharesCost === after.sharesCost ? {} : { sharesCost: after.sharesCost }),
  };
}

export const updateApp = statement(
  'update_app',
  `update app set name = $3, contact_email = $4, scopes = $5, shares_cost = $6, updated_at = $7
    where shop_id = $1 and client_id = $2`,
);
