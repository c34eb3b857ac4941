import { textField as textReader } from '../../base/field.ts';
import type { LocationKind } from '../../inventory/location.ts';
import { countryField } from '../../inventory/place-field.ts';
import type { SiteKind } from '../../inventory/site.ts';
import { CODE_CHARACTERS_MAX, NAME_CHARACTERS_MAX } from '../../inventory/text-limits.ts';
import type { Language } from '../../html/language.ts';
import { checkboxInput, choiceInput, textInput } from '../parts/form/fields.ts';
import type { FieldsOf, FormField } from '../parts/form/form-field.ts';
import { zoneInput } from '../parts/zones.ts';
import { placeMessages } from './messages.ts';

/** The fields of a location that a person can edit. */
export interface LocationValues {
  readonly name: string;
  readonly code: string;
  readonly kind: LocationKind;
  readonly isActive: boolean;
}

/** The fields of a site that a person can edit. */
export interface SiteValues {
  readonly name: string;
  readonly code: string;
  readonly kind: SiteKind;
  readonly countryCode: string;
  readonly timezone: string;
  readonly isActive: boolean;
}

const codeReader = textReader(CODE_CHARACTERS_MAX, 'A code.', true);
const nameReader = textReader(NAME_CHARACTERS_MAX, 'A name.', true);

export function locationFields(language: Language): FieldsOf<LocationValues> {
  return commonFields(language, placeMessages[language].locationKinds);
}

export function siteFields(language: Language): FieldsOf<SiteValues> {
  const messages = placeMessages[language];
  const { isActive, ...common } = commonFields(language, messages.siteKinds);
  return {
    ...common,
    countryCode: textInput({
      label: messages.country,
      hint: messages.countryHint,
      accepts: (text) => countryField.parse('country', text).ok,
      tidy: (text) => text.normalize('NFKC').toUpperCase(),
      invalidMessage: messages.noCountry,
      isShort: true,
      maxLength: 2,
      autocomplete: 'country',
    }),
    timezone: zoneInput({
      label: messages.timezone,
      hint: messages.timezoneHint,
      invalidMessage: messages.noTimezone,
    }),
    isActive,
  };
}

function commonFields<Kind extends string>(
  language: Language,
  kinds: Readonly<Record<Kind, string>>,
): Pick<FieldsOf<LocationValues>, 'name' | 'code' | 'isActive'> & {
  readonly kind: FormField<Kind>;
} {
  const messages = placeMessages[language];
  return {
    name: textInput({
      label: messages.name,
      accepts: (text) => nameReader.parse('name', text).ok,
      invalidMessage: messages.badName,
      isRequired: true,
    }),
    code: textInput({
      label: messages.code,
      hint: messages.codeHint,
      accepts: (text) => codeReader.parse('code', text).ok,
      invalidMessage: messages.noCode,
      isShort: true,
      isRequired: true,
    }),
    kind: choiceInput({ label: messages.kind, choices: kinds, invalidMessage: messages.noKind }),
    isActive: checkboxInput(language, { label: messages.isActive, hint: messages.isActiveHint }),
  };
}
