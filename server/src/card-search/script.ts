export type Script = (typeof SCRIPT)[keyof typeof SCRIPT];

/** Classes of characters: small numbers, so that a table stores one for each UTF-16 unit. */
export const SCRIPT = {
  /** Spaces, punctuation and pictographs, which end a word and are dropped. */
  none: 0,
  /** Apostrophes, which are dropped without ending a word (Lim-Dûl's, ProfessorOak's). */
  joiner: 1,
  letter: 2,
  hiragana: 3,
  katakana: 4,
  han: 5,
  hangul: 6,
  symbol: 7,
  /** Combining marks and ー, which belong to the character before them. */
  mark: 8,
} as const;

/** Symbols that distinguish card names; all others are dropped like punctuation. */
const KEPT_SYMBOLS = /[☆★♀♂%+×∞◇◆◎○●△▲▽▼□■♪♡♥♦♣♠]/u;

/**
 * The patterns by priority: otherwise ー and ヽ would be katakana, and は with a combining mark would
 * end a word.
 */
const PATTERNS: readonly (readonly [RegExp, Script])[] = [
  [/['’‘ʼ`´]/u, SCRIPT.joiner],
  [/[ー\p{M}]/u, SCRIPT.mark],
  [KEPT_SYMBOLS, SCRIPT.symbol],
  [/[\p{Script=Hiragana}]/u, SCRIPT.hiragana],
  [/[\p{Script=Katakana}]/u, SCRIPT.katakana],
  [/[\p{Script=Han}々〆]/u, SCRIPT.han],
  [/[\p{Script=Hangul}]/u, SCRIPT.hangul],
  [/[\p{L}\p{N}]/u, SCRIPT.letter],
];

const UNASKED = 0xff;

/**
 * Caches the class of each UTF-16 unit, to avoid testing eight patterns for each character of a
 * million names.
 */
const scriptOfUnit = new Uint8Array(0x1_00_00).fill(UNASKED);

export function scriptOf(character: string): number {
  if (character.length > 1) return patternedScriptOf(character);
  const unit = character.charCodeAt(0);
  const known = scriptOfUnit[unit] ?? UNASKED;
  if (known !== UNASKED) return known;
  const script = patternedScriptOf(character);
  scriptOfUnit[unit] = script;
  return script;
}

function patternedScriptOf(character: string): Script {
  return PATTERNS.find(([pattern]) => pattern.test(character))?.[1] ?? SCRIPT.none;
}
