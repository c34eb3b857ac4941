import { OPERATOR } from '../shops/audit.ts';
import { renameShop, reopenShop } from '../shops/change-shop.ts';
import { closeShop, type ClosingEffects, findClosingEffects } from '../webhooks/close-shop.ts';
import type { Command } from './command.ts';
import { CONFIRM_OPTIONS, confirmChange } from './confirm.ts';
import { shopOperandCommand } from './shop.ts';

export const shopRename: Command = shopOperandCommand({
  name: 'shop rename',
  summary: 'Change the name of a shop. Its slug stays, because addresses and apps contain it.',
  options: {
    name: { value: 'NAME', meaning: 'The new name, up to 200 characters.', isRequired: true },
  },
  async run(args, { db, clock, shop }) {
    const name = args.text('name');
    const refused = await db.transaction(
      async (tx) => await renameShop(tx, shop, name, clock.now(), OPERATOR),
    );
    if (refused !== undefined) return { kind: 'misused', reason: refused.reason };
    const { id, slug } = shop;
    return { kind: 'done', json: { id, name, slug }, text: `${slug} is now named ${name}.` };
  },
});

export const shopClose: Command = shopOperandCommand({
  name: 'shop close',
  summary:
    'Close a shop: its connections, approvals and webhooks end, and its members and Shop API keys are refused. All data stays.',
  options: CONFIRM_OPTIONS,
  async run(args, { db, clock, shop }, input) {
    const { id, slug } = shop;
    const effects = await findClosingEffects(db, id);
    const sentence = describeEffects(slug, effects);
    if (shop.closedAt !== null) {
      const json = { id, slug, closedAt: shop.closedAt.toISOString(), isNew: false };
      return { kind: 'done', json, text: `${slug} is already closed.` };
    }
    const change = { json: { id, slug, closedAt: null }, effects, sentence, word: slug };
    const stopped = await confirmChange(args, input, { ...change, act: 'close the shop' });
    if (stopped !== null) return stopped;
    const now = clock.now();
    const isNew = await db.transaction(async (tx) => await closeShop(tx, shop, now, OPERATOR));
    const json = { id, slug, closedAt: now.toISOString(), isNew, effects };
    return { kind: 'done', json, text: `Closed ${slug}. To open it again: shop reopen ${slug}` };
  },
});

export const shopReopen: Command = shopOperandCommand({
  name: 'shop reopen',
  summary:
    'Reopen a closed shop. Its members and Shop API keys work again; apps need a new approval.',
  options: {},
  async run(_args, { db, clock, shop }) {
    const isNew = await db.transaction(
      async (tx) => await reopenShop(tx, shop, clock.now(), OPERATOR),
    );
    const { id, slug } = shop;
    const text = isNew ? `${slug} is open again.` : `${slug} is already open.`;
    return { kind: 'done', json: { id, slug, isNew }, text };
  },
});

function describeEffects(slug: string, effects: ClosingEffects): string {
  const { connections, approvals, webhooks, keys, members } = effects;
  return (
    `Closing ${slug} ends ${connections} connections, ${approvals} approvals and ${webhooks} webhooks, ` +
    `and refuses ${keys} Shop API keys and ${members} members.`
  );
}
