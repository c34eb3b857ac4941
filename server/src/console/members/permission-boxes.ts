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
  readonly all: string;
  readonly none: string;
  readonly comma: string;
}

const WORDS: Readonly<Record<Language, Words>> = {
  en: {
    legend: 'Permissions',
    hint: 'What this person may do in this shop. You can change it at any time.',
    all: 'Everything',
    none: 'Only Home',
    comma: ', ',
  },
  ja: {
    legend: '権限',
    hint: 'このショップでできることです。いつでも変更できます。',
    all: 'すべての権限',
    none: 'ホームのみ',
    comma: '、',
  },
};

/** A box for each permission, with what it allows. */
export function permissionBoxes(language: Language, ticked: readonly Permission[]): Markup {
  const text = WORDS[language];
  return boxesField({
    name: NAME,
    legend: text.legend,
    hint: text.hint,
    choices: PERMISSIONS.map((permission) => ({
      value: permission,
      label: permissionName(permission, language),
      hint: permissionMeaning(permission, language),
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

/** A set of permissions in words, for one line. */
export function permissionsInWords(permissions: readonly Permission[], language: Language): string {
  const text = WORDS[language];
  const held = PERMISSIONS.filter((permission) => permissions.includes(permission));
  if (held.length === PERMISSIONS.length) return text.all;
  if (held.length === 0) return text.none;
  return held.map((permission) => permissionName(permission, language)).join(text.comma);
}
