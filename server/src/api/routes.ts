import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Clock } from '../base/clock.ts';
import { FairLimiter, type LimiterOptions } from '../base/fair-limiter.ts';
import type { RateLimits } from '../base/rate-limits.ts';
import type { AccessCache } from '../approvals/access-cache.ts';
import { JSON_TYPE } from '../http/raw-response.ts';
import { RateLimiter } from '../http/rate-limit.ts';
import { withBodyTimeout } from '../http/body-timeout.ts';
import { createAuthorizationHook, type AuthorizationDeps } from './authorization.ts';
import type { EndpointResponse, Endpoint, PartnerDeps } from './endpoint.ts';
import { ENDPOINTS } from './endpoints.ts';
import { requireEncodedQuery } from './parameters.ts';
import { hideContentType, readBodiesAsBytes } from './request-body.ts';

/** decision 0001 */
export const PARTNER_PATH = '/partner/v1';
/** RFC 9728 §3.1; the oauth module serves the document. */
export const METADATA_PATH = `/.well-known/oauth-protected-resource${PARTNER_PATH}`;

/** Changes of one app in a shop run one at a time, because they lock the same row. */
const CONNECTION_BOUNDS: LimiterOptions = {
  bounds: [
    { running: 4, waiting: 2_000 },
    { running: 2, waiting: 500 },
    { running: 1, waiting: 100 },
  ],
  waitMsMax: 30_000,
};

/**
 * For reads from the database: feed pages, sites, single cards. All together use half of the
 * connection pool. Each page occupies a core of the database, so a shop reads one at a time. An app
 * has a place for every request of a burst that the rate limit allows: 400 pages of 1,000 units take
 * a few seconds (decision 0122).
 */
const READ_BOUNDS: LimiterOptions = {
  bounds: [
    { running: 4, waiting: 5_000 },
    { running: 1, waiting: 2_000 },
    { running: 1, waiting: 1_000 },
  ],
  waitMsMax: 30_000,
};

export interface PartnerApiOptions extends Omit<
  PartnerDeps,
  'baseUrl' | 'connectionLimiter' | 'readLimiter'
> {
  readonly accesses: AccessCache;
  /** The public address, without a trailing slash. */
  readonly publicUrl: string;
  /** Null switches the limits off. */
  readonly rateLimits: RateLimits | null;
}

export async function registerPartnerApi(
  app: FastifyInstance,
  options: PartnerApiOptions,
): Promise<void> {
  const { accesses, publicUrl, rateLimits, ...rest } = options;
  const baseUrl = `${publicUrl}${PARTNER_PATH}`;
  const connectionLimiter = new FairLimiter(CONNECTION_BOUNDS);
  const readLimiter = new FairLimiter(READ_BOUNDS);
  const deps: PartnerDeps = { ...rest, baseUrl, connectionLimiter, readLimiter };
  const authorization: AuthorizationDeps = {
    accesses,
    baseUrl,
    metadataUrl: `${publicUrl}${METADATA_PATH}`,
    limiters: makeLimiters(rateLimits, rest.clock),
  };
  await app.register(
    async (scope) => {
      scope.decorateRequest('access', null);
      readBodiesAsBytes(scope);
      for (const endpoint of ENDPOINTS) addRoute(scope, endpoint, deps, authorization);
    },
    { prefix: PARTNER_PATH },
  );
}

function makeLimiters(limits: RateLimits | null, clock: Clock): AuthorizationDeps['limiters'] {
  return {
    api: new RateLimiter('api', limits?.api ?? null, clock),
    search: new RateLimiter('search', limits?.search ?? null, clock),
    photos: new RateLimiter('photos', limits?.photos ?? null, clock),
  };
}

function addRoute(
  scope: FastifyInstance,
  endpoint: Endpoint,
  deps: PartnerDeps,
  authorization: AuthorizationDeps,
): void {
  // Fastify's own HEAD route would read the whole image to count its bytes.
  const isPicture = Object.values(endpoint.docs.responses).some(
    ({ contentTypes }) => contentTypes !== undefined,
  );
  scope.route({
    method: isPicture ? [endpoint.method, 'HEAD'] : endpoint.method,
    exposeHeadRoute: !isPicture,
    url: endpoint.path,
    onRequest: createAuthorizationHook(endpoint, authorization),
    // Fastify reads no body of GET and HEAD requests.
    ...(endpoint.method === 'GET' ? {} : { preParsing: hideContentType }),
    handler: (request, reply) => {
      const { access } = request;
      if (access === null) throw new Error('a request without access passed the checks');
      requireEncodedQuery(request.originalUrl);
      const response = endpoint.handler(deps, { access, request });
      if (response instanceof Promise) sendWhenReady(reply, response);
      else sendResponse(reply, response);
    },
  });
}

/** Returning the promise to Fastify would cost two more promises per request. */
function sendWhenReady(reply: FastifyReply, response: Promise<EndpointResponse>): void {
  const refuse = (error: unknown): void => void reply.send(error);
  const send = (made: EndpointResponse): void => {
    try {
      sendResponse(reply, made);
    } catch (error) {
      refuse(error);
    }
  };
  response.then(send, refuse);
}

function sendResponse(reply: FastifyReply, response: EndpointResponse): void {
  const { status, headers, body } = response;
  if (body instanceof Readable) {
    if (headers !== undefined) reply.headers(headers);
    reply.code(status).send(withBodyTimeout(body));
    return;
  }
  const readyBody = body === null ? null : { type: JSON_TYPE, bytes: body };
  reply.sendPrepared({ status, headers, body: readyBody });
}
