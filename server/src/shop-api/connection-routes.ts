import type { FastifyInstance } from 'fastify';
import { ApiError } from '../http/errors.ts';
import { listAttempts } from '../webhooks/attempt-log.ts';
import { endConnectionAndWebhook } from '../webhooks/end-connection.ts';
import {
  CONNECTION_STATUSES,
  type ConnectionStatus,
  findConnection,
  listConnections,
} from '../webhooks/connection-details.ts';
import { requestTestDelivery, type TestDeliveryResult } from '../webhooks/request-test-delivery.ts';
import {
  sendJson,
  type RouteContext,
  membersOf,
  notFound,
  readId,
  requireEmptyBody,
} from './route-context.ts';
import {
  invalidCursor,
  readLimit,
  readPage,
  renderList,
  renderPage,
  withLookaheadRow,
} from './page.ts';
import { toApiError, toWireRefusal, type WriteRefusal } from './refusal.ts';
import {
  SYSTEM_WRITE_LIMITS,
  createWriteLimiter,
  type LimitedWrite,
} from '../http/write-limiter.ts';

const NOUN = 'connection';

export function mountConnections(scope: FastifyInstance, context: RouteContext): void {
  // A separate queue, so that ending a connection does not wait for stock writes.
  const write = createWriteLimiter(context.db, SYSTEM_WRITE_LIMITS);
  mountRead(scope, context);
  mountAttempts(scope, context);
  mountTestDelivery(scope, context, write);
  mountEnd(scope, context, write);
}

function mountRead(scope: FastifyInstance, { db, clock, shopOf }: RouteContext): void {
  scope.get('/connections', async (request, reply) => {
    const query = membersOf(request.query);
    const page = readPage(query);
    const status = readStatus(query);
    const { id: shopId } = shopOf(request);
    const filter = { ...withLookaheadRow(page), status };
    const connections = await listConnections(db, shopId, filter, clock.now());
    const objects = connections.map((each) => ({ id: each.id, text: JSON.stringify(each) }));
    return await sendJson(reply, renderPage('connections', objects, page));
  });
  scope.get('/connections/:id', async (request, reply) => {
    const id = readId(request, NOUN);
    const connection = await findConnection(db, shopOf(request).id, id, clock.now());
    if (connection === undefined) throw notFound(NOUN);
    return await sendJson(reply, JSON.stringify(connection));
  });
}

function mountAttempts(scope: FastifyInstance, { db, shopOf }: RouteContext): void {
  scope.get('/connections/:id/attempts', async (request, reply) => {
    const id = readId(request, NOUN);
    const query = membersOf(request.query);
    const before = decodeNumberCursor(query['cursor']);
    const limit = readLimit(query['limit']);
    const page = { before, limit: limit + 1 };
    const attempts = await listAttempts(db, shopOf(request).id, id, page);
    if (attempts === undefined) throw notFound(NOUN);
    const objects = attempts.map((each) => ({ number: each.number, text: JSON.stringify(each) }));
    const cursorOf = ({ number }: { readonly number: number }): string =>
      encodeNumberCursor(number);
    return await sendJson(reply, renderList('attempts', objects, limit, cursorOf));
  });
}

function mountTestDelivery(
  scope: FastifyInstance,
  { clock, shopOf }: RouteContext,
  write: LimitedWrite,
): void {
  scope.post('/connections/:id/notice', async (request, reply) => {
    const id = readId(request, NOUN);
    requireEmptyBody(request.body);
    const { id: shopId } = shopOf(request);
    const now = clock.now();
    const result = await write(
      shopId,
      async (tx) => await requestTestDelivery(tx, shopId, id, now),
    );
    if (result.kind !== 'requested') {
      throw toApiError(toWireRefusal(toWriteRefusal(result.kind), NOUN));
    }
    return await sendJson(reply.code(202), JSON.stringify({ eventId: result.eventId }));
  });
}

function mountEnd(
  scope: FastifyInstance,
  { clock, shopOf }: RouteContext,
  write: LimitedWrite,
): void {
  scope.delete('/connections/:id', async (request, reply) => {
    const id = readId(request, NOUN);
    const { id: shopId, keyId } = shopOf(request);
    const now = clock.now();
    const result = await write(shopId, async (tx) => {
      const by = { kind: 'shop_key', keyId } as const;
      return await endConnectionAndWebhook(tx, shopId, id, 'shop', now, by);
    });
    if (result === 'not_found') throw notFound(NOUN);
    return await reply.code(204).send();
  });
}

function toWriteRefusal(kind: Exclude<TestDeliveryResult['kind'], 'requested'>): WriteRefusal {
  switch (kind) {
    case 'not_found':
      return { kind };
    case 'connection_ended':
      return { kind: 'conflict', detail: 'The connection has ended.' };
    case 'no_webhook':
      return { kind: 'conflict', detail: 'The connection has no webhook.' };
    case 'app_disabled':
      return {
        kind: 'conflict',
        detail: 'The app is disabled. Deliveries are paused until it is enabled.',
      };
  }
}

function readStatus(query: Readonly<Record<string, unknown>>): ConnectionStatus | null {
  const { status: given } = query;
  if (given === undefined) return null;
  const status = CONNECTION_STATUSES.find((each) => each === given);
  if (status !== undefined) return status;
  const detail = `status must be one of ${CONNECTION_STATUSES.join(', ')}.`;
  throw new ApiError(400, 'invalid_request', { detail });
}

/** Encodes the number of the page's last attempt in 11 characters. */
function encodeNumberCursor(number: number): string {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(number));
  return bytes.toString('base64url');
}

function decodeNumberCursor(value: unknown): number | null {
  if (value === undefined) return null;
  const isCursor = typeof value === 'string' && /^[A-Za-z0-9_-]{10}[AEIMQUYcgkosw048]$/.test(value);
  if (!isCursor) throw invalidCursor();
  const number = Number(Buffer.from(value, 'base64url').readBigUInt64BE());
  if (!Number.isSafeInteger(number)) throw invalidCursor();
  return number;
}
