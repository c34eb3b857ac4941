import { recountStock } from '../inventory/stock-figures.ts';
import type { Command } from './command.ts';
import { shopCommand } from './shop.ts';

export const inventoryRecount: Command = shopCommand({
  name: 'inventory recount',
  summary: 'Recount the units of a shop. Needed only after units were changed directly with SQL.',
  options: {},
  async run(_args, { db, shop }) {
    const wrong = await db.transaction(async (tx) => await recountStock(tx, shop.id));
    const text = wrong === 0 ? 'All counts were correct.' : `Corrected counts: ${wrong}.`;
    return { kind: 'done', json: { wrong }, text };
  },
});
