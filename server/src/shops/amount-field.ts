import { Type } from 'typebox';
import { type Field, integerField, accept, refuse } from '../base/field.ts';
import { isCurrency } from './shop.ts';

/** Higher than any price, and far below the largest exact integer of a double (decision 0009). */
export const AMOUNT_MINOR_MAX = 1_000_000_000_000;

export function amountField(description: string): Field<number> {
  const unit = 'In the minor unit of the currency (whole yen for JPY).';
  return integerField(0, AMOUNT_MINOR_MAX, `${description} ${unit}`);
}

/** A well-formed code that ISO 4217 does not have is an invalid reference (422). */
export const currencyField: Field<string> = {
  schema: Type.String({ pattern: '^[A-Z]{3}$', description: 'ISO 4217.', examples: ['JPY'] }),
  parse: (name, value) => {
    if (typeof value !== 'string' || !/^[A-Z]{3}$/.test(value)) {
      return refuse(`${name} must be an ISO 4217 currency code, such as JPY.`);
    }
    return isCurrency(value)
      ? accept(value)
      : refuse(`${name}: ISO 4217 has no currency ${value}.`, true);
  },
};
