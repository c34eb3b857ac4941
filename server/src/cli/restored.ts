import { beginNewEpoch } from '../inventory/restored.ts';
import { makeWebhooksDue } from '../webhooks/restored.ts';
import type { Command } from './command.ts';

/** `restored` */
export const restored: Command = {
  name: 'restored',
  summary:
    'Say that the database was restored from a backup: every cursor expires and every webhook is told, so that readers start again.',
  options: {},
  input: 'none',
  async run(_args, { db, clock }) {
    const shops = await db.transaction(async (tx) => {
      const now = clock.now();
      await makeWebhooksDue(tx, now);
      return await beginNewEpoch(tx, now);
    });
    const text = `Every cursor has expired (shops: ${shops}): their apps are told, and read again from the beginning.`;
    return { kind: 'done', json: { shops }, text };
  },
};
