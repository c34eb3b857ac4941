import type { FastifyReply, FastifyRequest } from 'fastify';
import { hashSecret } from '../base/secrets.ts';
import type { Access } from '../grants/access.ts';
import type { AccessCache } from '../grants/access-cache.ts';
import { ApiError } from '../http/errors.ts';
import type { RateLimiter } from '../http/rate-limit.ts';
import { invalidToken, readBearer } from './bearer.ts';
import type { Endpoint } from './endpoint.ts';
import { refuseAccess } from './ladder.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Who calls, once the checks before the body have passed. */
    access: Access | null;
  }
}

export interface AdmissionDeps {
  readonly accesses: AccessCache;
  readonly limiters: Readonly<Record<Endpoint['bucket'], RateLimiter>>;
  readonly baseUrl: string;
  readonly metadataUrl: string;
}

type Hook = (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void) => void;

/**
 * The checks of one endpoint before its body is read, in the order of decision 0003: token (401), rate limit (429), then
 * the 403s of the ladder. Route and method came before, body, parameters and object come after.
 */
export function admit(endpoint: Endpoint, deps: AdmissionDeps): Hook {
  const limiter = deps.limiters[endpoint.bucket];
  return (request, reply, done) => {
    const bearer = readBearer(request.headers.authorization);
    const refuseToken = (wasTokenSent: boolean): void => {
      reply.headers(limiter.headers(limiter.untouched()));
      done(invalidToken(deps.metadataUrl, wasTokenSent));
    };
    const decide = (access: Access | undefined): void => {
      // Each token is for one resource, and this is not it (RFC 8707, specification 5.4).
      if (access === undefined || access.resource !== deps.baseUrl) refuseToken(true);
      else done(refuseCaller(endpoint, limiter, access, request, reply));
    };
    if (bearer.kind !== 'token') {
      refuseToken(bearer.kind === 'malformed');
      return;
    }
    const found = deps.accesses.find(hashSecret(bearer.token));
    if (found instanceof Promise) found.then(decide, done);
    else decide(found);
  };
}

/** Made once for an access: as one flat text with its hash known it is found in a tenth of the time. */
const limitKeys = new WeakMap<Access, string>();

/** One bucket for each connection, however many tokens it has. */
function limitKeyOf(access: Access): string {
  let key = limitKeys.get(access);
  if (key === undefined) {
    key = `${access.shopId} ${access.clientId}`;
    limitKeys.set(access, key);
  }
  return key;
}

function refuseCaller(
  endpoint: Endpoint,
  limiter: RateLimiter,
  access: Access,
  request: FastifyRequest,
  reply: FastifyReply,
): ApiError | undefined {
  request.subject = access;
  const decision = limiter.take(limitKeyOf(access));
  reply.headers(limiter.headers(decision));
  if (!decision.isAllowed) {
    const retryAfter = String(decision.retryAfterSeconds);
    return new ApiError(429, 'rate_limited', { headers: { 'retry-after': retryAfter } });
  }
  request.access = access;
  return refuseAccess(endpoint, access) ?? undefined;
}
