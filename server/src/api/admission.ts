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
  const standingOf = standingsOf(endpoint);
  return (request, reply, done) => {
    const bearer = readBearer(request.headers.authorization);
    const refuseToken = (wasTokenSent: boolean): void => {
      reply.limitHeaders = limiter.fields(limiter.untouched());
      done(invalidToken(deps.metadataUrl, wasTokenSent));
    };
    const decide = (access: Access | undefined): void => {
      // Each token is for one resource, and this is not it (RFC 8707, specification 5.4).
      if (access === undefined || access.resource !== deps.baseUrl) refuseToken(true);
      else done(refuseCaller(limiter, access, standingOf(access), request, reply));
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

/** What is known of an access at one endpoint before a request comes: neither of both ever changes. */
interface Standing {
  /** One bucket for each connection, however many tokens it has. */
  readonly limitKey: string;
  /** Null: nothing but the request itself can still be refused. */
  readonly refusal: ApiError | null;
}

/** Looks once for an access. The cache keeps an access for many requests, and what is known of it goes with it. */
function standingsOf(endpoint: Endpoint): (access: Access) => Standing {
  const standings = new WeakMap<Access, Standing>();
  return (access) => {
    const known = standings.get(access);
    if (known !== undefined) return known;
    const limitKey = `${access.shopId} ${access.clientId}`;
    const standing = { limitKey, refusal: refuseAccess(endpoint, access) };
    standings.set(access, standing);
    return standing;
  };
}

function refuseCaller(
  limiter: RateLimiter,
  access: Access,
  { limitKey, refusal }: Standing,
  request: FastifyRequest,
  reply: FastifyReply,
): ApiError | undefined {
  request.subject = access;
  const decision = limiter.take(limitKey);
  reply.limitHeaders = limiter.fields(decision);
  if (!decision.isAllowed) {
    const retryAfter = String(decision.retryAfterSeconds);
    return new ApiError(429, 'rate_limited', { headers: { 'retry-after': retryAfter } });
  }
  request.access = access;
  return refusal ?? undefined;
}
