/** All scopes that exist (spec 5.2). */
export const SCOPES = [
  'openid',
  'profile',
  'offline_access',
  'purchase-boosts:read',
  'inventory:read',
] as const;

export type Scope = (typeof SCOPES)[number];

/** The scopes that give access to endpoints of the Partner API (spec 4). */
export const READ_SCOPES = ['purchase-boosts:read', 'inventory:read'] as const satisfies Scope[];

export function isScope(word: string): word is Scope {
  return SCOPES.some((scope) => scope === word);
}
