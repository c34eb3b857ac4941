import type { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import type { Clock } from '../base/clock.ts';
import type { KeyedLimiter } from '../base/keyed-limiter.ts';
import type { Log } from '../base/log.ts';
import type { READ_SCOPES } from '../apps/scope.ts';
import type { BoostLists } from '../boosts/boost-lists.ts';
import type { CardSearch } from '../catalog/search/card-search.ts';
import type { Database } from '../database/database.ts';
import type { Access } from '../grants/access.ts';
import type { ReadyBody } from '../http/ready-answer.ts';
import type { Cursors } from '../inventory/cursors.ts';
import type { PictureStore } from '../pictures/picture-store.ts';
import type { Permission } from '../shops/permission.ts';
import type { FeedReads } from '../connections/feed-reads.ts';
import type { WebhookSecrets } from '../webhooks/webhook-secrets.ts';
import type { EndpointDocs } from './endpoint-docs.ts';

/** A scope that opens endpoints. */
export type ReadScope = (typeof READ_SCOPES)[number];

/** What the endpoints work with. */
export interface PartnerDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly cursors: Cursors;
  readonly search: CardSearch;
  readonly boosts: BoostLists;
  readonly pictures: PictureStore;
  readonly log: Log;
  /** Whoever reads the feed is noted. */
  readonly feedReads: FeedReads;
  /** Seals what signs notices. */
  readonly webhookSecrets: WebhookSecrets;
  /** `ALLOW_LOOPBACK_WEBHOOKS`, for development. */
  readonly allowsLoopbackWebhooks: boolean;
  /** `{base_url}` of the specification: the public address and `/partner/v1`, also the resource of every token. */
  readonly baseUrl: string;
  /** Turns of the changes of one app's connection: they wait for its row, and must not do so with connections in hand. */
  readonly connectionTurns: KeyedLimiter;
  /** Turns of the searches of one app's connection: one index answers all apps. */
  readonly searchTurns: KeyedLimiter;
  /** Turns of an app's reads that take a pooled connection: one app must not have them all. */
  readonly readTurns: KeyedLimiter;
}

/** A call that passed every check but those of its own parameters and object. */
export interface Call {
  readonly access: Access;
  readonly request: FastifyRequest;
}

/** A ready answer: hot bodies are text already, so no serializer runs. */
export interface Answer {
  readonly status: 200 | 201 | 204 | 304;
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * JSON as text, bytes, or pieces of bytes that are sent one after the other; or a stream of any type, beside which
   * `headers` tell type and length. Null with 204 and 304, and for HEAD where making the body would cost more than its
   * headers do.
   */
  readonly body: ReadyBody | Readable | null;
}

/** One line of specification 4. */
export interface Endpoint {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Below `{base_url}`, parameters as `:name`. */
  readonly path: string;
  /** Any one of them will do. */
  readonly scopes: readonly [ReadScope, ...ReadScope[]];
  /** What the approving member must be allowed in the shop, or null. */
  readonly permission: Permission | null;
  /** False for POST /connection alone: it is how a connection begins. */
  readonly needsConnection: boolean;
  readonly bucket: 'api' | 'search' | 'photos';
  /** `json`: an empty body or JSON. `ignored`: read up to the limit and forgotten, whatever it is. */
  readonly body: 'json' | 'ignored';
  readonly docs: EndpointDocs;
  /** A hot answer may come without a promise: it saves a turn of the event loop. */
  readonly answer: (deps: PartnerDeps, call: Call) => Answer | Promise<Answer>;
}
