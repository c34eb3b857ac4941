import createClient from 'openapi-fetch';
import type { components, paths as PartnerPaths } from './partner-v1.js';
import type { paths as ShopPaths } from './shop-v1.js';

/** The addresses and credentials of both APIs, and catalog ids for the shop's stock. */
export interface Setup {
  readonly partnerUrl: string;
  readonly accessToken: string;
  readonly shopUrl: string;
  readonly shopKey: string;
  readonly cardId: string;
  readonly productId: string;
}

type Change = components['schemas']['ChangeRecord'];
type KnownChange = components['schemas']['KnownChange'];
type Unit = components['schemas']['Unit'];
type Target = components['schemas']['PurchaseBoost']['target'];

/**
 * Writes stock as a shop's own system does, then connects and reads it as an app does. Returns one
 * line of text for each result.
 */
export async function writeAndRead(setup: Setup): Promise<string[]> {
  await writeStock(setup);
  const partner = createClient<PartnerPaths>({
    baseUrl: setup.partnerUrl,
    headers: { authorization: `Bearer ${setup.accessToken}` },
  });
  const lines: string[] = [];

  const { data: connection } = await partner.POST('/connection');
  if (connection === undefined) throw new Error('no connection');
  lines.push(`connected to ${connection.tenant.name}, ${connection.status}`);

  let cursor: string | undefined;
  let last: Unit | undefined;
  for (;;) {
    const query = { limit: 2, ...(cursor === undefined ? {} : { cursor }) };
    const { data, error } = await partner.GET('/inventory/changes', { params: { query } });
    if (data === undefined) throw new Error(error.error);
    for (const change of data.changes) {
      lines.push(isKnown(change) ? describeChange(change) : `skipped a ${change.kind}`);
      if (isKnown(change) && change.kind === 'unit') last = change.data;
    }
    cursor = data.nextCursor;
    if (!data.hasMore) break;
  }

  const [photo] = last?.photos ?? [];
  const picture = await partner.GET('/inventory/items/{id}/photos/{side}', {
    params: { path: { id: last?.id ?? '', side: photo?.side ?? 'front' } },
    parseAs: 'blob',
  });
  lines.push(`photo: ${picture.error?.error ?? 'shown'}`);

  const { data: list } = await partner.GET('/purchase-boosts', {
    params: { query: { include: 'filled' } },
  });
  for (const boost of list?.boosts ?? []) {
    lines.push(`${boost.status} boost of ${describeTarget(boost.target)} at ${boost.priceMinor}`);
  }

  const { data: card } = await partner.GET('/cards/{id}', {
    params: { path: { id: setup.cardId } },
  });
  lines.push(`card ${card?.name ?? '-'} of ${card?.game?.code ?? '-'}`);

  const refused = await partner.GET('/inventory/changes', { params: { query: { cursor: 'x' } } });
  if (refused.error !== undefined) {
    lines.push(`refused: ${refused.error.error}, ${refused.response.headers.get('link') ?? '-'}`);
  }

  // @ts-expect-error `include` has two values.
  await partner.GET('/purchase-boosts', { params: { query: { include: 'all' } } });
  // @ts-expect-error `search` is required.
  await partner.GET('/cards', { params: { query: {} } });
  // @ts-expect-error The API has no such path.
  await partner.GET('/orders');
  return lines;
}

const KINDS: ReadonlySet<string> = new Set<KnownChange['kind']>(['site', 'location', 'unit']);

/** Returns whether this program knows the kind: version 1 may add kinds. */
function isKnown(change: Change): change is KnownChange {
  return KINDS.has(change.kind);
}

/** Describes a change. `kind` determines the type of `data`. */
function describeChange(change: KnownChange): string {
  switch (change.kind) {
    case 'site':
      return `site ${change.data.name ?? '-'} with ${change.data.locations?.length ?? 0} location`;
    case 'location':
      return `location ${change.data.code ?? '-'}`;
    case 'unit': {
      const { item, status, priceMinor } = change.data;
      const name = item.kind === 'card' ? item.card.name : item.product.name;
      return `unit ${name ?? '-'} ${status} ${priceMinor ?? 'no price'}`;
    }
    default:
      return unknown(change);
  }
}

function describeTarget(target: Target): string {
  return target.kind === 'card'
    ? `${target.card.name ?? '-'} (${target.grade?.label ?? 'any grade'})`
    : `${target.product.name ?? '-'} (${target.product.productKind ?? '-'})`;
}

function unknown(change: never): string {
  return `unknown ${JSON.stringify(change)}`;
}

async function writeStock({ shopUrl, shopKey, cardId, productId }: Setup): Promise<void> {
  const shop = createClient<ShopPaths>({
    baseUrl: shopUrl,
    headers: { authorization: `Bearer ${shopKey}` },
  });
  const newId = (): string => crypto.randomUUID();
  const siteId = newId();
  const site = {
    code: 'main',
    name: '本店',
    kind: 'store',
    countryCode: 'JP',
    timezone: 'Asia/Tokyo',
  } as const;
  const made = await shop.PUT('/sites/{id}', { params: { path: { id: siteId } }, body: site });
  if (made.data === undefined) throw new Error(made.error.detail);
  const shelf = { siteId, code: 'A-1', name: '棚', kind: 'shelf' } as const;
  await shop.PUT('/locations/{id}', { params: { path: { id: newId() } }, body: shelf });
  for (const item of [{ kind: 'card', cardId } as const, { kind: 'product', productId } as const]) {
    const body = { siteId, item, priceMinor: 1_200 };
    const { error } = await shop.PUT('/units/{id}', { params: { path: { id: newId() } }, body });
    if (error !== undefined) throw new Error(error.detail);
    const boost = { target: item, priceMinor: item.kind === 'card' ? 900 : 700 };
    const boosted = await shop.PUT('/boosts/{id}', {
      params: { path: { id: newId() } },
      body: boost,
    });
    if (boosted.error !== undefined) throw new Error(boosted.error.detail);
  }
}
