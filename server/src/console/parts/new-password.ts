import { html } from 'hono/html';
import type { Language } from '../../html/language.ts';
import type { Markup } from '../../html/page.ts';
import {
  findPasswordProblem,
  type PasswordProblem,
  type PasswordOwner,
} from '../../shops/password-policy.ts';
import { textField } from './field.ts';
import { errorOf, type FormError } from './notes.ts';
import { newPasswordMessages } from '../messages.ts';

export type TypedPassword =
  | { readonly kind: 'password'; readonly password: string }
  | { readonly kind: NewPasswordError };

type NewPasswordError = PasswordProblem | 'different';

/** Renders two inputs for a new password, which are empty even after an error. */
export function newPasswordFields(language: Language, errors: readonly FormError[]): Markup {
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
    error: errorOf(errors, 'new'),
  })}
  ${textField({
    ...common,
    name: 'again',
    label: messages.second,
    error: errorOf(errors, 'again'),
  })}`;
}

/** Returns the new password of a posted form, or why it is rejected. */
export async function readNewPassword(
  form: ReadonlyMap<string, string>,
  owner: PasswordOwner,
): Promise<TypedPassword> {
  const password = form.get('new') ?? '';
  const error = await findPasswordProblem(password, owner);
  if (error !== undefined) return { kind: error };
  return password === form.get('again') ? { kind: 'password', password } : { kind: 'different' };
}

/** Returns the error for a rejected new password, at the input that caused it. */
export function newPasswordError(error: NewPasswordError, language: Language): FormError {
  return {
    field: error === 'different' ? 'again' : 'new',
    text: newPasswordMessages[language].faults[error],
  };
}
