import { AMOUNT_MINOR_MAX } from './amount-field.ts';
import { currencyDigits } from './currency-digits.ts';

/**
 * The result of parsing a typed amount. The kind is `digits` if the amount has more decimals than
 * the currency; the member `digits` is the number of decimals that the currency has.
 */
export type ParsedAmount =
  | { readonly kind: 'amount'; readonly minor: number }
  | { readonly kind: 'empty' | 'no_amount' | 'too_large' }
  | { readonly kind: 'digits'; readonly digits: number };

/** Parses the major unit, such as `1200`, `1,200` or `12.50`, in full- or half-width digits. */
export function parseAmount(text: string, currency: string): ParsedAmount {
  const plain = text.normalize('NFKC').replaceAll(/[\s¥円]/g, '');
  if (plain === '') return { kind: 'empty' };
  const parts = /^(\d{1,3}(?:,\d{3})+|\d{1,15})(?:\.(\d{1,9}))?$/.exec(plain);
  if (parts === null) return { kind: 'no_amount' };
  const digits = currencyDigits(currency);
  const fraction = parts[2] ?? '';
  // Reject surplus zeros too: where a point groups thousands, `1.000` means a thousand.
  if (fraction.length > digits) return { kind: 'digits', digits };
  const minor = Number(`${(parts[1] ?? '').replaceAll(',', '')}${fraction.padEnd(digits, '0')}`);
  return minor > AMOUNT_MINOR_MAX ? { kind: 'too_large' } : { kind: 'amount', minor };
}

/** Formats an amount for an input field: in the major unit, without grouping. */
export function amountText(minor: number | null, currency: string): string {
  if (minor === null) return '';
  const digits = currencyDigits(currency);
  const text = String(minor).padStart(digits + 1, '0');
  return digits === 0 ? text : `${text.slice(0, -digits)}.${text.slice(-digits)}`;
}
