import { fold } from './fold.ts';
import { wordsOf } from './name-key.ts';

export interface CardNumber {
  /** The letters and digits without separators (`op01001`). Empty if the text has none. */
  readonly joined: string;
  /** Runs of letters and of digits. A run of digits has its length first and no leading zeros. */
  readonly runs: string;
}

export interface PrintedNumber extends CardNumber {
  /** `runs` without a language or region code: people type `LOB-001` for `LOB-EN001`. */
  readonly regionless: string;
  readonly total: string;
}

export interface QueryNumber extends CardNumber {
  /** The part after the slash (`025/165`, `001/SV-P`) as a code, or null without a slash. */
  readonly total: string | null;
  /** The complete text if it has a slash, because some printed numbers do (`ABC/W01-003`). */
  readonly whole: CardNumber | null;
  /** True for `OP09-09`: digits that begin with 0 after another character may be incomplete. */
  readonly mayBeIncomplete: boolean;
}

/** The length of a run of digits is stored in one control character: 2 sorts before 10. */
const RUN_DIGITS_MAX = 31;
const RUNS = /\p{L}+|\d+/gu;
const REGION = / (?:en|jp|e|kr|fr|de|g|it|sp|pt|ae|na|tc|sc|f|i|s|p)(?= [^ a-z]+$)/;
const PREFIX = /^(?:#|no\.?|nr\.?|n°|№)\s*(?=\d)/;
const TOTAL = /^([^/]+)\/([^/]+)$/;

export function runsOf(text: string): string {
  const runs = (fold(text).match(RUNS) ?? []).map((run) => {
    if (!/^\d/.test(run)) return run;
    const digits = run.replace(/^0+(?=\d)/, '').slice(0, RUN_DIGITS_MAX);
    return String.fromCharCode(digits.length) + digits;
  });
  return runs.join(' ');
}

export function cardNumberOf(text: string): CardNumber {
  return { joined: wordsOf(text).join(''), runs: runsOf(text) };
}

/** Normalizes the code of a set or rarity, so that OP-01, OP01 and op1 are equal. */
export function codeOf(text: string): string {
  return runsOf(text).replaceAll(' ', '');
}

export function printedNumberOf(text: string, total: string): PrintedNumber {
  const number = cardNumberOf(text);
  return { ...number, regionless: number.runs.replace(REGION, ''), total: codeOf(total) };
}

export function queryNumberOf(folded: string): QueryNumber | null {
  const plain = folded.trim().replace(PREFIX, '');
  if (!/\d/.test(plain)) return null;
  const [, before = plain, after = ''] = TOTAL.exec(plain) ?? [];
  const total = codeOf(after);
  return {
    ...cardNumberOf(before),
    total: total === '' ? null : total,
    whole: plain.includes('/') ? cardNumberOf(plain) : null,
    mayBeIncomplete: /\D0\d*$/.test(before.trim()),
  };
}
