import { listApps } from '../apps/app.ts';
import { VERSION } from '../base/version.ts';
import { findActiveConnection } from '../connections/connection.ts';
import { addressesOf } from '../oauth/addresses.ts';
import type { Emulation } from './emulation.ts';
import { environmentOf } from './exports.ts';
import { FIRST_APP, FIXED_APPS, FIXED_SHOPS, type FixedShop, PASSWORD } from './credentials.ts';
import { KNOWN_IDS } from './stock.ts';

/** The response of GET /emulator. */
export interface EmulatorReport {
  readonly version: string;
  readonly url: string;
  /** The values `{base_url}`, `{auth_url}` and `{metadata_url}` of spec 5.1. */
  readonly baseUrl: string;
  readonly authUrl: string;
  readonly metadataUrl: string;
  readonly shopApiUrl: string;
  readonly adminUrl: string;
  readonly password: string;
  readonly shops: readonly object[];
  /** The ids of objects of the first shop that tests may need, by name. */
  readonly known: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, string>>;
  readonly clock: { readonly now: Date; readonly aheadSeconds: number };
  readonly faults: readonly object[];
  readonly notices: { readonly isHeld: boolean; readonly repeatsLeft: number };
  readonly connections: readonly object[];
  readonly requests: { readonly total: number; readonly faulted: number };
}

export async function createReport(emulation: Emulation): Promise<EmulatorReport> {
  const { publicUrl, clock, faults, notices, log, backend } = emulation;
  const { issuer, resource, resourceMetadata } = addressesOf(publicUrl);
  const { card, product } = backend.stock;
  const connections = await Promise.all(
    FIXED_APPS.map(
      async ({ shop, app }) => await findActiveConnection(backend.db, shop.id, app.clientId),
    ),
  );
  return {
    version: VERSION,
    url: publicUrl,
    baseUrl: resource,
    authUrl: issuer,
    metadataUrl: resourceMetadata,
    shopApiUrl: `${publicUrl}/shop/v1`,
    adminUrl: `${publicUrl}/emulator`,
    password: PASSWORD,
    shops: await Promise.all(
      FIXED_SHOPS.map(async (shop, index) => await describeShop(emulation, shop, index)),
    ),
    known: { ...KNOWN_IDS, card: card.id, product: product.id },
    exports: environmentOf(emulation, FIRST_APP),
    clock: { now: clock.now(), aheadSeconds: clock.aheadSeconds },
    faults: faults.list(),
    notices: { isHeld: notices.isHeld(), repeatsLeft: notices.repeatsLeft },
    connections: connections
      .filter((each) => each !== undefined)
      .map(({ id, shop, clientId, user, connectedAt }) => ({
        id,
        clientId,
        shop: shop.slug,
        email: user.email,
        connectedAt,
      })),
    requests: log.counts,
  };
}

const APPS_MAX = 100;

async function describeShop(
  { backend }: Emulation,
  shop: FixedShop,
  index: number,
): Promise<object> {
  const { id, slug, name, currency, shopKey, members, apps } = shop;
  const stock = backend.stock.shops[index];
  const listed = await listApps(backend.db, id, APPS_MAX);
  const appsById = new Map(listed.map((each) => [each.clientId, each]));
  return {
    id,
    slug,
    name,
    currency,
    shopKey,
    members: members.map(({ id: accountId, email, name: person, permissions }) => ({
      id: accountId,
      email,
      name: person,
      password: PASSWORD,
      permissions,
    })),
    apps: apps.map(({ clientId, clientSecret, name: title, scopes }) => ({
      clientId,
      clientSecret,
      name: title,
      scopes,
      redirectUris: appsById.get(clientId)?.redirectUris ?? [],
      isEnabled: appsById.get(clientId)?.isEnabled ?? false,
    })),
    seeded: {
      sites: stock?.sites.length ?? 0,
      locations: stock?.locations.length ?? 0,
      units: stock?.units.length ?? 0,
      boosts: stock?.boosts.length ?? 0,
    },
  };
}
