import type { FastifyRequest } from 'fastify';
import type { Access } from '../approvals/access.ts';
import { type ApiError, serviceUnavailable } from '../http/errors.ts';
import type { RunInSlot } from '../inventory/feed.ts';
import type { PartnerDeps } from './endpoint.ts';

/** A read stops waiting when its client disconnects. */
export function limitReads(
  { readLimiter }: Pick<PartnerDeps, 'readLimiter'>,
  { shopId, clientId }: Access,
  request: Pick<FastifyRequest, 'signal'>,
): RunInSlot {
  return async (read) => await readLimiter.run([shopId, clientId], read, request.signal);
}

/** Returns a 503: too many reads are waiting, or this read has waited or would wait too long. */
export function tooManyReads(): ApiError {
  return serviceUnavailable({ cause: new Error('too many reads of this app are waiting') });
}
