export type Identifier =
  | { readonly kind: 'jan'; readonly codes: readonly [string, ...string[]] }
  | { readonly kind: 'id'; readonly id: string };

/** The separators that people and scanners put between the digits of a code. */
const SEPARATORS = /[\s\-\u2010-\u2015\u2212\u2500\u30fc.]/g;
/** GTIN-8, GTIN-12 (UPC), GTIN-13 (JAN, EAN) and GTIN-14 (GS1 General Specifications 2.1). */
const TRADE_ITEM_NUMBER = /^(?:\d{8}|\d{12,14})$/;
const UUID = /^\{?([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})\}?$/;

/**
 * Parses a JAN, EAN, UPC or UUID, however people or scanners write it. `codes` lists all forms of
 * the number that a catalog may contain, the typed form first. The check digit is not verified,
 * because a catalog may contain a wrong one.
 */
export function parseIdentifier(text: string): Identifier | null {
  const plain = text.normalize('NFKC').replace(SEPARATORS, '').toLowerCase();
  if (TRADE_ITEM_NUMBER.test(plain)) return { kind: 'jan', codes: spellingsOf(plain) };
  const parts = UUID.exec(plain);
  return parts === null ? null : { kind: 'id', id: parts.slice(1).join('-') };
}

/** A leading zero makes a UPC an EAN, and an EAN a GTIN-14 (GS1 General Specifications 3.3). */
function spellingsOf(digits: string): [string, ...string[]] {
  const number = digits.replace(/^0+/, '');
  const others =
    digits.length === 8 ? [] : [12, 13, 14].map((length) => number.padStart(length, '0'));
  return [digits, ...others.filter((other) => other !== digits && other.length <= 14)];
}
