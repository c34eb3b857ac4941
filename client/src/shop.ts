import { type BoostOptions, listBoosts } from './boosts.ts';
import { getCard, searchCards, type SearchOptions } from './cards.ts';
import { type ChangeReader, readChanges } from './change-reader.ts';
import { endConnection, getConnection, openConnection } from './connection.ts';
import { follow, type Follower, type FollowOptions } from './follower.ts';
import {
  type ChangePageOptions,
  getChangePage,
  getPhoto,
  listSites,
  type PhotoOptions,
} from './inventory.ts';
import { checkPageLimit } from './limit.ts';
import { type CallOptions, openPartnerApi } from './partner-api.ts';
import { ApprovalNeededError } from './local-errors.ts';
import { checkTarget } from './sync-keeper.ts';
import type { SyncOptions, SyncResult, SyncTarget } from './sync-target.ts';
import { syncChanges } from './sync.ts';
import type { SyncTurn } from './sync-turns.ts';
import type { ShopTokens } from './token-source.ts';
import type { Transport } from './transport.ts';
import type {
  BoostList,
  Card,
  ChangePage,
  Connection,
  KnownPhotoSide,
  OpenSet,
  Photo,
  Site,
  WebhookRegistration,
} from './types.ts';
import { deleteWebhook, putWebhook } from './webhook.ts';

/**
 * One shop that has approved the app. Every call refreshes the access token when needed, is repeated while that may help,
 * and throws a {@link CardportError} of the answer's code: `error.needsApproval` says that only a new approval helps.
 */
export interface Shop {
  /** Opens the connection; every other call works only after it. Repeating it is safe. (`POST /connection`) */
  connect(options?: CallOptions): Promise<Connection>;
  /** Which shop it is, who approved, the webhook, and the head of the feed. (`GET /connection`) */
  connection(options?: CallOptions): Promise<Connection>;
  /**
   * Ends the connection and its webhook, and forgets the tokens. (`DELETE /connection`) It succeeds too when the connection
   * has ended already, and when the service takes the refresh token for good no more or none is kept: then nothing could
   * be ended with them. It throws, and keeps the tokens, when the service cannot be reached, the app is switched off
   * (`ClientDisabledError`, `UnauthorizedClientError`), its secret is wrong or it was removed (`InvalidClientError`), the
   * member may not act any more (`ForbiddenError`), and for an approval without `offline_access` whose access token has
   * ended (`ApprovalNeededError`: only the shop, or a new approval, can end that connection).
   */
  disconnect(options?: CallOptions): Promise<void>;
  /**
   * Ends the approval of these tokens (RFC 7009), and forgets them. Tokens that the service does not know any more are
   * forgotten too. It throws, and keeps them, when the service cannot be reached or does not take the app's secret.
   */
  revoke(options?: CallOptions): Promise<void>;

  /** What the shop buys above its usual price, the highest price first. (`GET /purchase-boosts`) */
  boosts(options?: BoostOptions): Promise<BoostList>;
  /** All sites with their storage locations, inactive ones included. (`GET /inventory/sites`) */
  sites(options?: CallOptions): Promise<readonly Site[]>;

  /** One page of the change feed. (`GET /inventory/changes`) */
  changePage(options?: ChangePageOptions): Promise<ChangePage>;
  /** Reads the feed to its head: `for await (const change of shop.changes({ cursor })) …`. Asks nothing before that. */
  changes(options?: ChangePageOptions): ChangeReader;
  /**
   * Brings a copy of the stock up to date, in your own transactions; may be broken off anywhere and called again. Syncs of
   * one key wait for each other when they come from one `openPartnerApp()`, a follower's too, so that an old page never
   * comes over a newer one; for several processes see `loadLocked` and `before` of the target. A target that has
   * `transaction` says of what type: `shop.sync<Prisma.TransactionClient>({ … })`, `shop.sync<pg.PoolClient>({ … })`.
   */
  sync<Tx = undefined>(target: SyncTarget<Tx>, options?: SyncOptions): Promise<SyncResult>;
  /** Keeps such a copy up to date: syncs now, whenever `wake()` says that a notice came, and every few minutes. */
  follow<Tx = undefined>(target: SyncTarget<Tx>, options?: FollowOptions): Follower;

  /** A photo of a unit; `'unchanged'` when it is still that of `etag`. (`GET /inventory/items/{id}/photos/{side}`) */
  photo(
    unitId: string,
    side: OpenSet<KnownPhotoSide>,
    options?: PhotoOptions,
  ): Promise<Photo | 'unchanged'>;

  /** Active cards of the catalog by name, number, JAN code or id, best first. 1 to 150 characters. (`GET /cards`) */
  searchCards(search: string, options?: SearchOptions): Promise<readonly Card[]>;
  /** One card of the catalog, an inactive one too. (`GET /cards/{id}`) */
  card(id: string, options?: CallOptions): Promise<Card>;

  /** Has this address told when the stock changes. Keep the secret: it is answered only here. (`PUT /webhook`) */
  registerWebhook(url: string, options?: CallOptions): Promise<WebhookRegistration>;
  /** Has nobody told any more. Nothing to remove is no error. (`DELETE /webhook`) */
  removeWebhook(options?: CallOptions): Promise<void>;
}

/** What a {@link Shop} is made of. */
export interface ShopParts {
  /** `{base_url}` of the specification. */
  readonly baseUrl: string;
  readonly transport: Transport;
  readonly tokens: ShopTokens;
  /** Runs a sync when no other sync of this shop does. */
  readonly takeTurn: SyncTurn;
}

/** The shop that `tokens` open. Asks nobody anything. */
export function openShop({ baseUrl, transport, tokens, takeTurn }: ShopParts): Shop {
  const api = openPartnerApi({ baseUrl, transport, tokens });

  async function fetchPage(options: ChangePageOptions): Promise<ChangePage> {
    return await getChangePage(api, options);
  }

  async function syncInTurn<Tx>(target: SyncTarget<Tx>, options: SyncOptions): Promise<SyncResult> {
    return await takeTurn(
      async () => await syncChanges(fetchPage, target, options),
      options.signal,
    );
  }

  return {
    connect: async (options = {}) => await openConnection(api, options),
    connection: async (options = {}) => await getConnection(api, options),
    disconnect: async (options = {}) => {
      try {
        await endConnection(api, options);
      } catch (error) {
        // Nobody can end with these tokens what may still be there, and mostly nothing is.
        if (!(error instanceof ApprovalNeededError) || !(await tokens.isOver())) throw error;
      }
      await tokens.remove();
    },
    revoke: async ({ signal } = {}) => await tokens.revoke(signal),
    boosts: async (options = {}) => await listBoosts(api, options),
    sites: async (options = {}) => await listSites(api, options),
    changePage: async (options = {}) => await fetchPage(options),
    changes: (options = {}) => readChanges(fetchPage, options),
    sync: async (target, options = {}) => {
      checkTarget(target);
      checkPageLimit(options.limit);
      return await syncInTurn(target, options);
    },
    follow: (target, options = {}) => {
      checkTarget(target);
      const { limit } = options;
      checkPageLimit(limit);
      return follow(async (signal) => await syncInTurn(target, { limit, signal }), options);
    },
    photo: async (unitId, side, options = {}) => await getPhoto(api, unitId, side, options),
    searchCards: async (search, options = {}) => await searchCards(api, search, options),
    card: async (id, options = {}) => await getCard(api, id, options),
    registerWebhook: async (url, options = {}) => await putWebhook(api, url, options),
    removeWebhook: async (options = {}) => await deleteWebhook(api, options),
  };
}
