import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Access } from '../approvals/access.ts';
import type { AccessCache } from '../approvals/access-cache.ts';
import { ApiError } from '../http/errors.ts';
import type { RateLimiter } from '../http/rate-limit.ts';
import type { Endpoint } from './endpoint.ts';
import { checkAccess } from './request-checks.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Null until the checks that precede the body have passed. */
    access: Access | null;
  }
}

export interface AuthorizationDeps {
  readonly accesses: AccessCache;
  readonly limiters: Readonly<Record<Endpoint['bucket'], RateLimiter>>;
  readonly baseUrl: string;
  readonly metadataUrl: string;
}

type Hook = (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void) => void;

/**
 * Creates the hook that checks a request before its body is read, in the order of decision 0003:
 * token (401), rate limit (429), then the 403s of `CHECKS`. Fastify has already checked route and
 * method; body, parameters and object are checked later.
 */
export function createAuthorizationHook(endpoint: Endpoint, deps: AuthorizationDeps): Hook {
  const limiter = deps.limiters[endpoint.bucket];
  const checkOnce = cacheChecks(endpoint);
  const refuseToken = (reply: FastifyReply, wasTokenSent: boolean): ApiError => {
    reply.limitHeaders = limiter.rawHeaders(limiter.fullBucket());
    return invalidToken(deps.metadataUrl, wasTokenSent);
  };
  const check = (access: Access | undefined, reply: FastifyReply): ApiError | undefined => {
    // The token is unknown, or was issued for another resource (RFC 8707, spec 5.4).
    if (access === undefined || access.resource !== deps.baseUrl) return refuseToken(reply, true);
    return checkCaller(limiter, access, checkOnce(access), reply);
  };
  return (request, reply, done) => {
    const bearer = readBearer(request.headers.authorization);
    if (bearer.kind !== 'token') {
      done(refuseToken(reply, bearer.kind === 'malformed'));
      return;
    }
    const found = deps.accesses.find(bearer.token);
    if (found instanceof Promise) checkLater(found, check, reply, done);
    else done(check(found, reply));
  };
}

/** A separate function, so that only requests that wait allocate a closure. */
function checkLater(
  found: Promise<Access | undefined>,
  check: (access: Access | undefined, reply: FastifyReply) => ApiError | undefined,
  reply: FastifyReply,
  done: (error?: Error) => void,
): void {
  const decide = (access: Access | undefined): void => done(check(access, reply));
  found.then(decide, done);
}

/** Depends only on the access and the endpoint, so it can be cached. */
interface AccessCheckResult {
  /** All tokens of a connection share one bucket. */
  readonly limitKey: string;
  /** Null means that access is allowed, although the request itself may still be refused. */
  readonly refusal: ApiError | null;
}

/**
 * Caches the result for each access, which many requests share. When the access is
 * garbage-collected, its result is too.
 */
function cacheChecks(endpoint: Endpoint): (access: Access) => AccessCheckResult {
  const results = new WeakMap<Access, AccessCheckResult>();
  return (access) => {
    const known = results.get(access);
    if (known !== undefined) return known;
    const limitKey = `${access.shopId} ${access.clientId}`;
    const result = { limitKey, refusal: checkAccess(endpoint, access) };
    results.set(access, result);
    return result;
  };
}

function checkCaller(
  limiter: RateLimiter,
  access: Access,
  { limitKey, refusal }: AccessCheckResult,
  reply: FastifyReply,
): ApiError | undefined {
  const { request } = reply;
  request.subject = access;
  const decision = limiter.take(limitKey);
  reply.limitHeaders = limiter.rawHeaders(decision);
  if (!decision.isAllowed) {
    const retryAfter = String(decision.retryAfterSeconds);
    return new ApiError(429, 'rate_limited', { headers: { 'retry-after': retryAfter } });
  }
  request.access = access;
  return refusal ?? undefined;
}

type Bearer =
  | { readonly kind: 'token'; readonly token: string }
  /** There is no `Authorization` header, or it has another scheme. */
  | { readonly kind: 'none' }
  /** The scheme is Bearer, but the value does not have the form of a token. */
  | { readonly kind: 'malformed' };

/** Our tokens have 69 characters; much longer ones are not looked up. */
const TOKEN_CHARACTERS_MAX = 200;
/** RFC 6750 §2.1: the scheme (in any case), spaces, and a b64token, which has no spaces. */
const CREDENTIALS = /^bearer +[A-Za-z0-9\-._~+/]+=*$/i;

/** Reads the token in the Authorization header. Tokens elsewhere are ignored (RFC 9700 §2.6). */
function readBearer(authorization: string | undefined): Bearer {
  if (authorization === undefined) return { kind: 'none' };
  if (CREDENTIALS.test(authorization)) {
    const token = authorization.slice(authorization.lastIndexOf(' ') + 1);
    if (token.length <= TOKEN_CHARACTERS_MAX) return { kind: 'token', token };
  }
  return { kind: /^bearer +\S/i.test(authorization) ? 'malformed' : 'none' };
}

/** Names the metadata (RFC 9728 §5.1), and the error only if a token was sent (RFC 6750 §3.1). */
function invalidToken(metadataUrl: string, wasTokenSent: boolean): ApiError {
  const challenge = `Bearer resource_metadata="${metadataUrl}"`;
  const header = wasTokenSent ? `${challenge}, error="invalid_token"` : challenge;
  return new ApiError(401, 'invalid_token', { headers: { 'www-authenticate': header } });
}
