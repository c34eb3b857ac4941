/** A scope that an app may request (spec 5.2). */
export type Scope =
  | 'openid'
  | 'profile'
  | 'offline_access'
  | 'purchase-boosts:read'
  | 'inventory:read';

/** The five scopes, in the order of section 5.2 of the specification. */
export const SCOPES: readonly Scope[] = [
  'openid',
  'profile',
  'offline_access',
  'purchase-boosts:read',
  'inventory:read',
];
