import type { ImportResult } from '../import/import-report.ts';
import { type NdjsonLine, readNdjson } from '../import/ndjson.ts';
import { importInventory } from '../shop-api/import-inventory.ts';
import { OPERATOR } from '../shops/audit.ts';
import { explainBreach } from './broken-off.ts';
import type { Command, CommandInput, CommandResult } from './command.ts';
import { findNamedShop, shopOption } from './shop.ts';
import { untilStopped } from './until-stopped.ts';

const operand = {
  name: 'FILE',
  meaning: 'NDJSON, one object a line, plain or gzip; - for standard input.',
} as const;

/** `inventory import` */
export const inventoryImport: Command = shopImport(
  'inventory import',
  'Write sites, locations, grades, units and buy boosts of a shop from a file.',
);

/** `boosts import`: the same work under the name that a file of boosts is looked for. */
export const boostsImport: Command = shopImport(
  'boosts import',
  'Write buy boosts of a shop from a file; it takes whatever inventory import takes.',
);

function shopImport(name: string, summary: string): Command {
  return {
    name,
    summary,
    options: { shop: shopOption },
    operand,
    input: 'operand',
    async run(args, context, input) {
      const named = await findNamedShop(args, context);
      if (named.kind === 'failed') return named;
      const { db, clock } = context;
      const file = new ImportFile(input);
      const shop = { ...named.shop, by: OPERATOR };
      return summarise(await importInventory(db, shop, file.lines(), { clock }), file, input);
    },
  };
}

/** The lines of an import. State: where the input broke off, which is no line of it. */
class ImportFile {
  breach: Extract<NdjsonLine, { kind: 'broken' }> | null = null;
  readonly #input: CommandInput;

  constructor(input: CommandInput) {
    this.#input = input;
  }

  async *lines(): AsyncGenerator<NdjsonLine, void> {
    for await (const line of readNdjson(untilStopped(this.#input))) {
      if (line.kind === 'broken') this.breach = line;
      else yield line;
    }
  }
}

function summarise(
  result: ImportResult,
  { breach }: ImportFile,
  { tell }: CommandInput,
): CommandResult {
  const { accepted, rejected, rejectedCount } = result;
  const unnamed = rejectedCount - rejected.length;
  for (const { line, error, detail } of rejected) tell(`line ${line}: ${error}: ${detail}`);
  if (unnamed > 0) tell(`and ${unnamed} more`);
  const lines = accepted === 1 ? '1 line' : `${accepted} lines`;
  const text =
    rejectedCount === 0 ? `Accepted ${lines}.` : `Accepted ${lines}, rejected ${rejectedCount}.`;
  if (breach !== null) {
    const end = { line: breach.number, error: 'invalid_request', detail: breach.reason };
    const json = {
      accepted,
      rejected: [...rejected, end],
      ...(unnamed > 0 ? { rejectedCount: rejectedCount + 1 } : {}),
    };
    return { kind: 'broken_off', json, text, reason: explainBreach('the input', breach) };
  }
  const json = { accepted, rejected, ...(unnamed > 0 ? { rejectedCount } : {}) };
  return { kind: rejectedCount === 0 ? 'done' : 'some_rejected', json, text };
}
