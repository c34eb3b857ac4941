import { html } from 'hono/html';
import type { Language } from '../../pages/language.ts';
import type { Markup } from '../../pages/page.ts';
import {
  findPasswordFault,
  type NewPasswordFault,
  type PasswordOwner,
} from '../../shops/password-rule.ts';
import { textField } from './field.ts';
import { faultOf, type FormFault } from './notes.ts';
import { newPasswordMessages } from '../messages.ts';

export type TypedPassword =
  | { readonly kind: 'password'; readonly password: string }
  | { readonly kind: PasswordFault };

type PasswordFault = NewPasswordFault | 'different';

/** Two inputs for a new password; both come back empty. */
export function newPasswordFields(language: Language, faults: readonly FormFault[]): Markup {
  const messages = newPasswordMessages[language];
  const common = {
    type: 'password',
    autocomplete: 'new-password',
    maxLength: 1024,
    isRequired: true,
  } as const;
  return html`${textField({
    ...common,
    name: 'new',
    label: messages.first,
    hint: messages.rule,
    fault: faultOf(faults, 'new'),
  })}
  ${textField({
    ...common,
    name: 'again',
    label: messages.second,
    fault: faultOf(faults, 'again'),
  })}`;
}

/** The new password of a posted form, or why it is rejected. */
export async function readNewPassword(
  form: ReadonlyMap<string, string>,
  owner: PasswordOwner,
): Promise<TypedPassword> {
  const password = form.get('new') ?? '';
  const fault = await findPasswordFault(password, owner);
  if (fault !== undefined) return { kind: fault };
  return password === form.get('again') ? { kind: 'password', password } : { kind: 'different' };
}

/** The message for a rejected new password, at its input. */
export function newPasswordFault(fault: PasswordFault, language: Language): FormFault {
  return {
    field: fault === 'different' ? 'again' : 'new',
    text: newPasswordMessages[language].faults[fault],
  };
}
