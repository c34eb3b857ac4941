/** Every scope there is (specification 5.2). */
export const SCOPES = [
  'openid',
  'profile',
  'offline_access',
  'purchase-boosts:read',
  'inventory:read',
] as const;

/** One scope of specification 5.2. */
export type Scope = (typeof SCOPES)[number];

/** The scopes that open endpoints of the Partner API (specification 4). */
export const READ_SCOPES = ['purchase-boosts:read', 'inventory:read'] as const satisfies Scope[];

/** True when `word` is a scope. */
export function isScope(word: string): word is Scope {
  return SCOPES.some((scope) => scope === word);
}
