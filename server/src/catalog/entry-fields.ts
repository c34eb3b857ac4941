import { Type } from 'typebox';
import {
  type Field,
  booleanField,
  withDefault,
  isObject,
  quote,
  accept,
  refuse,
  withResponseSchema,
  textField,
  uuidField,
} from '../base/field.ts';
import { LocalizedText, Uuid } from '../base/schema.ts';

/** Maps BCP 47 tags to names (`{"ja": "…", "ja-Latn": "…"}`). */
export type LocalizedNames = Readonly<Record<string, string>>;

/** The longest known name has 112 characters. A much longer text is probably in the wrong field. */
const NAME_CHARACTERS_MAX = 500;
const CODE_CHARACTERS_MAX = 100;
/** The usual maximum length of a URL in browsers and proxies. */
const URL_CHARACTERS_MAX = 2_048;
const LOCALIZED_NAMES_MAX = 100;
const LANGUAGE = /^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8}){0,4}$/;

export const name = withResponseSchema(Type.String(), textField(NAME_CHARACTERS_MAX, 'A name.'));
export const code = withResponseSchema(Type.String(), textField(CODE_CHARACTERS_MAX, 'A code.'));
export const id = withResponseSchema(Uuid, uuidField('The id.'));

export const language: Field<string> = {
  schema: Type.String(),
  parse: (path, value) =>
    typeof value === 'string' && LANGUAGE.test(value)
      ? accept(value)
      : refuse(`${path} must be a language tag, such as ja or zh-tw.`),
};

export const imageUrl: Field<string> = {
  schema: Type.String({ format: 'uri' }),
  parse: (path, value) => {
    const isUrl =
      typeof value === 'string' &&
      value.length <= URL_CHARACTERS_MAX &&
      /^https?:\/\/[^\s\p{Cc}]+$/u.test(value) &&
      value.isWellFormed() &&
      URL.canParse(value);
    return isUrl
      ? accept(value)
      : refuse(`${path} must be an http or https URL of at most ${URL_CHARACTERS_MAX} characters.`);
  },
};

export const localizedNames: Field<LocalizedNames> = {
  schema: LocalizedText,
  defaultValue: {},
  parse: (path, value) => {
    if (!isObject(value)) return refuse(`${path} must be a JSON object.`);
    const entries = Object.entries(value);
    if (entries.length > LOCALIZED_NAMES_MAX) {
      return refuse(`${path} must have at most ${LOCALIZED_NAMES_MAX} names.`);
    }
    const names: [string, string][] = [];
    for (const [tag, each] of entries) {
      if (!LANGUAGE.test(tag)) {
        return refuse(`${path}: ${quote(tag)} is not a language tag such as ja or zh-tw.`);
      }
      const reading = name.parse(`${path}.${tag}`, each);
      if (!reading.ok) return reading;
      names.push([tag, reading.value]);
    }
    return accept(Object.fromEntries(names));
  },
};

export const isActive = withDefault(
  true,
  booleanField('False removes the entry from search results.'),
);

export const GAME_FIELDS = { id, code, name };
