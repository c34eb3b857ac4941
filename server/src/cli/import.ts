import type { ImportResult } from '../base/import-report.ts';
import { readNdjson } from '../base/ndjson.ts';
import { importCatalog } from '../catalog/import-catalog.ts';
import { restampUnits } from '../inventory/restamp.ts';
import { importInventory } from '../shop-api/import-inventory.ts';
import type { Command, CommandInput, CommandResult } from './command.ts';
import { findNamedShop, shopOption } from './shop.ts';

const operand = {
  name: 'FILE',
  meaning: 'NDJSON, one object a line, plain or gzip; - for standard input.',
} as const;

/** `inventory import` */
export const inventoryImport: Command = {
  name: 'inventory import',
  summary: 'Write sites, locations, grades and units of a shop from a file.',
  options: { shop: shopOption },
  operand,
  input: 'operand',
  async run(args, context, input) {
    const named = await findNamedShop(args, context);
    if (named.kind === 'failed') return named;
    const { db, clock } = context;
    return summarise(
      await importInventory(db, named.shop, readNdjson(untilStopped(input)), { clock }),
      input,
    );
  },
};

/** `catalog import` */
export const catalogImport: Command = {
  name: 'catalog import',
  summary: 'Write cards, products and third-party grades of the shared catalog from a file.',
  options: {},
  operand,
  input: 'operand',
  async run(_args, { db, clock }, input) {
    const result = await importCatalog(db, readNdjson(untilStopped(input)), { clock });
    // Units that show what has changed are stamped before the command says it is done.
    await restampUnits(db, clock);
    return summarise(result, input);
  },
};

/** The bytes of the input until the person gives up. */
async function* untilStopped({ bytes, signal }: CommandInput): AsyncGenerator<Uint8Array, void> {
  for await (const chunk of bytes) {
    signal.throwIfAborted();
    const body: Uint8Array = chunk instanceof Uint8Array ? chunk : Buffer.from(String(chunk));
    yield body;
  }
  signal.throwIfAborted();
}

function summarise(result: ImportResult, { tell }: CommandInput): CommandResult {
  const { accepted, rejected, rejectedCount } = result;
  const unnamed = rejectedCount - rejected.length;
  const json = { accepted, rejected, ...(unnamed > 0 ? { rejectedCount } : {}) };
  if (rejectedCount === 0) return { kind: 'done', json, text: `Accepted ${accepted} lines.` };
  for (const { line, error, detail } of rejected) tell(`line ${line}: ${error}: ${detail}`);
  if (unnamed > 0) tell(`and ${unnamed} more`);
  const text = `Accepted ${accepted} lines, rejected ${rejectedCount}.`;
  return { kind: 'some_rejected', json, text };
}
