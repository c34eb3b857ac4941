import { html } from 'hono/html';
import type { Language } from '../../pages/language.ts';
import type { Markup } from '../../pages/page.ts';
import { type Permission, PERMISSIONS } from '../../shops/permission.ts';
import { boxesField } from '../parts/field.ts';
import { permissionMeaning, permissionName, permissionNames } from '../permission-words.ts';
import { ConsoleRefusal } from '../refusal.ts';
import { permissionBoxMessages } from './messages.ts';

const NAME = 'permissions';
/** The input with the permissions that the form was rendered with, separated by spaces. */
const SEEN = 'seen';

/** A checkbox for each permission, with what it allows. Only the `free` ones are enabled. */
export function permissionBoxes(
  language: Language,
  ticked: readonly Permission[],
  free: ReadonlySet<Permission>,
): Markup {
  const messages = permissionBoxMessages[language];
  return boxesField({
    name: NAME,
    legend: messages.permissions,
    hint: PERMISSIONS.every((permission) => free.has(permission)) ? messages.hint : messages.fixed,
    choices: PERMISSIONS.map((permission) => ({
      value: permission,
      label: permissionName(permission, language),
      hint: permissionMeaning(permission, language),
      isFixed: !free.has(permission),
    })),
    ticked: new Set<string>(ticked),
  });
}

/** The permissions ticked in a posted form. */
export function readPermissionBoxes(form: ReadonlyMap<string, string>): readonly Permission[] {
  return PERMISSIONS.filter((permission) => form.get(`${NAME}.${permission}`) === 'on');
}

/** The permissions that the form shows, so that saving it does not undo concurrent changes. */
export function seenPermissions(permissions: readonly Permission[]): Markup {
  return html`<input type="hidden" name="${SEEN}" value="${permissions.join(' ')}" />`;
}

/** The permissions that a posted form was rendered with; empty when it does not say. */
export function readSeenPermissions(form: ReadonlyMap<string, string>): readonly Permission[] {
  const seen = new Set((form.get(SEEN) ?? '').split(' '));
  return PERMISSIONS.filter((permission) => seen.has(permission));
}

/** Why these permissions can be neither granted nor revoked, in one sentence. */
export function notHeldSentence(missing: readonly Permission[], language: Language): string {
  return permissionBoxMessages[language].notHeld(permissionNames(missing, language));
}

/** For a member who lost the permission to manage members while the page was open. */
export function notAllowed(): ConsoleRefusal {
  return new ConsoleRefusal({ kind: 'no_permission', needed: ['members.manage'] });
}
