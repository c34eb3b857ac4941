import { findEmailProblem, findNameProblem } from '../../base/plain-text.ts';
import { normalizeEmail } from '../../shops/account.ts';
import { CONTACT_EMAILS_MAX, type ShopSettings } from '../../shops/shop-settings.ts';
import { isCurrency } from '../../shops/shop.ts';
import type { Language } from '../../html/language.ts';
import { textAreaField } from '../parts/field.ts';
import { choiceInput, nullable, singleInput, textInput } from '../parts/form/fields.ts';
import type { FieldsOf, FormField } from '../parts/form/form-field.ts';
import { zoneInput } from '../parts/zones.ts';
import { settingsMessages } from './messages.ts';

export interface SettingsValues extends Pick<ShopSettings, 'name' | 'timezone' | 'contactEmails'> {
  /** Absent while the shop has amounts in its currency, which then cannot change. */
  readonly currency?: string;
  readonly mailLanguage: 'both' | 'en' | 'ja';
}

export function settingsFields(
  language: Language,
  isCurrencyOpen: boolean,
): FieldsOf<SettingsValues> {
  const messages = settingsMessages[language];
  const currency = textInput({
    label: messages.currency,
    hint: messages.currencyHint,
    accepts: isCurrency,
    tidy: (text) => text.normalize('NFKC').toUpperCase(),
    invalidMessage: messages.noCurrency,
    isShort: true,
    isRequired: true,
    maxLength: 3,
    autocomplete: 'off',
  });
  return {
    name: textInput({
      label: messages.shopName,
      accepts: (text) => findNameProblem(text) === null,
      invalidMessage: messages.badName,
      isRequired: true,
      autocomplete: 'organization',
    }),
    timezone: nullable(
      zoneInput({
        label: messages.timezone,
        hint: messages.shopTimezoneHint,
        invalidMessage: messages.noTimezone,
      }),
    ),
    ...(isCurrencyOpen ? { currency } : {}),
    mailLanguage: choiceInput({
      label: messages.mailLanguage,
      hint: messages.mailLanguageHint,
      choices: { both: messages.both, ja: '日本語', en: 'English' },
      invalidMessage: messages.noLanguage,
    }),
    contactEmails: emailsField(language),
  };
}

function emailsField(language: Language): FormField<readonly string[]> {
  const messages = settingsMessages[language];
  const { contacts: label, contactsHint: hint } = messages;
  return singleInput<readonly string[]>({
    label,
    show: (emails) => emails.join('\n'),
    read: (text, refuse) => {
      const typed = text
        .split(/\r?\n/)
        .map((line) => line.trim())
        .filter((line) => line !== '');
      const forms = typed.map(normalizeEmail);
      const emails = typed.filter((_, index) => forms.indexOf(forms[index]) === index);
      const wrong = typed.find((email) => findEmailProblem('email', email) !== null);
      if (wrong !== undefined) return refuse(messages.noEmail(wrong.slice(0, 120)));
      return emails.length > CONTACT_EMAILS_MAX ? refuse(messages.tooManyEmails) : emails;
    },
    say: (text) => text.split(/\r?\n/).join(', '),
    render: (state) => textAreaField({ ...state, label, hint, maxLength: 4_000 }),
  });
}
