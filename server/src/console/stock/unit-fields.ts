import { textField as textReader } from '../../base/field.ts';
import { CODE_CHARACTERS_MAX } from '../../inventory/text-limits.ts';
import type { UnitChange } from '../../inventory/unit.ts';
import { currencyDigits } from '../../shops/currency-digits.ts';
import {
  amountInput,
  choiceInput,
  instantInput,
  nullable,
  textInput,
} from '../parts/form/fields.ts';
import type { FieldsOf, FormField } from '../parts/form/form-field.ts';
import type { RequestContext } from '../request-context.ts';
import { unitFieldMessages, unitMessages } from './messages/unit.ts';

/** The cost is absent if the member may not see costs. */
export interface UnitValues {
  readonly price: number | null;
  readonly cost?: number | null;
  readonly certNumber: string | null;
  readonly serialNumber: string | null;
  readonly ownership: 'owned' | 'consigned';
  readonly acquiredAt: Date | null;
}

const code = textReader(CODE_CHARACTERS_MAX, 'A certificate or serial number of the unit.');

/** Returns the form fields of a unit, with amounts in this currency. */
export function unitFields(context: RequestContext, currency: string): FieldsOf<UnitValues> {
  const { language, format } = context;
  const messages = unitMessages[language];
  const fieldMessages = unitFieldMessages[language];
  const digits = currencyDigits(currency);
  const example = digits === 0 ? '1200' : `12.${'5'.padEnd(digits, '0')}`;
  const hint = fieldMessages.amountHint(currency, example);
  const amount = (label: string): FormField<number | null> =>
    nullable(amountInput(language, { label, currency, hint, isShort: true }));
  const number = (label: string): FormField<string | null> =>
    nullable(
      textInput({
        label,
        accepts: (text) => code.parse(label, text).ok,
        invalidMessage: fieldMessages.noText,
        isShort: true,
        autocomplete: 'off',
      }),
    );
  return {
    price: amount(messages.price),
    ...(context.can('inventory.cost') ? { cost: amount(messages.cost) } : {}),
    certNumber: number(messages.certificate),
    serialNumber: number(messages.serial),
    ownership: choiceInput({
      label: messages.ownership,
      choices: { owned: messages.owned, consigned: messages.consigned },
      invalidMessage: fieldMessages.noOwnership,
    }),
    acquiredAt: nullable(
      instantInput(language, {
        label: messages.acquired,
        hint: fieldMessages.acquiredHint(format.zone),
        zone: format.zone,
        isShort: true,
      }),
    ),
  };
}

/** Converts form values to the change of a unit that the domain module expects. */
export function unitChange({
  price,
  cost,
  ...others
}: Partial<UnitValues>): Omit<UnitChange, 'id'> {
  return { ...others, priceMinor: price, costMinor: cost };
}
