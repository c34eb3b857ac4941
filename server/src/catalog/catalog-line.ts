import { Type } from 'typebox';
import {
  type Field,
  type Fields,
  type Members,
  type Reading,
  flagField,
  isObject,
  orNull,
  quote,
  read,
  readMembers,
  refuse,
  textField,
  uuidField,
} from '../base/field.ts';
import type { CardSet, Game, LocalizedNames, Rarity } from './card.ts';
import type { CatalogEntry } from './entry.ts';

/** Code points of a catalog name. The longest real one seen has 112; a longer one is a text in the wrong column. */
const NAME_CHARACTERS_MAX = 500;
/** Code points of a code, a number or a variant. */
const CODE_CHARACTERS_MAX = 100;
/** Characters of an address, the usual limit of browsers and proxies. */
const URL_CHARACTERS_MAX = 2_048;
/** Languages and scripts of one name. */
const LOCALIZED_NAMES_MAX = 100;
const LANGUAGE = /^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8}){0,4}$/;

const name = textField(NAME_CHARACTERS_MAX, 'A name.');
const code = textField(CODE_CHARACTERS_MAX, 'A code.');
const id = uuidField('The id.');

const language: Field<string> = {
  schema: Type.String(),
  read: (path, value) =>
    typeof value === 'string' && LANGUAGE.test(value)
      ? read(value)
      : refuse(`${path} must be a language tag such as ja or zh-tw.`),
};

const imageUrl: Field<string> = {
  schema: Type.String({ format: 'uri' }),
  read: (path, value) => {
    const isUrl =
      typeof value === 'string' &&
      value.length <= URL_CHARACTERS_MAX &&
      /^https?:\/\/[^\s\p{Cc}]+$/u.test(value) &&
      value.isWellFormed() &&
      URL.canParse(value);
    return isUrl
      ? read(value)
      : refuse(
          `${path} must be an http or https address of at most ${URL_CHARACTERS_MAX} characters.`,
        );
  },
};

const localizedNames: Field<LocalizedNames> = {
  schema: Type.Record(Type.String(), Type.String()),
  read: (path, value) => {
    if (!isObject(value)) return refuse(`${path} must be a JSON object.`);
    const entries = Object.entries(value);
    if (entries.length > LOCALIZED_NAMES_MAX) {
      return refuse(`${path} must have at most ${LOCALIZED_NAMES_MAX} members.`);
    }
    const names: [string, string][] = [];
    for (const [tag, each] of entries) {
      if (!LANGUAGE.test(tag)) return refuse(`${path}: ${quote(tag)} is not a language tag.`);
      const reading = name.read(`${path}.${tag}`, each);
      if (!reading.ok) return reading;
      names.push([tag, reading.value]);
    }
    return read(Object.fromEntries(names));
  },
};

const gameFields = { id, code, name };
const setFields = { id, code, name, nameEn: orNull(name) };
const rarityFields = { code, name };

const game = whole<Game>(gameFields, ['id', 'code', 'name'], (members) => ({
  id: members['id'] ?? '',
  code: members['code'] ?? '',
  name: members['name'] ?? '',
}));
const cardSet = whole<CardSet>(setFields, ['id', 'code', 'name'], (members) => ({
  id: members['id'] ?? '',
  code: members['code'] ?? '',
  name: members['name'] ?? '',
  nameEn: members['nameEn'] ?? null,
}));
const rarity = whole<Rarity>(rarityFields, ['code', 'name'], (members) => ({
  code: members['code'] ?? '',
  name: members['name'] ?? '',
}));

const cardFields = {
  id,
  name,
  localizedNames,
  cardNumber: orNull(code),
  setTotalRaw: orNull(code),
  janCode: orNull(code),
  languageCode: language,
  variant: orNull(name),
  finish: orNull(code),
  imageUrl: orNull(imageUrl),
  rarity: orNull(rarity),
  set: orNull(cardSet),
  game,
  isActive: flagField('False takes the entry out of the search.'),
};

const productFields = {
  id,
  name,
  productKind: code,
  janCode: orNull(code),
  languageCode: language,
  imageUrl: orNull(imageUrl),
  game,
  isActive: cardFields.isActive,
};

const switchFields = { id, isActive: cardFields.isActive };

const gradeFields = {
  id,
  code,
  label: name,
  serviceCode: code,
  serviceName: name,
};

/**
 * One line of a catalog file: a switch when it has `id` and `isActive` and nothing else, a product when it has
 * `productKind`, a third-party grade when it has `serviceKind`, else a card in the fields of specification 2.2 (decision
 * 0009). Other members are passed over.
 */
export function readCatalogLine(value: unknown): Reading<CatalogEntry> {
  if (!isObject(value)) return refuse('The line must be a JSON object.');
  if (isSwitch(value)) return readSwitchLine(value);
  const isProduct = value['productKind'] !== undefined;
  const isGrade = value['serviceKind'] !== undefined;
  if (isProduct && isGrade) {
    return refuse('A line is a product (productKind) or a grade (serviceKind), not both.');
  }
  if (isProduct) return readProductLine(value);
  return isGrade ? readGradeLine(value) : readCardLine(value);
}

/** Nothing else at all: a line with one more member may be a whole one that lost the others. */
function isSwitch(value: Readonly<Record<string, unknown>>): boolean {
  const members = Object.keys(value);
  return members.length === 2 && members.includes('id') && members.includes('isActive');
}

function readSwitchLine(value: unknown): Reading<CatalogEntry> {
  const reading = readMembers(switchFields, value, 'refuse');
  if (!reading.ok) return reading;
  const line = reading.value;
  if (line.id === undefined || line.isActive === undefined) {
    return refuse(missing('A switch', line, ['id', 'isActive']));
  }
  return read({ kind: 'switch', id: line.id, isActive: line.isActive });
}

function readCardLine(value: unknown): Reading<CatalogEntry> {
  const reading = readMembers(cardFields, value, 'ignore');
  if (!reading.ok) return reading;
  const line = reading.value;
  if (
    line.id === undefined ||
    line.name === undefined ||
    line.languageCode === undefined ||
    line.game === undefined
  ) {
    return refuse(missing('A card', line, ['id', 'name', 'languageCode', 'game']));
  }
  const card = {
    id: line.id,
    name: line.name,
    localizedNames: line.localizedNames ?? {},
    cardNumber: line.cardNumber ?? null,
    setTotalRaw: line.setTotalRaw ?? null,
    janCode: line.janCode ?? null,
    languageCode: line.languageCode,
    variant: line.variant ?? null,
    finish: line.finish ?? null,
    imageUrl: line.imageUrl ?? null,
    rarity: line.rarity ?? null,
    set: line.set ?? null,
    game: line.game,
  };
  return read({ kind: 'card', card, isActive: line.isActive ?? true });
}

function readProductLine(value: unknown): Reading<CatalogEntry> {
  const reading = readMembers(productFields, value, 'ignore');
  if (!reading.ok) return reading;
  const line = reading.value;
  if (
    line.id === undefined ||
    line.name === undefined ||
    line.productKind === undefined ||
    line.languageCode === undefined ||
    line.game === undefined
  ) {
    return refuse(missing('A product', line, ['id', 'name', 'languageCode', 'game']));
  }
  const product = {
    id: line.id,
    name: line.name,
    productKind: line.productKind,
    janCode: line.janCode ?? null,
    languageCode: line.languageCode,
    imageUrl: line.imageUrl ?? null,
    game: line.game,
  };
  return read({ kind: 'product', product, isActive: line.isActive ?? true });
}

function readGradeLine(value: Readonly<Record<string, unknown>>): Reading<CatalogEntry> {
  if (value['serviceKind'] !== 'third_party') {
    return refuse("serviceKind must be third_party: a shop's own grades come with its inventory.");
  }
  const reading = readMembers(gradeFields, value, 'ignore');
  if (!reading.ok) return reading;
  const line = reading.value;
  if (
    line.id === undefined ||
    line.code === undefined ||
    line.label === undefined ||
    line.serviceCode === undefined ||
    line.serviceName === undefined
  ) {
    return refuse(missing('A grade', line, Object.keys(gradeFields)));
  }
  const grade = {
    id: line.id,
    code: line.code,
    label: line.label,
    serviceCode: line.serviceCode,
    serviceName: line.serviceName,
    serviceKind: 'third_party' as const,
  };
  return read({ kind: 'grade', grade });
}

/** An object inside a line, with members that must be there. */
function whole<T>(
  fields: Readonly<Record<string, Field<string> | Field<string | null>>>,
  required: readonly string[],
  make: (members: Members<Record<string, Field<string | null>>>) => T,
): Field<T> {
  return {
    schema: Type.Object({}),
    read: (path, value) => {
      const reading = readMembers<Fields>(fields, value, 'ignore', path);
      if (!reading.ok) return reading;
      const lacking = required.filter((member) => reading.value[member] === undefined);
      if (lacking.length > 0) return refuse(`${path} needs ${lacking.join(', ')}.`);
      // Every field of this table reads a string or null.
      return read(make(reading.value as Members<Record<string, Field<string | null>>>));
    },
  };
}

function missing(what: string, line: object, required: readonly string[]): string {
  const lacking = required.filter((member) => Reflect.get(line, member) === undefined);
  return `${what} needs ${lacking.join(', ')}.`;
}
