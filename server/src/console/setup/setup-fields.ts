import { findEmailProblem, findNameProblem } from '../../base/plain-text.ts';
import type { Language } from '../../html/language.ts';
import { normalizeEmail } from '../../shops/account.ts';
import type { FirstShop } from '../../shops/set-up-shop.ts';
import { isSlug, SLUG_LENGTH_MAX } from '../../shops/shop.ts';
import { choiceInput, nullable, textInput } from '../parts/form/fields.ts';
import type { FieldsOf } from '../parts/form/form-field.ts';
import { zoneInput } from '../parts/zones.ts';
import { setupMessages } from './messages.ts';

/** The values of the form, without the password. */
export type SetupValues = Omit<FirstShop, 'passwordHash'>;

export function setupFields(language: Language): FieldsOf<SetupValues> {
  const messages = setupMessages[language];
  return {
    code: textInput({
      label: messages.code,
      hint: messages.codeHint,
      accepts: (text) => text !== '',
      invalidMessage: messages.wrongCode,
      isRequired: true,
      maxLength: 100,
      autocomplete: 'off',
    }),
    shopName: textInput({
      label: messages.shopName,
      accepts: (text) => findNameProblem(text) === null,
      invalidMessage: messages.badName,
      isRequired: true,
      autocomplete: 'organization',
    }),
    slug: nullable(
      textInput({
        label: messages.slug,
        hint: messages.slugHint,
        accepts: isSlug,
        invalidMessage: messages.badSlug,
        maxLength: SLUG_LENGTH_MAX,
        autocomplete: 'off',
      }),
    ),
    timezone: nullable(
      zoneInput({
        label: messages.timezone,
        hint: messages.shopTimezoneHint,
        invalidMessage: messages.noTimezone,
      }),
    ),
    ownerName: textInput({
      label: messages.yourName,
      accepts: (text) => findNameProblem(text) === null,
      invalidMessage: messages.badName,
      isRequired: true,
      maxLength: 200,
      autocomplete: 'name',
    }),
    email: textInput({
      label: messages.email,
      type: 'email',
      accepts: (text) =>
        findEmailProblem('email', text) === null && normalizeEmail(text) !== undefined,
      invalidMessage: messages.noEmail,
      isRequired: true,
      maxLength: 254,
      autocomplete: 'username',
    }),
    language: choiceInput({
      label: messages.yourLanguage,
      choices: { ja: '日本語', en: 'English' },
      invalidMessage: messages.noLanguage,
    }),
  };
}
