import type { Language } from '../pages/language.ts';
import type { Permission } from '../shops/permission.ts';
import { permissionMessages } from './messages.ts';

/** What a permission is called. */
export function permissionName(permission: Permission, language: Language): string {
  return permissionMessages[language][permission].name;
}

/** What a permission's holder may do, in a sentence. */
export function permissionMeaning(permission: Permission, language: Language): string {
  return permissionMessages[language][permission].meaning;
}
