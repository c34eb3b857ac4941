import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../base/clock.ts';
import { isObject, isUuid } from '../base/field.ts';
import type { Database } from '../database/database.ts';
import { ApiError } from '../http/errors.ts';
import { JSON_TYPE } from '../http/raw-response.ts';
import type { AuthenticatedShop } from './authentication.ts';
import { toApiError, toWireRefusal } from './refusal.ts';
import type { LimitedWrite } from '../http/write-limiter.ts';

export interface RouteContext {
  readonly db: Database;
  readonly clock: Clock;
  readonly write: LimitedWrite;
  readonly shopOf: FindShopOfRequest;
}

/** Returns the shop that the key check stored for a request. */
export type FindShopOfRequest = (request: FastifyRequest) => AuthenticatedShop;

export async function sendJson(reply: FastifyReply, text: string): Promise<FastifyReply> {
  return await reply.type(JSON_TYPE).send(text);
}

/** @throws ApiError 404 for a text that cannot be the id of an object (decision 0008) */
export function readId(request: FastifyRequest, noun: string, parameter = 'id'): string {
  const id = membersOf(request.params)[parameter];
  if (!isUuid(id)) throw notFound(noun);
  return id.toLowerCase();
}

export function notFound(noun: string): ApiError {
  return toApiError(toWireRefusal({ kind: 'not_found' }, noun));
}

/** Returns the members of an object, or none for any other value. */
export function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

/** @throws ApiError 400 for properties, because ignoring them would hide the sender's mistake */
export function requireEmptyBody(body: unknown): void {
  if (body === undefined || (isObject(body) && Object.keys(body).length === 0)) return;
  throw new ApiError(400, 'invalid_request', { detail: 'This call takes no fields in the body.' });
}
