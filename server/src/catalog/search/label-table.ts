import { cardNumberOf } from './card-number.ts';
import { compareTexts } from './form-table.ts';
import { looseKeyOf } from './loose.ts';
import { nameKeyOf, wordsOf } from './name-key.ts';

/** A set or a rarity as cards spell it: its code and its names. */
export interface Label {
  readonly code: string | null;
  readonly names: readonly string[];
}

/** The unique labels of cards. Number 0 is the empty one of cards that have none. */
export interface LabelTable {
  /** The joined form of each code; labels are sorted by it. */
  readonly codes: readonly string[];
  /** Code without dashes and leading zeros → labels: OP-01, OP01 and op1 are one set to a person. */
  readonly byRuns: ReadonlyMap<string, readonly number[]>;
  /** Names as words between spaces, one label a line, for terms in Latin letters: they match from the start of a word. */
  readonly words: LineText;
  /** Names as keys, for terms in other scripts, which write no spaces. */
  readonly keys: LineText;
  /** The same as loose keys. */
  readonly looseKeys: LineText;
}

/** Lines in one text, so that one native search looks through all of them. */
interface LineText {
  readonly text: string;
  readonly starts: Uint32Array;
}

/** An own spelling of a label, to tell labels apart. */
export function identityOf({ code, names }: Label): string {
  return [code ?? '', ...names].join('\u0000');
}

/** The labels in the order that all indexes share: by the joined code, then by the spelling. */
export function compareLabels(a: Label, b: Label): number {
  return (
    compareTexts(cardNumberOf(a.code ?? '').joined, cardNumberOf(b.code ?? '').joined) ||
    compareTexts(identityOf(a), identityOf(b))
  );
}

/** Builds the table of sorted unique labels. */
export function buildLabels(sorted: readonly Label[]): LabelTable {
  const byRuns = new Map<string, number[]>();
  const codes = sorted.map(({ code }, label) => {
    const { joined, runs } = cardNumberOf(code ?? '');
    const key = runs.replaceAll(' ', '');
    if (key !== '') byRuns.set(key, [...(byRuns.get(key) ?? []), label]);
    return joined;
  });
  const keys = sorted.map(({ names }) => names.map((name) => nameKeyOf(name).key));
  return {
    codes,
    byRuns,
    words: linesOf(sorted.map(({ names }) => ` ${names.flatMap(wordsOf).join(' ')} `)),
    keys: linesOf(keys.map((each) => each.join(' '))),
    looseKeys: linesOf(keys.map((each) => each.map(looseKeyOf).join(' '))),
  };
}

function linesOf(lines: readonly string[]): LineText {
  const starts = new Uint32Array(lines.length);
  for (let line = 1; line < lines.length; line++) {
    starts[line] = (starts[line - 1] ?? 0) + (lines[line - 1]?.length ?? 0) + 1;
  }
  return { text: lines.join('\n'), starts };
}

/** The labels whose code is this, whatever its dashes and leading zeros. */
export function labelsWithCode(table: LabelTable, runs: string): readonly number[] {
  return table.byRuns.get(runs.replaceAll(' ', '')) ?? [];
}

/**
 * A term in Latin letters must have this many to stand for the start of a word of a name (“awak” for Awakening Stars);
 * a shorter one must be the whole word: “e” would be half of all sets.
 */
const WORD_START_MIN = 3;
/** A term in another script must have this many characters to be looked for in names. */
const PART_MIN = 2;

const LATIN = /^[\u0021-\u024f]+$/;

/** The labels whose name holds a key. `loose`: the loose key, when spellings may differ. */
export function labelsNamed(table: LabelTable, key: string, loose: string | null): Set<number> {
  if (LATIN.test(key)) {
    return findLines(table.words, key.length < WORD_START_MIN ? ` ${key} ` : ` ${key}`);
  }
  if (key.length < PART_MIN) return new Set();
  const found = findLines(table.keys, key);
  if (loose !== null && loose.length >= PART_MIN) {
    for (const label of findLines(table.looseKeys, loose)) found.add(label);
  }
  return found;
}

function findLines({ text, starts }: LineText, sought: string): Set<number> {
  const found = new Set<number>();
  let line = 0;
  for (let at = text.indexOf(sought); at >= 0; at = text.indexOf(sought, starts[line] ?? at)) {
    while (line + 1 < starts.length && (starts[line + 1] ?? 0) <= at) line++;
    found.add(line);
    if (++line === starts.length) break;
  }
  return found;
}
