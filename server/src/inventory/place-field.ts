import { Type } from 'typebox';
import {
  type Field,
  booleanField,
  withDefault,
  openChoiceField,
  accept,
  refuse,
  textField,
  uuidField,
} from '../base/field.ts';
import { storedField } from '../database/columns.ts';
import { CODE_CHARACTERS_MAX, NAME_CHARACTERS_MAX } from './text-limits.ts';

/** Writers must use one of these kinds; clients must also accept unknown kinds. */
export const SITE_KINDS = ['store', 'warehouse', 'event', 'online', 'other'] as const;
/** Writers must use one of these kinds; clients must also accept unknown kinds. */
export const LOCATION_KINDS = [
  'showcase',
  'shelf',
  'storage',
  'safe',
  'counter',
  'transit',
  'other',
] as const;

/** The 249 officially assigned codes of ISO 3166-1 alpha-2. */
const COUNTRIES = new Set(
  `AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS
  BT BV BW BY BZ CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG
  EH ER ES ET FI FJ FK FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR
  HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR
  LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG
  NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE
  SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA
  UG UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW`.split(/\s+/),
);

/** Matches `Asia/Tokyo`, `Etc/GMT-9` and `UTC`, but not an offset (`+09:00`). */
const ZONE = /^[A-Z][A-Za-z0-9_+-]{0,31}(\/[A-Z][A-Za-z0-9_+-]{0,31}){0,2}$/;

export const countryField: Field<string> = {
  schema: Type.String({
    pattern: '^[A-Z]{2}$',
    description: 'ISO 3166-1 alpha-2, in upper case.',
    examples: ['JP'],
  }),
  parse: (name, value) =>
    typeof value === 'string' && COUNTRIES.has(value)
      ? accept(value)
      : refuse(`${name} must be an ISO 3166-1 alpha-2 country code, such as JP.`),
};

export const timezoneField: Field<string> = {
  schema: Type.String({
    maxLength: 98,
    description: 'The name of an IANA time zone.',
    examples: ['Asia/Tokyo'],
  }),
  parse(name, value) {
    const zone = typeof value === 'string' ? resolveZone(value) : null;
    if (typeof value !== 'string' || zone === null) {
      return refuse(`${name} must be an IANA time zone, such as Asia/Tokyo.`);
    }
    // An alias such as `Asia/Kolkata` or `US/Pacific` resolves to another name, but is stored as
    // written.
    if (zone !== value && zone.toLowerCase() === value.toLowerCase()) {
      return refuse(`${name} must be written as ${zone}.`);
    }
    return accept(value);
  },
};

/** Returns the runtime's name of a zone, regardless of case, or null for an unknown zone. */
function resolveZone(value: string): string | null {
  if (!ZONE.test(value)) return null;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: value }).resolvedOptions().timeZone;
  } catch {
    // A RangeError means that the runtime's time zone database has no such zone.
    return null;
  }
}

const code = storedField('code text', textField(CODE_CHARACTERS_MAX, "The shop's own code.", true));
const name = storedField('name text', textField(NAME_CHARACTERS_MAX, 'The display name.', true));
const isActive = storedField(
  'is_active boolean',
  withDefault(
    true,
    booleanField(
      'False if the site or location is no longer in use. Sites and locations are never deleted.',
    ),
  ),
);

/** The fields of a site, in the same order as in the API (spec 2.4, 3.3). */
export const SITE_FIELDS = {
  code,
  name,
  kind: storedField('kind text', openChoiceField(SITE_KINDS, 'The kind of site.')),
  countryCode: storedField('country_code text', countryField),
  timezone: storedField('timezone text', timezoneField),
  isActive,
};

/** The fields of a location, in the same order as in the API (spec 2.4, 3.3). */
export const LOCATION_FIELDS = {
  siteId: storedField('site_id uuid', uuidField('The site of the location.')),
  code,
  name,
  kind: storedField('kind text', openChoiceField(LOCATION_KINDS, 'The kind of location.')),
  isActive,
};
