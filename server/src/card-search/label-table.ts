import { cardNumberOf } from './card-number.ts';
import { compareTexts } from './spelling-table.ts';
import { partitionPoint, type GroupedValues, membersOf } from './grouped.ts';
import { looseKeyOf } from './loose-key.ts';
import { nameKeyOf, scriptPartsOf, wordsOf } from './name-key.ts';

export interface Label {
  readonly code: string | null;
  readonly names: readonly string[];
}

/** The labels of sets or rarities: a code and names. Label 0 is the empty label. */
export interface LabelTable {
  /** The codes in joined form, by which the labels are sorted. */
  readonly codes: readonly string[];
  /** Maps a code without dashes and leading zeros to labels: OP-01, OP01 and op1 are equal. */
  readonly byRuns: ReadonlyMap<string, readonly number[]>;
  /** The unique words of names, sorted. Latin terms match from the start of a word. */
  readonly words: readonly string[];
  readonly ofWord: GroupedValues;
  /** The keys of names that are not Latin, for terms in scripts that are written without spaces. */
  readonly keys: LineText;
  readonly looseKeys: LineText;
}

/**
 * Lines joined to one text, so that a single native search covers all of them, with the label of
 * each line.
 */
interface LineText {
  readonly text: string;
  readonly starts: Uint32Array;
  readonly labels: Uint32Array;
}

export function identityOf({ code, names }: Label): string {
  return [code ?? '', ...names].join('\u0000');
}

/** Compares labels by joined code, then by all texts. All indexes share this order. */
export function compareLabels(a: Label, b: Label): number {
  return (
    compareTexts(cardNumberOf(a.code ?? '').joined, cardNumberOf(b.code ?? '').joined) ||
    compareTexts(identityOf(a), identityOf(b))
  );
}

export function buildLabels(sorted: readonly Label[]): LabelTable {
  const byRuns = new Map<string, number[]>();
  const codes = sorted.map(({ code }, label) => {
    const { joined, runs } = cardNumberOf(code ?? '');
    const key = runs.replaceAll(' ', '');
    if (key !== '') byRuns.set(key, [...(byRuns.get(key) ?? []), label]);
    return joined;
  });
  const keys = sorted.map(({ names }) =>
    names.map((name) => nameKeyOf(name).key).filter((key) => key !== '' && !LATIN.test(key)),
  );
  return {
    codes,
    byRuns,
    ...wordsOfLabels(sorted),
    keys: linesOf(keys.map((each) => each.join(' '))),
    looseKeys: linesOf(keys.map((each) => each.map(looseKeyOf).join(' '))),
  };
}

function wordsOfLabels(sorted: readonly Label[]): { words: string[]; ofWord: GroupedValues } {
  const labelsOfWord = new Map<string, Set<number>>();
  for (const [label, { names }] of sorted.entries()) {
    for (const word of names.flatMap(wordsOfLabel)) {
      const labels = labelsOfWord.get(word) ?? new Set();
      labelsOfWord.set(word, labels.add(label));
    }
  }
  const words = [...labelsOfWord.keys()].toSorted(compareTexts);
  const offsets = new Uint32Array(words.length + 1);
  const values: number[] = [];
  for (const [at, word] of words.entries()) {
    values.push(...(labelsOfWord.get(word) ?? []));
    offsets[at + 1] = values.length;
  }
  return { words, ofWord: { offsets, values: Uint32Array.from(values) } };
}

/** Returns the words of a label, and its Latin parts: 151 is a part of ポケモンカード151. */
function wordsOfLabel(name: string): string[] {
  return [...new Set([...wordsOf(name), ...scriptPartsOf(name).flatMap(wordsOf)])];
}

function linesOf(byLabel: readonly string[]): LineText {
  const filled = [...byLabel.entries()].filter(([, line]) => line !== '');
  const starts = new Uint32Array(filled.length);
  for (let line = 1; line < filled.length; line++) {
    starts[line] = (starts[line - 1] ?? 0) + (filled[line - 1]?.[1].length ?? 0) + 1;
  }
  return {
    text: filled.map(([, line]) => line).join('\n'),
    starts,
    labels: Uint32Array.from(filled, ([label]) => label),
  };
}

export function labelsWithCode(table: LabelTable, runs: string): readonly number[] {
  return table.byRuns.get(runs.replaceAll(' ', '')) ?? [];
}

/**
 * A Latin term of this length matches the start of a word (“awak” for Awakening Stars). A shorter
 * term must match a complete word, because “e” would match half of all sets.
 */
const WORD_START_MIN = 3;
const PART_MIN = 2;

const LATIN = /^[\u0021-\u024f]+$/;

/** Returns the labels with a name that matches `key`, or the loose key if it is not null. */
export function labelsNamed(table: LabelTable, key: string, loose: string | null): Set<number> {
  if (LATIN.test(key)) return findWords(table, key);
  const found = new Set<number>();
  if (key.length < PART_MIN) return found;
  findLines(table.keys, key, found);
  if (loose !== null && loose.length >= PART_MIN) findLines(table.looseKeys, loose, found);
  return found;
}

function findWords({ words, ofWord }: LabelTable, key: string): Set<number> {
  const found = new Set<number>();
  const isStart = key.length >= WORD_START_MIN;
  const from = partitionPoint(words.length, (at) => (words[at] ?? '') < key);
  for (let at = from; at < words.length; at++) {
    const word = words[at] ?? '';
    if (isStart ? !word.startsWith(key) : word !== key) break;
    for (const label of membersOf(ofWord, at)) found.add(label);
  }
  return found;
}

function findLines({ text, starts, labels }: LineText, query: string, found: Set<number>): void {
  let line = 0;
  for (let at = text.indexOf(query); at >= 0; at = text.indexOf(query, starts[line] ?? at)) {
    while (line + 1 < starts.length && (starts[line + 1] ?? 0) <= at) line++;
    found.add(labels[line] ?? 0);
    if (++line === starts.length) break;
  }
}
