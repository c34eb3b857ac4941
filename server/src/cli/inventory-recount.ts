import { recountStock } from '../inventory/stock-figures.ts';
import type { Command } from './command.ts';
import { findNamedShop, shopOption } from './shop.ts';

/** `inventory recount` */
export const inventoryRecount: Command = {
  name: 'inventory recount',
  summary:
    'Count the units of a shop anew. Only needed after somebody has written them with SQL of his own.',
  options: { shop: shopOption },
  input: 'none',
  async run(args, context) {
    const named = await findNamedShop(args, context);
    if (named.kind === 'failed') return named;
    const { shop } = named;
    const wrong = await context.db.transaction(async (tx) => await recountStock(tx, shop.id));
    const text = wrong === 0 ? 'Every count was right.' : `Counts that were wrong: ${wrong}.`;
    return { kind: 'done', json: { wrong }, text };
  },
};
