import type { FastifyInstance, FastifyRequest } from 'fastify';
import { parseMembers } from '../base/field.ts';
import { PURCHASE_FIELDS } from '../boosts/boost-fields.ts';
import { BOOST_STATUSES, type BoostStatus } from '../boosts/boost-status.ts';
import {
  endBoost,
  type ChangeBoostStateResult,
  pauseBoost,
  resumeBoost,
} from '../boosts/change-boost-state.ts';
import { recordBoostEdit } from '../boosts/last-boost-edit.ts';
import { addPurchase, cancelPurchase, type Purchase } from '../boosts/purchase.ts';
import { findPurchase, listPurchases } from '../boosts/find-purchase.ts';
import type { Transaction } from '../database/database.ts';
import { ApiError } from '../http/errors.ts';
import {
  sendJson,
  type RouteContext,
  membersOf,
  readId,
  requireEmptyBody,
} from './route-context.ts';
import { readPage, renderPage, withLookaheadRow } from './page.ts';
import { toApiError, toWireRefusal, parseErrorToWireRefusal } from './refusal.ts';

type MoveBoost = (
  tx: Transaction,
  shopId: string,
  id: string,
  now: Date,
) => Promise<ChangeBoostStateResult>;

const MOVES: Readonly<Record<'pause' | 'resume' | 'end', MoveBoost>> = {
  pause: pauseBoost,
  resume: resumeBoost,
  end: endBoost,
};

/** Each write responds with the boost. */
export function mountBoosts(scope: FastifyInstance, context: RouteContext): void {
  for (const [name, move] of Object.entries(MOVES)) mountMove(scope, context, name, move);
  mountAddPurchase(scope, context);
  mountCancelPurchase(scope, context);
  mountReadPurchases(scope, context);
}

function mountMove(
  scope: FastifyInstance,
  { clock, write, shopOf }: RouteContext,
  name: string,
  move: MoveBoost,
): void {
  scope.post(`/boosts/:id/${name}`, async (request, reply) => {
    const id = readId(request, 'boost');
    requireEmptyBody(request.body);
    const { id: shopId, by } = shopOf(request);
    const now = clock.now();
    const result = await write(shopId, async (tx) => {
      const moved = await move(tx, shopId, id, now);
      if (moved.kind === 'updated') await recordBoostEdit(tx, shopId, id, by, now);
      return moved;
    });
    if (!('boostText' in result)) throw toApiError(toWireRefusal(result, 'boost'));
    return await sendJson(reply, result.boostText);
  });
}

function mountAddPurchase(scope: FastifyInstance, { clock, write, shopOf }: RouteContext): void {
  scope.post('/boosts/:id/purchases', async (request, reply) => {
    const boostId = readId(request, 'boost');
    const purchase = readPurchase(request);
    const { id: shopId } = shopOf(request);
    const now = clock.now();
    const result = await write(
      shopId,
      async (tx) => await addPurchase(tx, shopId, boostId, purchase, now),
    );
    if (!('boostText' in result)) throw toApiError(toWireRefusal(result, 'boost'));
    return await sendJson(reply.code(result.kind === 'created' ? 201 : 200), result.boostText);
  });
}

function mountCancelPurchase(scope: FastifyInstance, { clock, write, shopOf }: RouteContext): void {
  scope.delete('/boosts/:id/purchases/:purchaseId', async (request, reply) => {
    const boostId = readId(request, 'boost');
    const purchaseId = readId(request, 'purchase', 'purchaseId');
    const { id: shopId } = shopOf(request);
    const now = clock.now();
    const result = await write(
      shopId,
      async (tx) => await cancelPurchase(tx, shopId, boostId, purchaseId, now),
    );
    if (!('boostText' in result)) throw toApiError(toWireRefusal(result, 'boost'));
    return await sendJson(reply, result.boostText);
  });
}

function mountReadPurchases(scope: FastifyInstance, { db, shopOf }: RouteContext): void {
  scope.get('/boosts/:id/purchases', async (request, reply) => {
    const boostId = readId(request, 'boost');
    const page = readPage(membersOf(request.query));
    const found = await listPurchases(db, shopOf(request).id, boostId, withLookaheadRow(page));
    if (found.kind === 'not_found') throw toApiError(toWireRefusal(found, 'boost'));
    return await sendJson(reply, renderPage('purchases', found.purchases, page));
  });
  scope.get('/boosts/:id/purchases/:purchaseId', async (request, reply) => {
    const boostId = readId(request, 'boost');
    const purchaseId = readId(request, 'purchase', 'purchaseId');
    const found = await findPurchase(db, shopOf(request).id, boostId, purchaseId);
    if (found.kind !== 'purchase') throw toApiError(toWireRefusal({ kind: found.kind }, 'boost'));
    return await sendJson(reply, found.text);
  });
}

/**
 * Reads the query parameter `status`. Null means boosts of every status.
 *
 * @throws ApiError 400 when the status is unknown or given twice
 */
export function readBoostStatus(query: Readonly<Record<string, unknown>>): BoostStatus | null {
  const { status: given } = query;
  if (given === undefined) return null;
  const status = BOOST_STATUSES.find((each) => each === given);
  if (status !== undefined) return status;
  const detail = `status must be one of ${BOOST_STATUSES.join(', ')}.`;
  throw new ApiError(400, 'invalid_request', { detail });
}

function readPurchase({ body }: FastifyRequest): Purchase {
  const reading = parseMembers(PURCHASE_FIELDS, body, 'refuse');
  if (!reading.ok) throw toApiError(parseErrorToWireRefusal(reading));
  const { id, quantity } = reading.value;
  if (id !== undefined && quantity !== undefined) return { id, quantity };
  const missing = id === undefined ? 'id' : 'quantity';
  throw new ApiError(400, 'invalid_request', { detail: `The body must contain ${missing}.` });
}
