const DEFAULT_DIGITS = 2;

// Currencies whose minor unit is not two digits, from ISO 4217 List One, column "Minor unit".
// `Intl` is not used because CLDR follows common practice: it gives no digits for HUF, IDR, PKR and
// a dozen others that have two, and none for IQD, which has three.
const EXCEPTIONS: ReadonlyMap<string, number> = new Map(
  [
    [0, 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'] as const,
    [3, 'BHD IQD JOD KWD LYD OMR TND'] as const,
    [4, 'CLF UYW'] as const,
  ].flatMap(([digits, codes]) => codes.split(' ').map((code) => [code, digits] as const)),
);

/**
 * Returns the decimal digits of a currency's minor unit. Follows ISO 4217, as the API does (spec
 * 2.3). Unlisted currencies and those without a minor unit (XDR, XSU) have 2.
 */
export function currencyDigits(currency: string): number {
  return EXCEPTIONS.get(currency) ?? DEFAULT_DIGITS;
}
