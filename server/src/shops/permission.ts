/** What a member may do in a shop. The list is closed (decision 0001: identity). */
export const PERMISSIONS = [
  'purchases.read',
  'purchases.write',
  'inventory.read',
  'inventory.write',
  'inventory.cost',
  'integrations.manage',
  'members.manage',
] as const;

/** One word of the closed list. */
export type Permission = (typeof PERMISSIONS)[number];

/** True when `word` is a permission. */
export function isPermission(word: string): word is Permission {
  return PERMISSIONS.some((permission) => permission === word);
}
