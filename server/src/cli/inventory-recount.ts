import { recountStock } from '../inventory/stock-figures.ts';
import type { Command } from './command.ts';
import { shopCommand } from './shop.ts';

export const inventoryRecount: Command = shopCommand({
  name: 'inventory recount',
  summary:
    'Count the units of a shop anew. Only needed after somebody has written them with SQL of his own.',
  options: {},
  async run(_args, { db, shop }) {
    const wrong = await db.transaction(async (tx) => await recountStock(tx, shop.id));
    const text = wrong === 0 ? 'Every count was right.' : `Counts that were wrong: ${wrong}.`;
    return { kind: 'done', json: { wrong }, text };
  },
});
