import { currencyDigits } from '../format.ts';

/** The largest amount in minor units (decision 0009). */
const AMOUNT_MINOR_MAX = 1_000_000_000_000;
/** Digits with or without commas between the thousands, then perhaps a fraction. */
const AMOUNT = /^(\d{1,13}|\d{1,3}(?:,\d{3}){1,4})(?:\.(\d{1,6}))?$/;

/** An amount that was typed, or why it is none. */
export type TypedAmount =
  | { readonly kind: 'amount'; readonly minor: number }
  | { readonly kind: 'no_amount' | 'too_large' }
  /** It has more digits behind the point than the currency. */
  | { readonly kind: 'too_fine'; readonly digits: number };

/** Reads an amount in the major unit of a currency: `1200`, `1,200`, `12.50`, in full-width digits too. */
export function parseAmount(text: string, currency: string): TypedAmount {
  const parts = AMOUNT.exec(text.normalize('NFKC').trim());
  const whole = parts?.[1];
  if (whole === undefined) return { kind: 'no_amount' };
  const digits = currencyDigits(currency);
  const fraction = (parts?.[2] ?? '').replace(/0+$/, '');
  if (fraction.length > digits) return { kind: 'too_fine', digits };
  const minor = Number(`${whole.replaceAll(',', '')}${fraction.padEnd(digits, '0')}`);
  return minor > AMOUNT_MINOR_MAX ? { kind: 'too_large' } : { kind: 'amount', minor };
}

/** An amount in minor units as it is typed: `1200`, `12.50`; empty for none. */
export function amountText(minor: number | null, currency: string): string {
  if (minor === null) return '';
  const digits = currencyDigits(currency);
  if (digits === 0) return String(minor);
  const text = String(minor).padStart(digits + 1, '0');
  return `${text.slice(0, -digits)}.${text.slice(-digits)}`;
}

/** A whole number that was typed, in full-width digits too, or null when it is none from `min` to `max`. */
export function parseCount(text: string, min: number, max: number): number | null {
  const plain = text.normalize('NFKC').trim();
  const count = /^\d{1,10}$/.test(plain) ? Number(plain) : Number.NaN;
  return count >= min && count <= max ? count : null;
}
