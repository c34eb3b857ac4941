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
import { checkTarget } from './target-adapter.ts';
import type { SyncOptions, SyncResult, SyncTarget } from './sync-target.ts';
import { syncChanges } from './sync.ts';
import type { RunExclusively } from './sync-queue.ts';
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
 * One shop that has approved the app. Every call refreshes the access token when needed, retries
 * temporary failures, and throws a {@link CardportError} with the response's code.
 * `error.needsApproval` means that the shop must approve the app again.
 */
export interface Shop {
  /** Opens the connection, which every other call needs. Safe to repeat. (`POST /connection`) */
  connect(options?: CallOptions): Promise<Connection>;
  /** Returns the shop, approving member, webhook and feed's head. (`GET /connection`) */
  connection(options?: CallOptions): Promise<Connection>;
  /**
   * Ends the connection and its webhook, and removes the tokens. (`DELETE /connection`) Also
   * succeeds if the connection has already ended, the service no longer accepts the refresh token,
   * or no tokens are stored. Any other failure throws and keeps the tokens. It throws
   * `ApprovalNeededError` if the access token has expired and there is no refresh token: only the
   * shop or a new approval can then end the connection.
   */
  disconnect(options?: CallOptions): Promise<void>;
  /**
   * Revokes the approval (RFC 7009) and removes the tokens, also if the service no longer knows
   * them. Throws, and keeps them, when the service is unreachable or refuses the client secret.
   */
  revoke(options?: CallOptions): Promise<void>;

  /** Lists the buy boosts, highest price first. (`GET /purchase-boosts`) */
  boosts(options?: BoostOptions): Promise<BoostList>;
  /** Lists all sites with their storage locations, even inactive ones. (`GET /inventory/sites`) */
  sites(options?: CallOptions): Promise<readonly Site[]>;

  /** Fetches one page of the change feed. (`GET /inventory/changes`) */
  changePage(options?: ChangePageOptions): Promise<ChangePage>;
  /**
   * Returns a reader of the change feed: `for await (const change of shop.changes({ cursor })) …`.
   * The first request is made when the loop starts.
   */
  changes(options?: ChangePageOptions): ChangeReader;
  /**
   * Brings a copy of the stock up to date, in your own transactions. It can be interrupted at any
   * point and called again. Within one `openPartnerApp()`, syncs of the same key run one at a time,
   * including a follower's, so an old page never overwrites a newer page. For several processes see
   * `loadLocked` and `before`. Pass the transaction's type: `shop.sync<pg.PoolClient>({ … })`.
   */
  sync<Tx = undefined>(target: SyncTarget<Tx>, options?: SyncOptions): Promise<SyncResult>;
  /** Keeps a copy of the stock up to date: syncs now, after each `wake()` and every few minutes. */
  follow<Tx = undefined>(target: SyncTarget<Tx>, options?: FollowOptions): Follower;

  /**
   * Fetches a photo of a unit, or returns `'unchanged'` if the photo still has `etag`. (`GET
   * /inventory/items/{id}/photos/{side}`)
   */
  photo(
    unitId: string,
    side: OpenSet<KnownPhotoSide>,
    options?: PhotoOptions,
  ): Promise<Photo | 'unchanged'>;

  /**
   * Searches active cards by name, number, JAN code or id, best match first. `search` must have 1
   * to 150 characters. (`GET /cards`)
   */
  searchCards(search: string, options?: SearchOptions): Promise<readonly Card[]>;
  /** Fetches one card, which may be inactive. (`GET /cards/{id}`) */
  card(id: string, options?: CallOptions): Promise<Card>;

  /**
   * Registers the address that receives a notice when the stock changes. Store the secret: only
   * this response contains it. (`PUT /webhook`)
   */
  registerWebhook(url: string, options?: CallOptions): Promise<WebhookRegistration>;
  /** Removes the webhook. It also succeeds if no webhook is registered. (`DELETE /webhook`) */
  removeWebhook(options?: CallOptions): Promise<void>;
}

export interface ShopDependencies {
  /** The `{base_url}` of the specification. */
  readonly baseUrl: string;
  readonly transport: Transport;
  readonly tokens: ShopTokens;
  readonly runExclusively: RunExclusively;
}

/** Returns the shop that these tokens belong to. Makes no request. */
export function openShop({ baseUrl, transport, tokens, runExclusively }: ShopDependencies): Shop {
  const api = openPartnerApi({ baseUrl, transport, tokens });

  async function fetchPage(options: ChangePageOptions): Promise<ChangePage> {
    return await getChangePage(api, options);
  }

  async function syncExclusively<Tx>(
    target: SyncTarget<Tx>,
    options: SyncOptions,
  ): Promise<SyncResult> {
    return await runExclusively(
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
        // If the service no longer accepts the tokens, the connection has usually ended too.
        if (!(error instanceof ApprovalNeededError) || (await tokens.mayLeaveConnection())) {
          throw error;
        }
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
      return await syncExclusively(target, options);
    },
    follow: (target, options = {}) => {
      checkTarget(target);
      const { limit } = options;
      checkPageLimit(limit);
      return follow(async (signal) => await syncExclusively(target, { limit, signal }), options);
    },
    photo: async (unitId, side, options = {}) => await getPhoto(api, unitId, side, options),
    searchCards: async (search, options = {}) => await searchCards(api, search, options),
    card: async (id, options = {}) => await getCard(api, id, options),
    registerWebhook: async (url, options = {}) => await putWebhook(api, url, options),
    removeWebhook: async (options = {}) => await deleteWebhook(api, options),
  };
}
