/** A scope that an app may request (spec 5.2). */
export type Scope =
  | 'openid'
  | 'profile'
  | 'offline_access'
  | 'purchase-boosts:read'
  | 'inventory:read';

/** All scopes, in the order in which spec 5.2 lists them. */
export const SCOPES: readonly Scope[] = [
  'openid',
  'profile',
  'offline_access',
  'purchase-boosts:read',
  'inventory:read',
];
