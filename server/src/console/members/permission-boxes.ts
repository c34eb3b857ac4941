import { html } from 'hono/html';
import type { Language } from '../../pages/language.ts';
import type { Markup } from '../../pages/page.ts';
import { type Permission, PERMISSIONS } from '../../shops/permission.ts';
import { boxesField } from '../parts/field.ts';
import { permissionMeaning, permissionName } from '../permission-words.ts';

const NAME = 'permissions';
/** The field that says which permissions a form has shown, with a space between two. */
const SEEN = 'seen';

interface Words {
  readonly legend: string;
  readonly hint: string;
  readonly fixed: string;
  readonly all: string;
  readonly none: string;
  readonly comma: string;
  readonly notHeld: (names: string) => string;
}

export const WORDS: Readonly<Record<Language, Words>> = {
  en: {
    legend: 'Permissions',
    hint: 'What this person may do in this shop. You can change it at any time.',
    fixed:
      'What this person may do in this shop. You can give and take only the permissions that you have yourself; the other boxes stay as they are.',
    all: 'Everything',
    none: 'Only Home',
    comma: ', ',
    notHeld: (names) =>
      `You can give and take only permissions that you have yourself. You do not have: ${names}.`,
  },
  ja: {
    legend: '権限',
    hint: 'このショップでできることです。いつでも変更できます。',
    fixed:
      'このショップでできることです。変更できるのは、ご自身がお持ちの権限だけです。ほかの項目は変更できません。',
    all: 'すべての権限',
    none: 'ホームのみ',
    comma: '、',
    notHeld: (names) =>
      `変更できるのは、ご自身がお持ちの権限だけです。お持ちでない権限：${names}。`,
  },
};

/** A box for each permission, with what it allows. Those that are not `free` to be changed are disabled. */
export function permissionBoxes(
  language: Language,
  ticked: readonly Permission[],
  free: ReadonlySet<Permission>,
): Markup {
  const text = WORDS[language];
  return boxesField({
    name: NAME,
    legend: text.legend,
    hint: PERMISSIONS.every((permission) => free.has(permission)) ? text.hint : text.fixed,
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
  const text = WORDS[language];
  return text.notHeld(
    missing.map((permission) => permissionName(permission, language)).join(text.comma),
  );
}

/** A set of permissions in words, for one line. */
export function permissionsInWords(permissions: readonly Permission[], language: Language): string {
  const text = WORDS[language];
  const held = PERMISSIONS.filter((permission) => permissions.includes(permission));
  if (held.length === PERMISSIONS.length) return text.all;
  if (held.length === 0) return text.none;
  return held.map((permission) => permissionName(permission, language)).join(text.comma);
}
