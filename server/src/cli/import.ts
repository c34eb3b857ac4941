import { type NdjsonLine, readNdjson } from '../import/ndjson.ts';
import { importInventory } from '../shop-api/import-inventory.ts';
import { OPERATOR } from '../shops/audit.ts';
import type { Command, CommandInput } from './command.ts';
import { type ReadFailure, summariseImport } from './import-summary.ts';
import { shopCommand } from './shop.ts';
import { readUntilAborted } from './read-until-aborted.ts';

const operand = {
  name: 'FILE',
  meaning: 'NDJSON, one object per line, plain or gzip. Use - for standard input.',
} as const;

export const inventoryImport: Command = shopImport(
  'inventory import',
  'Import the sites, locations, grades, units and buy boosts of a shop from a file.',
);

/** `boosts import`: the same command under a name that is easier to find. */
export const boostsImport: Command = shopImport(
  'boosts import',
  'Import the buy boosts of a shop from a file. Accepts the same lines as inventory import.',
);

function shopImport(name: string, summary: string): Command {
  return shopCommand({
    name,
    summary,
    options: {},
    operand,
    input: 'operand',
    async run(_args, { db, clock, shop }, input) {
      const end: { readFailure: ReadFailure | null } = { readFailure: null };
      const by = { ...shop, by: OPERATOR };
      const result = await importInventory(db, by, untilReadFailure(input, end), { clock });
      return summariseImport(null, [{ name: 'the input', result, ...end }], input.tell);
    },
  });
}

/** The lines up to the one that says where the input broke off, which is passed to `end`. */
async function* untilReadFailure(
  input: CommandInput,
  end: { readFailure: ReadFailure | null },
): AsyncGenerator<NdjsonLine, void> {
  for await (const line of readNdjson(readUntilAborted(input))) {
    if (line.kind === 'broken') end.readFailure = line;
    else yield line;
  }
}
