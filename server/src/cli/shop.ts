import { createShop, findShopBySlug, listShops, type Shop } from '../shops/shop.ts';
import {
  type Arguments,
  type Command,
  type CommandContext,
  type CommandInput,
  type CommandResult,
  listResult,
} from './command.ts';

/** A command on one shop. */
interface ShopCommand extends Omit<Command, 'run'> {
  run(
    args: Arguments,
    context: CommandContext & { readonly shop: Shop },
    input: CommandInput,
  ): Promise<CommandResult>;
}

/** Adds the option `--shop` to a command, which then runs only if that shop exists. */
export function shopCommand(command: ShopCommand): Command {
  return {
    ...command,
    options: {
      shop: { value: 'SLUG', meaning: 'The shop.', isRequired: true },
      ...command.options,
    },
    run: async (args, context, input) =>
      await runOnShop(command, args.text('shop'), args, context, input),
  };
}

/**
 * Adds the operand SLUG to a command that changes the shop itself, and runs it only if that shop
 * exists.
 */
export function shopOperandCommand(command: ShopCommand): Command {
  return {
    ...command,
    operand: { name: 'SLUG', meaning: 'The shop.' },
    run: async (args, context, input) =>
      await runOnShop(command, args.operand, args, context, input),
  };
}

async function runOnShop(
  command: ShopCommand,
  slug: string,
  ...[args, context, input]: Parameters<Command['run']>
): Promise<CommandResult> {
  const shop = await findShopBySlug(context.db, slug);
  if (shop === undefined) {
    return { kind: 'failed', code: 'not_found', reason: `there is no shop "${slug}"` };
  }
  return await command.run(args, { ...context, shop }, input);
}

export const shopAdd: Command = {
  name: 'shop add',
  summary: 'Add a shop.',
  options: {
    name: { value: 'NAME', meaning: 'The name, up to 200 characters.', isRequired: true },
    slug: {
      value: 'SLUG',
      meaning: 'The short name: lower-case letters, digits and hyphens; unique.',
      isRequired: true,
    },
    currency: { value: 'CODE', meaning: 'The currency (ISO 4217); the default is JPY.' },
  },
  createsDatabase: true,
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
        return {
          kind: 'failed',
          code: 'already_exists',
          reason: `another shop has the slug "${slug}"`,
        };
      case 'invalid':
        return { kind: 'misused', reason: result.reason };
    }
  },
};

export const shopList: Command = {
  name: 'shop list',
  summary: 'List the shops.',
  options: {},
  async run(_args, { db }) {
    const shops = (await listShops(db)).map((shop) => ({
      ...shop,
      createdAt: shop.createdAt.toISOString(),
      closedAt: shop.closedAt?.toISOString() ?? null,
    }));
    const toLine = ({ id, name, slug, closedAt }: (typeof shops)[number]): string =>
      `${slug}  ${id}  ${name}${closedAt === null ? '' : `  closed ${closedAt}`}`;
    return listResult('shops', shops, toLine, 'There are no shops yet.');
  },
};
