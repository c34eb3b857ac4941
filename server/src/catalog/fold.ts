/**
 * Limit in UTF-16 units, the same for names and queries, so that a cut name can still be found. A
 * query has at most 150 code points (spec 4.8), but one code point may fold into many (U+FDFA into
 * 18): without a limit a hostile name could fill the index.
 */
export const FOLDED_MAX = 256;

/** Latin, Greek and Cyrillic. Not U+3099 and U+309A: removing them would turn ガ into カ. */
const ACCENTS = /[\u0300-\u036f]/g;

/** Selectors of how a character is drawn (☆ as text or emoji, kanji variants). */
const VARIATION_SELECTORS = /[\ufe00-\ufe0f]|[\u{e0100}-\u{e01ef}]/gu;

/** Letters without a decomposition in Unicode that most keyboards write plainly. */
const PLAIN_LETTERS: ReadonlyMap<string, string> = new Map([
  ['ß', 'ss'],
  ['æ', 'ae'],
  ['œ', 'oe'],
  ['ø', 'o'],
  ['ł', 'l'],
  ['ı', 'i'],
  ['đ', 'd'],
  ['ð', 'd'],
  ['þ', 'th'],
]);

const SPECIAL_LETTERS = /[ßæœøłıđðþ]/g;

/** Every dash of keyboards and fonts, including wave dashes: people type any of them for ー. */
const DASH_AFTER_KANA =
  /(?<=[\u3041-\u3096\u30a1-\u30fa\u30fc])[-\u2010-\u2015\u2212\u2500\u301c\uff5e~]+/g;

const KATAKANA = /[\u30a1-\u30f6\u30fd\u30fe]/g;
const KATAKANA_OFFSET = 0x60;

const ASCII_ONLY = /^[\u0020-\u007e]*$/;

/**
 * Removes differences of width, case, accents and dashes after kana. Keeps katakana (`toHiragana`
 * is a later step), spaces and punctuation. At most `FOLDED_MAX` units.
 */
export function foldWidthAndCase(text: string): string {
  if (ASCII_ONLY.test(text)) return text.toLowerCase().slice(0, FOLDED_MAX);
  return (
    text
      .toWellFormed()
      // NFKC would put a space before the standalone sound marks, and they would not join their
      // kana.
      .replaceAll('\u309b', '\u3099')
      .replaceAll('\u309c', '\u309a')
      .normalize('NFKC')
      .toLowerCase()
      .normalize('NFD')
      .replace(ACCENTS, '')
      .replace(VARIATION_SELECTORS, '')
      .normalize('NFC')
      .replace(SPECIAL_LETTERS, (letter) => PLAIN_LETTERS.get(letter) ?? letter)
      .slice(0, FOLDED_MAX)
      // The cut may have split a surrogate pair.
      .toWellFormed()
      .replace(DASH_AFTER_KANA, (dashes) => 'ー'.repeat(dashes.length))
  );
}

export function toHiragana(text: string): string {
  return text.replace(KATAKANA, (kana) =>
    String.fromCharCode(kana.charCodeAt(0) - KATAKANA_OFFSET),
  );
}

/** The form in which numbers, set codes and words are compared; at most `FOLDED_MAX` units. */
export function fold(text: string): string {
  return toHiragana(foldWidthAndCase(text));
}
