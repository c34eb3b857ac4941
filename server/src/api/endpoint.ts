import type { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import type { Clock } from '../base/clock.ts';
import type { FairLimiter } from '../base/fair-limiter.ts';
import type { Log } from '../base/log.ts';
import type { READ_SCOPES } from '../apps/scope.ts';
import type { BoostListCache } from '../boosts/boost-list-cache.ts';
import type { CardSearch } from '../catalog/card-search.ts';
import type { Database } from '../database/database.ts';
import type { Access } from '../approvals/access.ts';
import type { PreparedBody } from '../http/prepared-response.ts';
import type { FeedPosition } from '../inventory/cursor.ts';
import type { CursorCodec } from '../inventory/cursors.ts';
import type { ImageStore } from '../images/image-store.ts';
import type { Permission } from '../shops/permission.ts';
import type { FeedReads } from '../connections/feed-reads.ts';
import type { WebhookSecrets } from '../webhooks/webhook-secrets.ts';
import type { EndpointDocs } from './endpoint-docs.ts';

export type ReadScope = (typeof READ_SCOPES)[number];

export interface PartnerDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly cursors: CursorCodec;
  /** `isReplaced` until the operator decides whether a restore invalidates cursors (0238). */
  readonly restores: {
    readonly isReplaced: boolean;
    reportExpiredCursor(shopId: string, position: FeedPosition): Promise<void>;
  };
  readonly search: CardSearch;
  readonly boosts: BoostListCache;
  readonly images: ImageStore;
  readonly log: Log;
  readonly feedReads: FeedReads;
  readonly webhookSecrets: WebhookSecrets;
  /** `ALLOW_LOOPBACK_WEBHOOKS`, for development. */
  readonly allowsLoopbackWebhooks: boolean;
  /** `{base_url}` of spec 5.1: the public address and `/partner/v1`. Tokens are issued for it. */
  readonly baseUrl: string;
  /** By shop and app, so that changes waiting for one row do not fill the connection pool. */
  readonly connectionLimiter: FairLimiter;
  /** By shop and app, so that one app cannot occupy the whole connection pool. */
  readonly readLimiter: FairLimiter;
}

/** The caller has passed all checks. Body, parameters and object are not checked yet. */
export interface AuthorizedRequest {
  readonly access: Access;
  readonly request: FastifyRequest;
}

/** Bodies of hot endpoints are already text, so no serializer runs. */
export interface EndpointResponse {
  readonly status: 200 | 201 | 204 | 304;
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * The type and length of a stream are in `headers`. Null for 204 and 304, and for a HEAD request
   * if the body costs more to create than its headers.
   */
  readonly body: PreparedBody | Readable | null;
}

/** An endpoint of spec 4. */
export interface Endpoint {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** The path below `{base_url}`, with parameters as `:name`. */
  readonly path: string;
  /** Any one of these scopes is enough. */
  readonly scopes: readonly [ReadScope, ...ReadScope[]];
  /** The permission that the approving member needs in the shop (spec 5.5). */
  readonly permission: Permission | null;
  /** False only for POST /connection, which opens the connection. */
  readonly needsConnection: boolean;
  readonly bucket: 'api' | 'search' | 'photos';
  /** `json`: an empty body or JSON. `ignored`: read up to the limit and discarded. */
  readonly body: 'json' | 'ignored';
  readonly docs: EndpointDocs;
  /** A hot endpoint may respond without a promise, which saves an event-loop turn. */
  readonly handler: (
    deps: PartnerDeps,
    call: AuthorizedRequest,
  ) => EndpointResponse | Promise<EndpointResponse>;
}
