import { createShopKey, listShopKeys, removeShopKey } from '../shops/shop-key.ts';
import { type Command, listResult } from './command.ts';
import { CONFIRM_OPTIONS, confirmChange } from './confirm.ts';
import { shopCommand } from './shop.ts';
import { OPERATOR } from '../shops/audit.ts';

export const keyAdd: Command = shopCommand({
  name: 'key add',
  summary: 'Create a Shop API key. It is shown only once.',
  options: {
    name: {
      value: 'NAME',
      meaning: 'The name of the system that uses the key. key list shows it.',
    },
  },
  async run(args, { db, clock, shop }) {
    const name = args.optional('name') ?? '';
    const result = await db.transaction(
      async (tx) => await createShopKey(tx, shop.id, name, clock.now(), OPERATOR),
    );
    switch (result.kind) {
      case 'created': {
        const { id, key } = result;
        const text = `Key ${id} of ${shop.slug} (shown only once):\n${key}`;
        return { kind: 'done', json: { id, key }, text };
      }
      case 'too_many':
        return {
          kind: 'failed',
          code: 'not_allowed',
          reason: 'the shop already has 50 keys: remove one first',
        };
      case 'invalid':
        return { kind: 'misused', reason: result.reason };
    }
  },
});

export const keyList: Command = shopCommand({
  name: 'key list',
  summary: 'List the Shop API keys of a shop with the time of their last use.',
  options: {},
  async run(_args, { db, shop }) {
    const keys = (await listShopKeys(db, shop.id)).map((key) => ({
      id: key.id,
      name: key.name,
      createdAt: key.createdAt.toISOString(),
      lastUsedAt: key.lastUsedAt?.toISOString() ?? null,
    }));
    const toLine = ({ id, name, lastUsedAt }: (typeof keys)[number]): string =>
      `${id}  ${lastUsedAt ?? 'never used'}  ${name}`;
    return listResult('keys', keys, toLine, 'There are no keys yet.');
  },
});

export const keyRemove: Command = shopCommand({
  name: 'key remove',
  summary: 'Remove a Shop API key. The next request with it is refused.',
  options: {
    id: { value: 'ID', meaning: 'The id of the key, as shown by key list.', isRequired: true },
    ...CONFIRM_OPTIONS,
  },
  async run(args, { db, clock, shop }, input) {
    const id = args.text('id');
    const unknown = { kind: 'failed', code: 'not_found' } as const;
    const reason = `${shop.slug} has no key ${id}`;
    const key = (await listShopKeys(db, shop.id)).find((each) => each.id === id);
    if (key === undefined) return { ...unknown, reason };
    const { name } = key;
    const lastUsedAt = key.lastUsedAt?.toISOString() ?? null;
    const stopped = await confirmChange(args, input, {
      json: { id },
      effects: { name, lastUsedAt },
      sentence: `The system that uses the key ${id} (${name || 'no name'}, last used: ${lastUsedAt ?? 'never'}) loses its access at once and for good.`,
      act: 'remove the key',
    });
    if (stopped !== null) return stopped;
    const isRemoved = await db.transaction(
      async (tx) => await removeShopKey(tx, shop.id, id, clock.now(), OPERATOR),
    );
    if (!isRemoved) return { ...unknown, reason };
    return { kind: 'done', json: { id }, text: `Removed the key ${id}.` };
  },
});
