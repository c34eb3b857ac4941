import { html } from 'hono/html';
import type { Language } from '../../pages/language.ts';
import type { Markup } from '../../pages/page.ts';
import { type Permission, PERMISSIONS } from '../../shops/permission.ts';
import { boxesField } from '../parts/field.ts';
import { permissionMeaning, permissionName, permissionNames } from '../permission-words.ts';
import { ConsoleRefusal } from '../refusal.ts';
import { permissionBoxMessages } from './messages.ts';

const NAME = 'permissions';
/** The field that says which permissions a form has shown, with a space between two. */
const SEEN = 'seen';

/** A box for each permission, with what it allows. Those that are not `free` to be changed are disabled. */
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

/** The permissions whose boxes a posted form has ticked. */
export function readPermissionBoxes(form: ReadonlyMap<string, string>): readonly Permission[] {
  return PERMISSIONS.filter((permission) => form.get(`${NAME}.${permission}`) === 'on');
}

/** Carries along which permissions a form shows, so that what others change meanwhile is not lost. */
export function seenPermissions(permissions: readonly Permission[]): Markup {
  return html`<input type="hidden" name="${SEEN}" value="${permissions.join(' ')}" />`;
}

/** The permissions that a posted form has shown; none when it does not say. */
export function readSeenPermissions(form: ReadonlyMap<string, string>): readonly Permission[] {
  const seen = new Set((form.get(SEEN) ?? '').split(' '));
  return PERMISSIONS.filter((permission) => seen.has(permission));
}

/** Why permissions can be neither given nor taken, in one sentence. */
export function notHeldSentence(missing: readonly Permission[], language: Language): string {
  return permissionBoxMessages[language].notHeld(permissionNames(missing, language));
}

/** Whoever asked might manage members a moment ago, and may not now. */
export function notAllowed(): ConsoleRefusal {
  return new ConsoleRefusal({ kind: 'no_permission', needed: ['members.manage'] });
}
