import { html } from 'hono/html';
import type { Language } from '../../html/language.ts';
import type { Markup } from '../../html/page.ts';
import { type Permission, PERMISSIONS } from '../../shops/permission.ts';
import { checkboxGroup } from '../parts/field.ts';
import { permissionDescription, permissionName, permissionNames } from '../permission-text.ts';
import type { Member } from '../../shops/member.ts';
import { ConsoleRefusal } from '../refusal.ts';
import type { RequestContext } from '../request-context.ts';
import { permissionBoxMessages } from './messages.ts';

const NAME = 'permissions';
/** The hidden input that lists the permissions that the form was rendered with. */
const SHOWN_PERMISSIONS_FIELD = 'seen';

/**
 * Renders a checkbox and an explanation for each permission. Only the `editable` checkboxes are
 * enabled.
 */
export function permissionCheckboxes(
  language: Language,
  ticked: readonly Permission[],
  editable: ReadonlySet<Permission>,
): Markup {
  const messages = permissionBoxMessages[language];
  return checkboxGroup({
    name: NAME,
    legend: messages.permissions,
    hint: PERMISSIONS.every((permission) => editable.has(permission))
      ? messages.hint
      : messages.fixed,
    choices: PERMISSIONS.map((permission) => ({
      value: permission,
      label: permissionName(permission, language),
      hint: permissionDescription(permission, language),
      isReadOnly: !editable.has(permission),
    })),
    ticked: new Set<string>(ticked),
  });
}

export function readPermissionCheckboxes(form: ReadonlyMap<string, string>): readonly Permission[] {
  return PERMISSIONS.filter((permission) => form.get(`${NAME}.${permission}`) === 'on');
}

/**
 * Renders a hidden input with the permissions that the form shows, so that saving the form does not
 * undo concurrent changes. It comes last, so that a form that arrives incomplete is refused.
 */
export function shownPermissionsInput(permissions: readonly Permission[]): Markup {
  return html`<input
    type="hidden"
    name="${SHOWN_PERMISSIONS_FIELD}"
    value="${permissions.join(' ')}"
  />`;
}

/**
 * Returns the permissions that a posted form was rendered with, or an empty array if the hidden
 * input is missing.
 */
export function readShownPermissions(form: ReadonlyMap<string, string>): readonly Permission[] {
  const seen = new Set((form.get(SHOWN_PERMISSIONS_FIELD) ?? '').split(' '));
  return PERMISSIONS.filter((permission) => seen.has(permission));
}

/** Returns the permissions of another member that the signed-in one cannot give or take. */
export function missingPermissions(
  { can, account: self }: RequestContext,
  { account, permissions }: Member,
): readonly Permission[] {
  return account.id === self.id ? [] : permissions.filter((each) => !can(each));
}

/** Returns a sentence that explains why these permissions can be neither granted nor revoked. */
export function missingPermissionsText(missing: readonly Permission[], language: Language): string {
  return permissionBoxMessages[language].notHeld(permissionNames(missing, language));
}

/** By default for a member who lost the permission while the page was open. */
export function notAllowed(needed: readonly Permission[] = ['members.manage']): ConsoleRefusal {
  return new ConsoleRefusal({ kind: 'no_permission', needed });
}
