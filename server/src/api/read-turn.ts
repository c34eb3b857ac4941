import type { FastifyRequest } from 'fastify';
import type { Access } from '../grants/access.ts';
import { type ApiError, unavailable } from '../http/errors.ts';
import type { InTurn } from '../inventory/feed.ts';
import type { PartnerDeps } from './endpoint.ts';

/** The turn of one call among the reads of its app in its shop; it ends its wait when nobody waits for the answer. */
export function turnOf(
  { readTurns }: Pick<PartnerDeps, 'readTurns'>,
  { shopId, clientId }: Access,
  request: Pick<FastifyRequest, 'signal'>,
): InTurn {
  return async (read) => await readTurns.run(`${shopId} ${clientId}`, read, request.signal);
}

/** No turn came, or none would come in time: 503. */
export function tooManyReads(): ApiError {
  return unavailable({ cause: new Error('too many reads of this app wait') });
}
