import type { HttpResponse } from './response.ts';
import type { Caller } from './caller.ts';
import type { Context } from './context.ts';
import {
  boostList,
  card,
  cardList,
  changePageOf,
  connection,
  siteList,
  webhookRegistration,
} from './resources.ts';
import type { Shape } from './shape.ts';

/** A read scope of 5.2. */
export type ReadScope = 'purchase-boosts:read' | 'inventory:read';

/** An endpoint of the table in section 4 of the specification. */
export interface Endpoint {
  /** `GET /cards/{id}` */
  readonly name: string;
  readonly method: string;
  /** The scopes that allow the call. One of them is enough. */
  readonly scopes: readonly ReadScope[];
  /** Returns the path with valid parameters. */
  readonly path: (context: Context) => string;
  /** Returns the JSON body, if the endpoint has one. */
  readonly body?: (context: Context) => unknown;
  /** The shape of a successful response, where the specification shows one. */
  readonly shape?: (context: Context) => Shape<unknown>;
}

const either = ['purchase-boosts:read', 'inventory:read'] as const;
const inventory = ['inventory:read'] as const;

/**
 * All endpoints of section 4 of the specification. The endpoint that ends the connection is last.
 */
export const endpoints: readonly Endpoint[] = [
  {
    name: 'GET /connection',
    method: 'GET',
    scopes: either,
    path: () => '/connection',
    shape: () => connection,
  },
  { name: 'POST /connection', method: 'POST', scopes: either, path: () => '/connection' },
  {
    name: 'GET /purchase-boosts',
    method: 'GET',
    scopes: ['purchase-boosts:read'],
    path: () => '/purchase-boosts',
    shape: () => boostList,
  },
  {
    name: 'GET /inventory/sites',
    method: 'GET',
    scopes: inventory,
    path: () => '/inventory/sites',
    shape: () => siteList,
  },
  {
    name: 'GET /inventory/changes',
    method: 'GET',
    scopes: inventory,
    path: () => '/inventory/changes',
    shape: ({ target }) => changePageOf(target.names.changesMember),
  },
  {
    name: 'GET /inventory/items/{id}/photos/{side}',
    method: 'GET',
    scopes: inventory,
    path: ({ shop }) => {
      const { photo, unitIds } = shop.stock;
      return `/inventory/items/${photo?.unitId ?? unitIds[0]}/photos/${photo?.sides[0] ?? 'front'}`;
    },
  },
  {
    name: 'GET /cards',
    method: 'GET',
    scopes: inventory,
    path: ({ target }) => `/cards?search=${encodeURIComponent(target.catalog.card.name)}`,
    shape: () => cardList,
  },
  {
    name: 'GET /cards/{id}',
    method: 'GET',
    scopes: inventory,
    path: ({ target }) => `/cards/${target.catalog.card.id}`,
    shape: () => card,
  },
  {
    name: 'PUT /webhook',
    method: 'PUT',
    scopes: inventory,
    path: () => '/webhook',
    body: ({ target }) => ({ url: target.webhook.acceptableUrl }),
    shape: () => webhookRegistration,
  },
  { name: 'DELETE /webhook', method: 'DELETE', scopes: inventory, path: () => '/webhook' },
  { name: 'DELETE /connection', method: 'DELETE', scopes: either, path: () => '/connection' },
];

/** Calls an endpoint with valid parameters. `headers` may replace the Authorization. */
export async function callEndpoint(
  context: Context,
  app: Caller,
  { method, path, body }: Endpoint,
  headers: Readonly<Record<string, string>> = {},
): Promise<HttpResponse> {
  const value = body?.(context);
  return await app.call(method, path(context), {
    headers: { ...headers, ...(value === undefined ? {} : { 'Content-Type': 'application/json' }) },
    ...(value === undefined ? {} : { body: JSON.stringify(value) }),
  });
}
