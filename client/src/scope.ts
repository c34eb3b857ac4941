/** A scope that an app may request (spec 5.2). */
export type Scope =
  | 'openid'
  | 'profile'
  | 'offline_access'
  | 'purchase-boosts:read'
  | 'inventory:read';

/** In the order of spec 5.2. */
export const SCOPES: readonly Scope[] = [
  'openid',
  'profile',
  'offline_access',
  'purchase-boosts:read',
  'inventory:read',
];
