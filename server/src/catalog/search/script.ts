/** Which writing a character belongs to, as far as words are told apart by it. */
export type Script = (typeof SCRIPT)[keyof typeof SCRIPT];

/** The scripts as small numbers, so that a table can hold one for each UTF-16 unit. */
export const SCRIPT = {
  /** Spaces, punctuation, pictures: they end a word and are not kept. */
  none: 0,
  /** Apostrophes: they are not kept and end no word (Lim-Dûl's, ProfessorOak's). */
  joiner: 1,
  /** Letters and digits of every script that writes words apart. */
  letter: 2,
  hiragana: 3,
  katakana: 4,
  han: 5,
  hangul: 6,
  /** Symbols that tell names apart. */
  symbol: 7,
  /** Marks and ー: they belong to whatever stands before them. */
  mark: 8,
} as const;

/** Symbols that card names are told apart by; every other symbol is dropped like punctuation. */
const KEPT_SYMBOLS = /[☆★♀♂%+×∞◇◆◎○●△▲▽▼□■♪♡♥♦♣♠]/u;

/** In this order: ー and ヽ would else be katakana, and は written with a combining mark would end a word. */
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

/** A unit whose script nobody has asked for yet. */
const UNASKED = 0xff;

/** One entry for each UTF-16 unit: a look-up instead of eight patterns for each character of a million names. */
const scriptOfUnit = new Uint8Array(0x1_00_00).fill(UNASKED);

/** The script of one character (a code point). */
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
