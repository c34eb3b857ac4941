/**
 * The longest folded text that is kept or sought, in UTF-16 units. A query has at most 150 code points (specification
 * 4.8), but one code point may fold into many (U+FDFA into 18): without a bound a query of 150 of them would be 2,700
 * long, and a hostile name could fill the index. Names and queries are cut alike, so that a cut name is still found.
 */
export const FOLDED_MAX = 256;

/** Accents of Latin, Greek and Cyrillic. Never U+3099 and U+309A: without those ガ would become カ. */
const ACCENTS = /[\u0300-\u036f]/g;

/** Marks that say how a character is drawn (☆ as text or as picture, variants of a kanji), not which one it is. */
const VARIATION_SELECTORS = /[\ufe00-\ufe0f]|[\u{e0100}-\u{e01ef}]/gu;

/** Letters that have no decomposition in Unicode and are written plainly on most keyboards. */
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

/** Every dash that keyboards and fonts offer, the wave dashes too: after kana people type any of them for ー. */
const DASH_AFTER_KANA =
  /(?<=[\u3041-\u3096\u30a1-\u30fa\u30fc])[-\u2010-\u2015\u2212\u2500\u301c\uff5e~]+/g;

const KATAKANA = /[\u30a1-\u30f6\u30fd\u30fe]/g;
/** How far the katakana block lies behind the hiragana block. */
const KATAKANA_OFFSET = 0x60;

const ASCII_ONLY = /^[\u0020-\u007e]*$/;

/**
 * A text without the differences that mean nothing to a person: width, case, accents, dashes after kana. Katakana are
 * still katakana (`toHiragana` is the last step), and spaces and punctuation are still there. At most FOLDED_MAX long.
 */
export function foldWidthAndCase(text: string): string {
  if (ASCII_ONLY.test(text)) return text.toLowerCase().slice(0, FOLDED_MAX);
  return (
    text
      .toWellFormed()
      // The sound marks that stand alone would be split off by a space in NFKC and never join their kana.
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
      // A pair cut in half would be no text any more.
      .toWellFormed()
      .replace(DASH_AFTER_KANA, (dashes) => 'ー'.repeat(dashes.length))
  );
}

/** Katakana as hiragana; ー stays. */
export function toHiragana(text: string): string {
  return text.replace(KATAKANA, (kana) =>
    String.fromCharCode(kana.charCodeAt(0) - KATAKANA_OFFSET),
  );
}

/** Cuts a text to FOLDED_MAX and folds it: the form in which numbers, set codes and words are compared. */
export function fold(text: string): string {
  return toHiragana(foldWidthAndCase(text));
}
