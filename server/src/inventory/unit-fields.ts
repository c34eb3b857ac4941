import {
  choiceField,
  type Field,
  withDefault,
  openChoiceField,
  orNull,
  textField,
  uuidField,
} from '../base/field.ts';
import { instantField } from '../base/instant-field.ts';
import { itemField } from '../catalog/item-field.ts';
import { storedField } from '../database/columns.ts';
import { amountField, currencyField } from '../shops/amount-field.ts';
import { CODE_CHARACTERS_MAX } from './text-limits.ts';
import { UNIT_STATUSES } from './unit-status.ts';

function code(description: string): Field<string | null> {
  return orNull(textField(CODE_CHARACTERS_MAX, description));
}

/**
 * The fields that the shop writes and apps can see (decision 0001), in the same order as in the
 * API. The request bodies of the Shop API, the columns, the rendered record and both OpenAPI
 * documents derive from this table and from `OWN_UNIT_FIELDS`.
 */
export const SHARED_UNIT_FIELDS = {
  status: storedField(
    'status text',
    withDefault(
      'in_stock',
      openChoiceField(
        UNIT_STATUSES,
        'The status of the unit. The first four are in stock; only `in_stock` is for sale.',
      ),
    ),
  ),
  siteId: storedField('site_id uuid', uuidField('The site of the unit.')),
  locationId: storedField(
    'location_id uuid',
    orNull(uuidField('The storage location of the unit, at the same site.')),
  ),
  item: itemField('A grade. Null or omitted means not graded yet.'),
  certNumber: storedField('cert_number text', code('The certificate number of a graded card.')),
  serialNumber: storedField(
    'serial_number text',
    code('The serial number within a numbered print run, such as 025/100.'),
  ),
  ownership: storedField(
    'ownership text',
    withDefault('owned', choiceField(['owned', 'consigned'], 'Who owns the unit.')),
  ),
  priceMinor: storedField(
    'price_minor bigint',
    orNull(amountField('The asking price, including tax.')),
  ),
  currency: storedField('currency text', currencyField),
  acquiredAt: storedField(
    'acquired_at timestamptz',
    orNull(instantField('When the shop acquired the unit.')),
  ),
};

/**
 * The fields that only the shop sees, after all others. `costMinor` must be the first of them: a
 * stored record ends before its value, because an app sees the cost only if the shop shares it and
 * the approving member may see it.
 */
export const OWN_UNIT_FIELDS = {
  costMinor: storedField(
    'cost_minor bigint',
    orNull(amountField('What the shop paid for the unit.')),
  ),
};

export const UNIT_FIELDS = { ...SHARED_UNIT_FIELDS, ...OWN_UNIT_FIELDS };

export const STATUS_FIELDS = { status: SHARED_UNIT_FIELDS.status };
