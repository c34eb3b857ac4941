import { html } from 'hono/html';
import type { Language } from '../../pages/language.ts';
import type { Markup } from '../../pages/page.ts';
import {
  findPasswordFault,
  type NewPasswordFault,
  type PasswordOwner,
} from '../../shops/password-rule.ts';
import { textField } from '../parts/field.ts';
import { faultOf, type FormFault } from '../parts/notes.ts';

/** A new password as it was typed twice. */
export type TypedPassword =
  | { readonly kind: 'password'; readonly password: string }
  | { readonly kind: PasswordFault };

type PasswordFault = NewPasswordFault | 'different';

interface Words extends Readonly<Record<PasswordFault, string>> {
  readonly first: string;
  readonly rule: string;
  readonly second: string;
}

export const WORDS: Readonly<Record<Language, Words>> = {
  en: {
    first: 'New password',
    rule: 'At least 8 characters. Length counts, not special signs: a few words with spaces are good.',
    second: 'New password again',
    too_short: 'The new password has fewer than 8 characters.',
    too_long: 'The new password is too long: 1,024 letters are enough.',
    common:
      'This password is one of those that are guessed first. Choose another one: a few words with spaces are good.',
    personal:
      'The new password is too close to your name, your e-mail address or the name of this service.',
    different: 'The new password was typed differently the second time.',
  },
  ja: {
    first: '新しいパスワード',
    rule: '8 文字以上で設定してください。記号の有無よりも長さが大切です。空白を入れた数語の文でもかまいません。',
    second: '新しいパスワード（確認）',
    too_short: '新しいパスワードが 8 文字未満です。',
    too_long: '新しいパスワードが長すぎます。英数字で 1,024 文字以内にしてください。',
    common:
      'よく使われていて、推測されやすいパスワードです。別のパスワードにしてください。空白を入れた数語の文でもかまいません。',
    personal:
      'お名前、メールアドレス、このサービスの名前に近いパスワードは使えません。別のパスワードにしてください。',
    different: '確認用のパスワードが一致しません。',
  },
};

/** Two fields for a new password. They come back empty. */
export function newPasswordFields(language: Language, faults: readonly FormFault[]): Markup {
  const text = WORDS[language];
  const common = {
    type: 'password',
    autocomplete: 'new-password',
    maxLength: 1024,
    isRequired: true,
  } as const;
  return html`${textField({
    ...common,
    name: 'new',
    label: text.first,
    hint: text.rule,
    fault: faultOf(faults, 'new'),
  })}
  ${textField({
    ...common,
    name: 'again',
    label: text.second,
    fault: faultOf(faults, 'again'),
  })}`;
}

/** The new password of a posted form, or why it is none. */
export async function readNewPassword(
  form: ReadonlyMap<string, string>,
  owner: PasswordOwner,
): Promise<TypedPassword> {
  const password = form.get('new') ?? '';
  const fault = await findPasswordFault(password, owner);
  if (fault !== undefined) return { kind: fault };
  return password === form.get('again') ? { kind: 'password', password } : { kind: 'different' };
}

/** The fault of a new password in words, beside its field. */
export function newPasswordFault(fault: PasswordFault, language: Language): FormFault {
  return { field: fault === 'different' ? 'again' : 'new', text: WORDS[language][fault] };
}
