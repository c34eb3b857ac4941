import type { Language } from '../html/language.ts';
import { type Permission, PERMISSIONS } from '../shops/permission.ts';
import { permissionMessages, permissionSetMessages } from './messages.ts';

export function permissionName(permission: Permission, language: Language): string {
  return permissionMessages[language][permission].name;
}

/** Returns a sentence that says what a permission allows. */
export function permissionDescription(permission: Permission, language: Language): string {
  return permissionMessages[language][permission].meaning;
}

export function permissionNames(permissions: readonly Permission[], language: Language): string {
  const names = permissions.map((permission) => permissionName(permission, language));
  return names.join(permissionSetMessages[language].comma);
}

export function summarizePermissions(
  permissions: readonly Permission[],
  language: Language,
): string {
  const held = PERMISSIONS.filter((permission) => permissions.includes(permission));
  const { all, none } = permissionSetMessages[language];
  if (held.length === PERMISSIONS.length) return all;
  return held.length === 0 ? none : permissionNames(held, language);
}
