/** Digits of most currencies: a hundred minor units are one major unit. */
const MOST = 2;

// List One of ISO 4217, column "Minor unit". Not `Intl`'s own count: that is CLDR's, the custom of shops, which has no
// digits for HUF, IDR, PKR and a dozen others that have two, nor for IQD, which has three.
const OTHERS: ReadonlyMap<string, number> = new Map(
  [
    [0, 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'] as const,
    [3, 'BHD IQD JOD KWD LYD OMR TND'] as const,
    [4, 'CLF UYW'] as const,
  ].flatMap(([digits, codes]) => codes.split(' ').map((code) => [code, digits] as const)),
);

/**
 * How many digits after the point an amount in a currency has: 10 to this power minor units are one major unit. What ISO
 * 4217 says, as the wire does (specification 2.3); 2 for what is in no list, or has no minor unit there (XDR, XSU).
 */
export function currencyDigits(currency: string): number {
  return OTHERS.get(currency) ?? MOST;
}
