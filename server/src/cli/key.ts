import { createShopKey, listShopKeys, removeShopKey } from '../shops/shop-key.ts';
import type { Command } from './command.ts';
import { findNamedShop, shopOption } from './shop.ts';
import { OPERATOR } from '../shops/audit.ts';

/** `key add` */
export const keyAdd: Command = {
  name: 'key add',
  summary: 'Make a key of the Shop API. It is shown once.',
  options: {
    shop: shopOption,
    name: { value: 'NAME', meaning: 'What the key is for, shown in the list.' },
  },
  input: 'none',
  async run(args, context) {
    const named = await findNamedShop(args, context);
    if (named.kind === 'failed') return named;
    const result = await context.db.transaction(
      async (tx) =>
        await createShopKey(
          tx,
          named.shop.id,
          args.optional('name') ?? '',
          context.clock.now(),
          OPERATOR,
        ),
    );
    switch (result.kind) {
      case 'created': {
        const { id, key } = result;
        const text = `Key ${id} of ${named.shop.slug}, shown only now:\n${key}`;
        return { kind: 'done', json: { id, key }, text };
      }
      case 'too_many':
        return { kind: 'failed', reason: 'the shop has 50 keys already: remove one first' };
      case 'invalid':
        return { kind: 'misused', reason: result.reason };
    }
  },
};

/** `key list` */
export const keyList: Command = {
  name: 'key list',
  summary: 'List the Shop API keys of a shop with their last use.',
  options: { shop: shopOption },
  input: 'none',
  async run(args, context) {
    const named = await findNamedShop(args, context);
    if (named.kind === 'failed') return named;
    const keys = (await listShopKeys(context.db, named.shop.id)).map((key) => ({
      id: key.id,
      name: key.name,
      createdAt: key.createdAt.toISOString(),
      lastUsedAt: key.lastUsedAt?.toISOString() ?? null,
    }));
    const lines = keys.map(
      ({ id, name, lastUsedAt }) => `${id}  ${lastUsedAt ?? 'never used'}  ${name}`,
    );
    return { kind: 'done', json: { keys }, text: lines.join('\n') || 'There is no key yet.' };
  },
};

/** `key remove` */
export const keyRemove: Command = {
  name: 'key remove',
  summary: 'Remove a Shop API key: the next call with it is refused.',
  options: {
    shop: shopOption,
    id: { value: 'ID', meaning: 'The key’s id, as key list shows it.', isRequired: true },
  },
  input: 'none',
  async run(args, context) {
    const named = await findNamedShop(args, context);
    if (named.kind === 'failed') return named;
    const id = args.text('id');
    const isUuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id);
    const isRemoved =
      isUuid &&
      (await context.db.transaction(
        async (tx) => await removeShopKey(tx, named.shop.id, id, context.clock.now(), OPERATOR),
      ));
    if (!isRemoved) return { kind: 'failed', reason: `${named.shop.slug} has no key ${id}` };
    return { kind: 'done', json: { id }, text: `Removed the key ${id}.` };
  },
};
