import { beginNewEpoch } from '../inventory/restored.ts';
import type { Command } from './command.ts';

/** `restored` */
export const restored: Command = {
  name: 'restored',
  summary:
    'Say that the database was restored from a backup: every cursor expires, so that readers start again.',
  options: {},
  input: 'none',
  async run(_args, { db, clock }) {
    const shops = await db.transaction(async (tx) => await beginNewEpoch(tx, clock.now()));
    const text = `Every cursor has expired (shops: ${shops}): their apps read again from the beginning.`;
    return { kind: 'done', json: { shops }, text };
  },
};
