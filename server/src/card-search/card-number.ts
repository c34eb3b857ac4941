import { fold } from '../catalog/fold.ts';
import { SCRIPT, scriptOf } from './script.ts';

export interface CardNumber {
  /** The letters and digits joined as typed (`op01001`). Empty when the text has none. */
  readonly joined: string;
  /**
   * The runs of letters and of digits, without leading zeros. A control character before each run
   * of digits encodes its length, so that the texts sort in natural order (2 before 10).
   */
  readonly runs: string;
}

/** Limits a run: its length must fit in a control character. Printed numbers are shorter. */
const RUN_DIGITS_MAX = 31;

const RUNS = /\p{L}+|\d+/gu;

export function cardNumberOf(text: string): CardNumber {
  const folded = fold(text);
  let joined = '';
  for (const character of folded) if (scriptOf(character) > SCRIPT.joiner) joined += character;
  return { joined, runs: runsOf(folded) };
}

export function runsOf(folded: string): string {
  return (folded.match(RUNS) ?? []).map(runOf).join(' ');
}

function runOf(run: string): string {
  const first = run.charCodeAt(0);
  if (first < ZERO || first > NINE) return run;
  const digits = run.replace(/^0+(?=\d)/, '').slice(0, RUN_DIGITS_MAX);
  return String.fromCharCode(digits.length) + digits;
}

const ZERO = 0x30;
const NINE = 0x39;

export interface QueryNumber extends CardNumber {
  /** The runs after a slash (`025/165`), or null without a slash. */
  readonly total: string | null;
  /**
   * The complete text if it has a slash, because some games print a slash in the number
   * (`ABC/W01-003`), else null.
   */
  readonly whole: CardNumber | null;
  /** Other printed forms of the number, with a language or region code. */
  readonly regional: readonly string[];
  /**
   * The runs if the number has digits only, because it may be the end of a longer number, else
   * null.
   */
  readonly tail: string | null;
  /** The last digits begin with 0 after another character, so more may follow (`OP09-09`). */
  readonly mayBeIncomplete: boolean;
}

const PREFIX = /^(?:#|no\.?|nr\.?|n°|№)\s*(?=\d)/;
const TOTAL = /^([^/]+)\/([^/]+)$/;

/**
 * The language and region codes that some games print between set and number (`LOB-EN001`). People
 * often omit them (`LOB-001`).
 */
const REGIONS = [
  'en',
  'jp',
  'e',
  'kr',
  'fr',
  'de',
  'g',
  'it',
  'sp',
  'pt',
  'ae',
  'na',
  'tc',
  'sc',
  'f',
  'i',
  's',
  'p',
];

export function parseQueryNumber(folded: string): QueryNumber | null {
  const plain = folded.trim().replace(PREFIX, '');
  if (!/\d/.test(plain)) return null;
  const [, before = plain, after] = TOTAL.exec(plain) ?? [];
  const number = cardNumberOf(before);
  const total = after === undefined ? null : runsOf(after.trim());
  const parts = /^([a-z]+|[a-z]*\d+[a-z]*)[^a-z\d]*(\d+)$/.exec(before.trim());
  const [, code, digits] = parts ?? [];
  return {
    ...number,
    total: total === '' ? null : total,
    whole: plain.includes('/') ? cardNumberOf(plain) : null,
    regional:
      code === undefined || digits === undefined
        ? []
        : REGIONS.map((region) => runsOf(`${code}-${region}${digits}`)),
    tail: /^\d+$/.test(number.joined) ? number.runs : null,
    mayBeIncomplete: /\D0\d*$/.test(before.trim()),
  };
}
