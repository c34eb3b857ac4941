/** The maximum length of a folded text, because one code point may become many (U+FDFA: 18). */
export const FOLDED_MAX = 256;

/** Latin, Greek and Cyrillic accents. U+3099 and U+309A stay: without them ガ would become カ. */
const ACCENTS = /[\u0300-\u036f]/g;
const VARIATION_SELECTORS = /[\ufe00-\ufe0f]|[\u{e0100}-\u{e01ef}]/gu;
/** Letters that Unicode does not decompose, each with the letters that people type for it. */
const PLAIN_LETTERS = new Map(
  'ßss æae œoe øo łl ıi đd ðd þth'.split(' ').map((pair) => [pair.charAt(0), pair.slice(1)]),
);
const SPECIAL_LETTERS = /[ßæœøłıđðþ]/g;
/** All kinds of dashes, including wave dashes, because people type any of them for ー. */
const DASH_AFTER_KANA =
  /(?<=[\u3041-\u3096\u30a1-\u30fa\u30fc])[-\u2010-\u2015\u2212\u2500\u301c\uff5e~]+/g;
const KATAKANA = /[\u30a1-\u30f6\u30fd\u30fe]/g;
const KATAKANA_OFFSET = 0x60;
const ASCII_ONLY = /^[\u0020-\u007e]*$/;

/** Removes differences in width, case, accents and dashes after kana. Katakana is kept. */
export function foldWidthAndCase(text: string): string {
  if (ASCII_ONLY.test(text)) return text.toLowerCase().slice(0, FOLDED_MAX);
  return (
    text
      .toWellFormed()
      // NFKC would put a space before a standalone sound mark, which would then not join its kana.
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
      .toWellFormed()
      .replace(DASH_AFTER_KANA, (dashes) => 'ー'.repeat(dashes.length))
  );
}

export function toHiragana(text: string): string {
  return text.replace(KATAKANA, (kana) =>
    String.fromCharCode(kana.charCodeAt(0) - KATAKANA_OFFSET),
  );
}

export function fold(text: string): string {
  return toHiragana(foldWidthAndCase(text));
}
