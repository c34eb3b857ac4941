import { choiceField, flagField, orNull, textField, uuidField } from '../base/field.ts';
import { LOCATION_KINDS } from '../inventory/location.ts';
import { SITE_KINDS } from '../inventory/site.ts';
import { countryField, timezoneField } from '../inventory/place-field.ts';
import { CODE_CHARACTERS_MAX, NAME_CHARACTERS_MAX } from '../inventory/text-bounds.ts';
import { UNIT_STATUSES } from '../inventory/unit-status.ts';
import { instantField } from './instant-field.ts';
import { itemField } from './item-field.ts';
import { amountField, currencyField } from '../shops/amount-field.ts';

// What a shop's system may say of each object (decision 0009): the one table from which bodies, lines of batches and
// files are read, and their schemas made. Lengths are in code points.

const code = textField(CODE_CHARACTERS_MAX, "The shop's own code.");
const name = textField(NAME_CHARACTERS_MAX, 'The name that people see.');
const isActive = flagField('False when it is no longer used. Nothing is ever deleted.');

/** `PUT /sites/{id}`. */
export const siteFields = {
  code,
  name,
  kind: choiceField(SITE_KINDS, 'What the site is.'),
  countryCode: countryField,
  timezone: timezoneField,
  isActive,
};

/** `PUT /locations/{id}`. */
export const locationFields = {
  siteId: uuidField('The site that the location is in.'),
  code,
  name,
  kind: choiceField(LOCATION_KINDS, 'What the location is.'),
  isActive,
};

/** `PUT /grades/{id}`. */
export const gradeFields = {
  code,
  label: textField(NAME_CHARACTERS_MAX, 'The display name.'),
  serviceCode: textField(CODE_CHARACTERS_MAX, 'The code of the scale.'),
  serviceName: textField(NAME_CHARACTERS_MAX, 'The name of the scale.'),
};

/** `POST /units/{id}/status`. */
export const statusFields = {
  status: choiceField(UNIT_STATUSES, 'Where the unit stands. For sale only when in_stock.'),
};

/** `PUT /units/{id}`. */
export const unitFields = {
  siteId: uuidField('The site that the unit is at.'),
  locationId: orNull(uuidField('The location that the unit is in, at the same site.')),
  item: itemField('A grade; null or left out: not graded yet.'),
  certNumber: orNull(textField(CODE_CHARACTERS_MAX, 'The number on the slab.')),
  serialNumber: orNull(textField(CODE_CHARACTERS_MAX, 'The number in its print run: 025/100.')),
  ownership: choiceField(['owned', 'consigned'], 'Whose the unit is.'),
  priceMinor: amountField,
  costMinor: amountField,
  currency: currencyField,
  acquiredAt: orNull(instantField),
  status: statusFields.status,
};

/** A line of `POST /units/batch`: a unit with its id. */
export const unitLineFields = { id: uuidField("The unit's id."), ...unitFields };
