export type Language = 'en' | 'ja';

/** The maximum length of an `Accept-Language` header. Browsers send much shorter ones. */
const HEADER_CHARACTERS_MAX = 1_000;

/** Returns the supported language with the highest weight (RFC 9110 §12.5.4), or English. */
export function chooseLanguage(acceptLanguage: string | undefined): Language {
  if (acceptLanguage === undefined || acceptLanguage.length > HEADER_CHARACTERS_MAX) return 'en';
  let chosen: Language = 'en';
  let best = 0;
  for (const part of acceptLanguage.split(',')) {
    const [range = '', ...parameters] = part.trim().toLowerCase().split(';');
    const weight = parameters.map((text) => /^\s*q=([01](?:\.\d{0,3})?)\s*$/.exec(text)?.[1]);
    const quality = Number(weight.find((text) => text !== undefined) ?? 1);
    const [primary] = range.trim().split('-');
    if ((primary === 'en' || primary === 'ja') && quality > best) {
      chosen = primary;
      best = quality;
    }
  }
  return chosen;
}
