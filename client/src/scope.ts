/** A scope that an app may ask for (specification 5.2). */
export type Scope =
  | 'openid'
  | 'profile'
  | 'offline_access'
  | 'purchase-boosts:read'
  | 'inventory:read';

/** The five scopes, in the order of specification 5.2. */
export const SCOPES: readonly Scope[] = [
  'openid',
  'profile',
  'offline_access',
  'purchase-boosts:read',
  'inventory:read',
];
