import { type NdjsonLine, readNdjson } from '../import/ndjson.ts';
import { importInventory } from '../shop-api/import-inventory.ts';
import { OPERATOR } from '../shops/audit.ts';
import type { Shop } from '../shops/shop.ts';
import type { Command, CommandContext, CommandInput, CommandResult } from './command.ts';
import { csvOptions, importCsv } from './import-csv.ts';
import { type ReadFailure, summariseImport } from './import-summary.ts';
import { shopCommand } from './shop.ts';
import { readUntilAborted } from './read-until-aborted.ts';

const operand = {
  name: 'FILE',
  meaning: 'NDJSON, one object per line, plain or gzip. Use - for standard input.',
} as const;

export const inventoryImport: Command = shopCommand({
  name: 'inventory import',
  summary: 'Import the sites, locations, grades, units and buy boosts of a shop from a file.',
  options: csvOptions,
  input: 'operand',
  operand: {
    name: 'FILE',
    meaning:
      'NDJSON, one object per line, plain or gzip; with --csv, a CSV file. Use - for standard input.',
  },
  async run(args, context, input) {
    if (args.has('csv')) return await importCsv(args, context, input);
    const given = Object.keys(csvOptions).find((option) => args.has(option));
    if (given !== undefined) {
      return { kind: 'misused', reason: `--${given} applies only to CSV files: add --csv` };
    }
    return await importNdjson(context, input);
  },
});

/** Does the same as `inventory import` for NDJSON, under a name that is easier to find. */
export const boostsImport: Command = shopCommand({
  name: 'boosts import',
  summary:
    'Import the buy boosts of a shop from a file. Accepts the same lines as inventory import.',
  options: {},
  operand,
  input: 'operand',
  run: async (_args, context, input) => await importNdjson(context, input),
});

async function importNdjson(
  { db, clock, shop }: CommandContext & { readonly shop: Shop },
  input: CommandInput,
): Promise<CommandResult> {
  const end: { readFailure: ReadFailure | null } = { readFailure: null };
  const by = { ...shop, by: OPERATOR };
  const result = await importInventory(db, by, untilReadFailure(input, end), { clock });
  return summariseImport(null, [{ name: 'the input', result, ...end }], input.tell);
}

/** Yields lines until the input cannot be read any further, and then stores the reason in `end`. */
async function* untilReadFailure(
  input: CommandInput,
  end: { readFailure: ReadFailure | null },
): AsyncGenerator<NdjsonLine, void> {
  for await (const line of readNdjson(readUntilAborted(input))) {
    if (line.kind === 'broken') end.readFailure = line;
    else yield line;
  }
}
