import { quote } from '../base/field.ts';
import { readJsonElements } from '../import/json-elements.ts';
import { readNdjson } from '../import/ndjson.ts';
import { type FormatName, FORMAT_NAMES, type ReadElement } from '../catalog/formats/format.ts';
import { createElementReader } from '../catalog/formats/element-reader.ts';
import { readElements } from '../catalog/formats/read-elements.ts';
import { type KnownSet, readSet, addKnownSet } from '../catalog/formats/sets.ts';
import type { Game } from '../catalog/card.ts';
import { readCatalogLines } from '../catalog/import-catalog.ts';
import { type EntryLine, importEntries } from '../catalog/import-entries.ts';
import { finishRerendering } from '../inventory/rerender-units.ts';
import { type ReadFailure, type ImportedFile, summariseImport } from './import-summary.ts';
import type { Arguments, Command, CommandContext, CommandInput, CommandResult } from './command.ts';
import { readUntilAborted } from './read-until-aborted.ts';

const SETS = 'sets';

export const catalogImport: Command = {
  name: 'catalog import',
  summary: 'Import cards, products and third-party grades into the shared catalog.',
  options: {
    form: {
      value: 'FORM',
      meaning: `The format of the files: ${FORMAT_NAMES.join(', ')}. The default is cardport.`,
    },
    language: {
      value: 'TAG',
      meaning:
        'The language of the files. Required for tcgdex; the default for pokemon-tcg-data and ygoprodeck is en. For scryfall, the languages to import; the default is all.',
      isRepeatable: true,
    },
    [SETS]: {
      value: 'FILE',
      meaning: 'A file of sets in the same format, with their names and printed totals.',
    },
  },
  operand: {
    name: 'FILE',
    meaning:
      'For cardport, a file with one JSON object per line; for the other formats, a file as published. Plain or gzip. A folder means all JSON files in it. Use - for standard input.',
    isRepeatable: true,
  },
  input: { files: [SETS] },
  createsDatabase: true,
  async run(args, context, input) {
    const form = FORMAT_NAMES.find((name) => name === (args.optional('form') ?? 'cardport'));
    if (form === undefined) {
      return misuse(`--form ${args.text('form')} must be one of ${FORMAT_NAMES.join(', ')}`);
    }
    if (form !== 'cardport') return await importPublic(form, args, context, input);
    for (const option of ['language', SETS]) {
      const reason = `--${option} applies only to the public formats: add --form`;
      if (args.has(option)) return misuse(reason);
    }
    return await importFiles('cardport', null, context, input);
  },
};

async function importPublic(
  form: Exclude<FormatName, 'cardport'>,
  args: Arguments,
  context: CommandContext,
  input: CommandInput,
): Promise<CommandResult> {
  // The sets from the file that `--sets` names. That file is read before all cards.
  const sets = new Map<string, KnownSet>();
  // Only the first unknown set is reported.
  const unknownSets = new Set<string>();
  const opened = createElementReader(form, {
    languages: args.list('language'),
    sets,
    onUnknownSet: (setId) => {
      if (unknownSets.size === 0) unknownSets.add(setId);
    },
  });
  if (opened.kind === 'misused') return misuse(opened.reason);
  const result = await importFiles(form, { read: opened.read, sets }, context, input);
  for (const setId of unknownSets) {
    input.tell(
      `the name of the set ${quote(setId)} is unknown, so its id is shown: use --sets to import the names of sets`,
    );
  }
  return result;
}

interface PublicForm {
  readonly read: ReadElement;
  readonly sets: Map<string, KnownSet>;
}

async function importFiles(
  form: FormatName,
  publicForm: PublicForm | null,
  { db, clock }: CommandContext,
  input: CommandInput,
): Promise<CommandResult> {
  const games = new Map<string, Game>();
  const imported: ImportedFile[] = [];
  for (const { option, name, open } of input.files) {
    const file = { name, bytes: readUntilAborted({ bytes: open(), signal: input.signal }) };
    if (option === SETS) {
      const fault = publicForm === null ? null : await loadSets(file, publicForm.sets);
      if (fault !== null) {
        return { kind: 'failed', code: 'unreadable_input', reason: `${name}: ${fault}` };
      }
      continue;
    }
    const lines =
      publicForm === null
        ? readCatalogLines(readNdjson(file.bytes))
        : readElements(readJsonElements(file.bytes), publicForm.read);
    const end: { readFailure: ReadFailure | null } = { readFailure: null };
    const result = await importEntries(db, untilReadFailure(lines, end), { clock, games });
    imported.push({ name, result, ...end });
  }
  // Units that show changed entries are rendered again before the command reports success.
  if (!(await finishRerendering(db, clock, input.signal))) {
    input.tell('units that show changed entries are still being updated');
  }
  return summariseImport(form, imported, input.tell);
}

interface OpenFile {
  readonly name: string;
  readonly bytes: AsyncIterable<Uint8Array>;
}

/** Yields lines until the file cannot be read any further, and then stores the reason in `end`. */
async function* untilReadFailure(
  lines: AsyncIterable<EntryLine>,
  end: { readFailure: ReadFailure | null },
): AsyncGenerator<EntryLine, void> {
  for await (const line of lines) {
    if (line.kind === 'broken') end.readFailure = line;
    else yield line;
  }
}

async function loadSets(file: OpenFile, sets: Map<string, KnownSet>): Promise<string | null> {
  for await (const element of readJsonElements(file.bytes)) {
    if (element.kind === 'broken') return `line ${element.number}: ${element.reason}`;
    const set = readSet(element.value);
    if (set === null) return `line ${element.number}: Not a set: a set has an id and a name.`;
    if (!addKnownSet(sets, set)) return 'it has too many sets';
  }
  return sets.size === 0 ? 'it contains no sets' : null;
}

function misuse(reason: string): CommandResult {
  return { kind: 'misused', reason };
}
