import { createShop, findShopBySlug, listShops, type Shop } from '../shops/shop.ts';
import type { Arguments, Command, CommandContext, CommandResult } from './command.ts';

/** The option by which every command names its shop. */
export const shopOption = { value: 'SLUG', meaning: 'The shop.', isRequired: true } as const;

/** The shop that `--shop` names, or the refusal that says there is none. */
export async function findNamedShop(
  args: Arguments,
  { db }: CommandContext,
): Promise<
  { readonly kind: 'shop'; readonly shop: Shop } | Extract<CommandResult, { kind: 'failed' }>
> {
  const slug = args.text('shop');
  const shop = await findShopBySlug(db, slug);
  if (shop === undefined) return { kind: 'failed', reason: `there is no shop "${slug}"` };
  return { kind: 'shop', shop };
}

/** `shop add` */
export const shopAdd: Command = {
  name: 'shop add',
  summary: 'Add a shop.',
  options: {
    name: { value: 'NAME', meaning: 'Its name, up to 200 characters.', isRequired: true },
    slug: {
      value: 'SLUG',
      meaning: 'Its short name: lower-case letters, digits, hyphens; unique.',
      isRequired: true,
    },
    currency: { value: 'CODE', meaning: 'Its currency, ISO 4217; JPY unless given.' },
  },
  input: 'none',
  async run(args, { db, clock }) {
    const name = args.text('name');
    const slug = args.text('slug');
    const currency = args.optional('currency') ?? 'JPY';
    const result = await db.transaction(
      async (tx) => await createShop(tx, { name, slug, currency }, clock.now()),
    );
    switch (result.kind) {
      case 'created': {
        const json = { id: result.shop.id, name, slug };
        return { kind: 'done', json, text: `Added the shop ${slug} (${json.id}).` };
      }
      case 'slug_taken':
        return { kind: 'failed', reason: `another shop has the slug "${slug}"` };
      case 'invalid':
        return { kind: 'misused', reason: result.reason };
    }
  },
};

/** `shop list` */
export const shopList: Command = {
  name: 'shop list',
  summary: 'List the shops.',
  options: {},
  input: 'none',
  async run(_args, { db }) {
    const shops = (await listShops(db)).map(({ id, name, slug, currency, createdAt }) => {
      return { id, name, slug, currency, createdAt: createdAt.toISOString() };
    });
    const lines = shops.map(({ id, name, slug }) => `${slug}  ${id}  ${name}`);
    return { kind: 'done', json: { shops }, text: lines.join('\n') || 'There is no shop yet.' };
  },
};
