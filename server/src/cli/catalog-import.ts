import { quote } from '../base/field.ts';
import { gunzipIfPacked } from '../import/gunzip.ts';
import { readJsonElements } from '../import/json-elements.ts';
import { readNdjson } from '../import/ndjson.ts';
import { type FormName, formNames, type ReadElement } from '../catalog/forms/form.ts';
import { openForm } from '../catalog/forms/open-form.ts';
import { readElements } from '../catalog/forms/read-elements.ts';
import { type KnownSet, readSet, rememberSet } from '../catalog/forms/sets.ts';
import type { Game } from '../catalog/card.ts';
import { readOwnLines } from '../catalog/import-catalog.ts';
import { type EntryLine, importEntries } from '../catalog/import-entries.ts';
import { finishRestamp } from '../inventory/restamp.ts';
import { type Breach, type ImportedFile, summariseImport } from './import-summary.ts';
import type { Arguments, Command, CommandContext, CommandInput, CommandResult } from './command.ts';
import { untilStopped } from './until-stopped.ts';

const SETS = 'sets';
/** Bytes of a chunk in which its first mark is looked for. */
const START_BYTES = 1_024;

export const catalogImport: Command = {
  name: 'catalog import',
  summary: 'Write cards, products and third-party grades of the shared catalog from files.',
  options: {
    form: {
      value: 'FORM',
      meaning: `The form of the files: ${formNames.join(', ')}. The first unless given.`,
    },
    language: {
      value: 'TAG',
      meaning:
        'The language of the files (tcgdex needs it, pokemon-tcg-data and ygoprodeck take en unless given); of scryfall the languages that are taken, all unless given.',
      isRepeatable: true,
    },
    [SETS]: {
      value: 'FILE',
      meaning: 'The sets of the form, which name them and tell their printed totals.',
    },
  },
  operand: {
    name: 'FILE',
    meaning:
      'cardport: one object a line; the other forms: as published. Plain or gzip; a folder stands for its JSON files; - for standard input.',
    isRepeatable: true,
  },
  input: { files: [SETS] },
  async run(args, context, input) {
    const form = formNames.find((name) => name === (args.optional('form') ?? 'cardport'));
    if (form === undefined) {
      return misuse(`--form ${args.text('form')} is none of ${formNames.join(', ')}`);
    }
    if (form === 'cardport') return await importOwn(args, context, input);
    return await importPublic(form, args, context, input);
  },
};

async function importOwn(
  args: Arguments,
  context: CommandContext,
  input: CommandInput,
): Promise<CommandResult> {
  for (const option of ['language', SETS]) {
    if (args.has(option)) return misuse(`--${option} belongs to the public forms: give --form too`);
  }
  const result = await importFiles('cardport', null, context, input);
  return result ?? mismatch();
}

async function importPublic(
  form: Exclude<FormName, 'cardport'>,
  args: Arguments,
  context: CommandContext,
  input: CommandInput,
): Promise<CommandResult> {
  // It is read from the first file before any card is.
  const sets = new Map<string, KnownSet>();
  // One is enough to tell of.
  const unknownSets = new Set<string>();
  const opened = openForm(form, {
    languages: args.list('language'),
    sets,
    onUnknownSet: (setId) => {
      if (unknownSets.size === 0) unknownSets.add(setId);
    },
  });
  if (opened.kind === 'misused') return misuse(opened.reason);
  const result = await importFiles(form, { read: opened.read, sets }, context, input);
  for (const setId of unknownSets) {
    input.tell(`sets such as ${quote(setId)} are named by their ids: --sets tells their names`);
  }
  return result ?? mismatch();
}

interface PublicForm {
  readonly read: ReadElement;
  readonly sets: Map<string, KnownSet>;
}

/** Imports the files one after the other; null when one of the own form is plainly of another. */
async function importFiles(
  form: FormName,
  publicForm: PublicForm | null,
  { db, clock }: CommandContext,
  input: CommandInput,
): Promise<CommandResult | null> {
  const games = new Map<string, Game>();
  const imported: ImportedFile[] = [];
  for (const { role, name, open } of input.files) {
    const file = { name, bytes: untilStopped({ bytes: open(), signal: input.signal }) };
    if (role === SETS) {
      const fault = publicForm === null ? null : await takeSets(file, publicForm.sets);
      if (fault !== null) return { kind: 'failed', reason: `${name}: ${fault}` };
      continue;
    }
    const lines = new FileLines(file, publicForm?.read ?? null);
    const result = await importEntries(db, lines.read(), { clock, games });
    if (lines.isOfOtherForm) return null;
    imported.push({ name, result, breach: lines.breach });
  }
  // Units that show what has changed are stamped before the command says it is done.
  if (!(await finishRestamp(db, clock, input.signal))) {
    input.tell('units that show what has changed are still being stamped');
  }
  return summariseImport(form, imported, input.tell);
}

interface OpenFile {
  readonly name: string;
  readonly bytes: AsyncIterable<Uint8Array>;
}

/** The lines of one file. State: where it broke off, which is no line of it, and whether it is of another form. */
class FileLines {
  breach: Breach | null = null;
  isOfOtherForm = false;
  readonly #file: OpenFile;
  readonly #read: ReadElement | null;

  constructor(file: OpenFile, read: ReadElement | null) {
    this.#file = file;
    this.#read = read;
  }

  async *read(): AsyncGenerator<EntryLine, void> {
    const lines =
      this.#read === null
        ? readOwnLines(readNdjson(this.#untilArray(this.#file.bytes)))
        : readElements(readJsonElements(this.#file.bytes), this.#read);
    for await (const line of lines) {
      if (line.kind === 'broken') this.breach = line;
      else yield line;
    }
  }

  /** Our own form has an object on each line: a file that begins as an array is of another. */
  async *#untilArray(packed: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
    let isAtStart = true;
    for await (const chunk of gunzipIfPacked(packed)) {
      if (isAtStart) {
        const first = /[^\s\ufeff]/u.exec(Buffer.from(chunk).toString('utf8', 0, START_BYTES));
        this.isOfOtherForm = first?.[0] === '[';
        if (this.isOfOtherForm) return;
        isAtStart = first === null;
      }
      yield chunk;
    }
  }
}

async function takeSets(file: OpenFile, sets: Map<string, KnownSet>): Promise<string | null> {
  for await (const element of readJsonElements(file.bytes)) {
    if (element.kind === 'broken') return `line ${element.number}: ${element.reason}`;
    const set = readSet(element.value);
    if (set === null) return `line ${element.number}: It is no set: a set has an id and a name.`;
    if (!rememberSet(sets, set)) return 'it has too many sets';
  }
  return sets.size === 0 ? 'it holds no sets' : null;
}

function mismatch(): CommandResult {
  const others = formNames.filter((name) => name !== 'cardport').join(', ');
  const reason =
    'a file begins with an array, and the own form has one object a line: ' +
    `give --form (${others}) for a file of a public card database`;
  return { kind: 'failed', reason };
}

function misuse(reason: string): CommandResult {
  return { kind: 'misused', reason };
}
