import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Clock } from '../base/clock.ts';
import { parseMembers } from '../base/field.ts';
import type { Log } from '../base/log.ts';
import type { RateLimits } from '../base/rate-limits.ts';
import { findBoostText, listBoosts } from '../boosts/render-boost.ts';
import { findGrade, listGrades } from '../catalog/shop-grade.ts';
import type { Database } from '../database/database.ts';
import { parseEmptyBody } from '../http/body.ts';
import { ApiError } from '../http/errors.ts';
import { RateLimiter } from '../http/rate-limit.ts';
import { JSON_TYPE } from '../http/raw-response.ts';
import { useErrorBody } from '../http/server.ts';
import { BATCH_BYTES_MAX, Spool } from '../http/spool.ts';
import { findLocationText, listLocations } from '../inventory/location.ts';
import { findSiteText, listSites } from '../inventory/site.ts';
import { setUnitStatus } from '../inventory/status-change.ts';
import { STATUS_FIELDS } from '../inventory/unit-fields.ts';
import { findUnitText, listUnits } from '../inventory/unit-text.ts';
import type { DecodeQueue } from '../images/decode-queue.ts';
import type { ImageStore } from '../images/image-store.ts';
import { type AuthenticatedShop, authenticateShop } from './authentication.ts';
import { mountBoosts, readBoostStatus } from './boost-routes.ts';
import { mountConnections } from './connection-routes.ts';
import {
  sendJson,
  type RouteContext,
  membersOf,
  notFound,
  readId,
  type FindShopOfRequest,
} from './route-context.ts';
import { shopApiDocument } from './openapi.ts';
import { type ListedObject, type Page, readPage, renderPage, withLookaheadRow } from './page.ts';
import { mountPhotos } from './photo-routes.ts';
import { renderShopError, toApiError, toWireRefusal, parseErrorToWireRefusal } from './refusal.ts';
import { writeBatch } from './unit-batch.ts';
import {
  writeBoost,
  writeGrade,
  writeLocation,
  type WriteObject,
  writeSite,
  writeUnit,
} from './write-object.ts';
import { SYSTEM_WRITE_LIMITS, createWriteLimiter } from '../http/write-limiter.ts';

export interface ShopApiDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Log;
  readonly images: ImageStore;
  readonly decodeQueue: DecodeQueue;
  readonly publicUrl: string;
  /** `SHOP_UNITS_MAX` */
  readonly shopUnitsMax: number;
  /** Null if `RATE_LIMITS` is `off`. */
  readonly rateLimits: Pick<RateLimits, 'shop' | 'failures'> | null;
  /** Returns whether a fault is temporary, so that the response is 503. */
  readonly isUnavailable: (error: unknown) => boolean;
}

/** One kind of object: its path, and how to write, find and list it. */
interface Collection {
  readonly name: string;
  readonly noun: string;
  readonly write: WriteObject;
  readonly find: (
    db: Database,
    shopId: string,
    id: string,
    now: Date,
  ) => Promise<string | undefined>;
  readonly list: (
    db: Database,
    shopId: string,
    page: Page,
    now: Date,
    query: Readonly<Record<string, unknown>>,
  ) => Promise<readonly ListedObject[]>;
}

const COLLECTIONS: readonly Collection[] = [
  { name: 'sites', noun: 'site', write: writeSite, find: findSiteText, list: listSites },
  {
    name: 'locations',
    noun: 'location',
    write: writeLocation,
    find: findLocationText,
    list: listLocations,
  },
  { name: 'grades', noun: 'grade', write: writeGrade, find: findGradeText, list: listGradeTexts },
  { name: 'units', noun: 'unit', write: writeUnit, find: findUnitText, list: listUnits },
  {
    name: 'boosts',
    noun: 'boost',
    write: writeBoost,
    find: findBoostText,
    list: async (db, shopId, page, now, query) =>
      await listBoosts(db, shopId, page, now, readBoostStatus(query)),
  },
];

/**
 * Mounts the Shop API (decision 0009) under `/shop/v1`. The order of checks: route and method, key,
 * rate limit, body size and type, body content, object.
 */
export async function registerShopApi(app: FastifyInstance, deps: ShopApiDeps): Promise<void> {
  const document = JSON.stringify(shopApiDocument(deps.publicUrl));
  app.get('/openapi/shop-v1.json', (_request, reply) => {
    reply.type(JSON_TYPE).send(document);
  });
  await app.register(
    async (scope) => {
      useErrorBody(scope, deps, renderShopError);
      const shopOf = requireKeys(scope, deps);
      const context: RouteContext = {
        db: deps.db,
        clock: deps.clock,
        write: createWriteLimiter(deps.db, SYSTEM_WRITE_LIMITS),
        shopOf,
      };
      for (const collection of COLLECTIONS) mountCollection(scope, context, collection);
      mountUnitStatus(scope, context);
      mountBoosts(scope, context);
      mountConnections(scope, context);
      await mountPhotos(scope, context, deps);
      await scope.register(async (batch) => mountBatch(batch, context));
    },
    { prefix: '/shop/v1' },
  );
}

function requireKeys(scope: FastifyInstance, deps: ShopApiDeps): FindShopOfRequest {
  const { db, clock, rateLimits, shopUnitsMax: unitsMax } = deps;
  const requests = new RateLimiter('shop', rateLimits?.shop ?? null, clock);
  const failures = new RateLimiter('failures', rateLimits?.failures ?? null, clock);
  const shops = new WeakMap<FastifyRequest, AuthenticatedShop>();
  scope.addHook('onRequest', async (request, reply) => {
    shops.set(
      request,
      await authenticateShop({ db, clock, requests, failures, unitsMax }, request, reply),
    );
  });
  return (request) => {
    const shop = shops.get(request);
    if (shop === undefined) throw new Error('a request without a shop');
    return shop;
  };
}

function mountCollection(
  scope: FastifyInstance,
  { db, clock, write, shopOf }: RouteContext,
  { name, noun, write: writeOne, find, list }: Collection,
): void {
  scope.put(`/${name}/:id`, async (request, reply) => {
    const id = readId(request, noun);
    const outcome = await writeOne({ write, clock, shop: shopOf(request) }, id, request.body);
    if (outcome.kind === 'refused') throw toApiError(outcome.refusal);
    return await sendJson(reply.code(outcome.kind === 'created' ? 201 : 200), outcome.text);
  });
  scope.get(`/${name}/:id`, async (request, reply) => {
    const text = await find(db, shopOf(request).id, readId(request, noun), clock.now());
    if (text === undefined) throw notFound(noun);
    return await sendJson(reply, text);
  });
  scope.get(`/${name}`, async (request, reply) => {
    const query = membersOf(request.query);
    const page = readPage(query);
    const objects = await list(db, shopOf(request).id, withLookaheadRow(page), clock.now(), query);
    return await sendJson(reply, renderPage(name, objects, page));
  });
}

function mountUnitStatus(scope: FastifyInstance, { clock, write, shopOf }: RouteContext): void {
  scope.post('/units/:id/status', async (request, reply) => {
    const id = readId(request, 'unit');
    const reading = parseMembers(STATUS_FIELDS, request.body, 'refuse');
    if (!reading.ok) throw toApiError(parseErrorToWireRefusal(reading));
    const { status } = reading.value;
    if (status === undefined) {
      throw new ApiError(400, 'invalid_request', { detail: 'The body must contain `status`.' });
    }
    const now = clock.now();
    const shop = shopOf(request);
    const result = await write(
      shop.id,
      async (tx) => await setUnitStatus(tx, shop, id, status, now),
    );
    if (!('unitText' in result)) throw toApiError(toWireRefusal(result, 'unit'));
    return await sendJson(reply, result.unitText);
  });
}

function mountBatch(scope: FastifyInstance, { clock, write, shopOf }: RouteContext): void {
  const spool = new Spool();
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('application/x-ndjson', (_request, body, done) => done(null, body));
  scope.addContentTypeParser('*', { parseAs: 'buffer' }, parseEmptyBody);
  scope.post('/units/batch', { bodyLimit: BATCH_BYTES_MAX }, async (request, reply) => {
    const body = request.body instanceof Readable ? request.body : Readable.from([]);
    return await sendJson(
      reply,
      await writeBatch({ write, clock, shop: shopOf(request), spool }, body),
    );
  });
}

async function findGradeText(
  db: Database,
  shopId: string,
  id: string,
): Promise<string | undefined> {
  const grade = await findGrade(db, shopId, id);
  return grade === undefined ? undefined : JSON.stringify(grade);
}

async function listGradeTexts(db: Database, shopId: string, page: Page): Promise<ListedObject[]> {
  const grades = await listGrades(db, shopId, page);
  return grades.map((grade) => ({ id: grade.id, text: JSON.stringify(grade) }));
}
