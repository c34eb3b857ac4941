/** A member's permissions in a shop (spec 5.5). The list is closed (decision 0001: identity). */
export const PERMISSIONS = [
  'purchases.read',
  'purchases.write',
  'inventory.read',
  'inventory.write',
  'inventory.cost',
  'integrations.approve',
  'integrations.manage',
  'members.manage',
] as const;

export type Permission = (typeof PERMISSIONS)[number];

export function isPermission(word: string): word is Permission {
  return PERMISSIONS.some((permission) => permission === word);
}
