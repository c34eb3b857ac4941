import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { default as Provider, KoaContextWithOIDC } from 'oidc-provider';
import { findApp } from '../apps/app.ts';
import type { Clock } from '../base/clock.ts';
import { networkOf } from '../base/network.ts';
import type { RateLimits } from '../base/rate-limits.ts';
import type { Database } from '../database/database.ts';
import { ApiError } from '../http/errors.ts';
import type { HelpLinks } from '../http/help-link.ts';
import { RateLimiter } from '../http/rate-limit.ts';
import { isFormType, parseForm } from '../html/form.ts';
import { chooseLanguage } from '../html/language.ts';
import { languageOf, sendPage } from '../sign-in/browser.ts';
import { mountSignIn } from '../sign-in/mount.ts';
import type { SignInServices } from '../sign-in/services.ts';
import { type Addresses, addressesOf } from './addresses.ts';
import { ClientFailureLimiter } from './client-failure-limiter.ts';
import { prepareAuthorizationQuery, queryOf } from './authorization-query.ts';
import { readCredentials } from './client-authentication.ts';
import { isClientId } from './client-metadata.ts';
import {
  invalidClient,
  type OAuthRefusal,
  refusal,
  renderRefusal,
  toRefusal,
} from './error-body.ts';
import { renderErrorPage } from './error-page.ts';
import type { RefreshTokens } from '../approvals/refresh-token.ts';
import { GrantStore, type LossCheck } from './grant-store.ts';
import { disabledAppRefusal, mountInteraction } from './interaction.ts';
import { finishResponses } from './library-response.ts';
import { passToLibrary, LibraryRequest, type LibraryRequestOptions } from './library-request.ts';
import { authorizationServerMetadata, protectedResourceMetadata } from './metadata.ts';
import { createProvider } from './provider.ts';
import { findSignedIn, mountSignInFirst, signInUrl } from './sign-in-first.ts';
import { listPublicKeys, loadSigningKey } from './signing-key.ts';
import { serializeResumes } from './resume.ts';
import type { OnTokenError } from './token-errors.ts';
import type { RefreshReplay } from './token-request.ts';

export interface AuthorizationServerOptions {
  readonly db: Database;
  readonly clock: Clock;
  /** Without a trailing slash. All URLs get host and protocol from here, never from a request. */
  readonly publicUrl: string;
  readonly secretKey: string;
  /** `SECRET_KEY_PREVIOUS` */
  readonly previousKey: string | null;
  readonly refreshTokens: RefreshTokens;
  readonly restoredTokenDays: number;
  readonly isLossUndecided: LossCheck;
  readonly signIn: SignInServices;
  /** Decides which clients get the identical response to a repeated refresh. */
  readonly refreshReplay: RefreshReplay;
  /** Null turns all limits off. */
  readonly rateLimits: Pick<RateLimits, 'token' | 'authorize' | 'failures'> | null;
  /** The error contains no token, secret, code, cookie, password or full email address. */
  readonly onFault: (error: unknown, requestId: string) => void;
  readonly onTokenError: OnTokenError;
}

/** The maximum size of the body of every request (decision 0009). */
const BODY_BYTES_MAX = 16_384;
const JSON_TYPE = 'application/json; charset=utf-8';
const FORM_REQUIRED = 'the body must be application/x-www-form-urlencoded';

/** Spec 5.1: sign-in, consent, the OAuth endpoints under `/auth` and both metadata documents. */
export async function mountAuthorizationServer(
  app: FastifyInstance,
  options: AuthorizationServerOptions,
): Promise<void> {
  const { db, clock, publicUrl, secretKey, rateLimits } = options;
  const addresses = addressesOf(publicUrl);
  const store = new GrantStore(options);
  const limiter = new RateLimiter('token', rateLimits?.token ?? null, clock);
  const failuresPerMinute = rateLimits?.failures.perMinute ?? null;
  const failureLimiter = new ClientFailureLimiter(db, clock, failuresPerMinute);
  const signingKey = await loadSigningKey(db, secretKey, clock.now());
  const renderError = async (ctx: KoaContextWithOIDC, error: unknown): Promise<void> => {
    const { acceptLanguage, requestId } = LibraryRequest.of(ctx).caller;
    const page = await renderErrorPage(chooseLanguage(acceptLanguage), toRefusal(error), requestId);
    ctx.status = page.status;
    ctx.set(page.headers);
    ctx.body = page.body;
  };
  const provider = createProvider({
    store,
    addresses,
    secretKey,
    previousKey: options.previousKey,
    signingKey,
    replay: options.refreshReplay,
    countRequest: (clientId) => {
      const decision = limiter.take(clientId);
      return { waitSeconds: decision.retryAfterSeconds, headers: limiter.headers(decision) };
    },
    renderError,
  });
  const { onFault, onTokenError } = options;
  const links = app.helpLinks;
  finishResponses(provider, { links, failureLimiter, onFault, onTokenError, renderError });
  serializeResumes(provider, store);
  const { signIn: services } = options;
  const library: Library = {
    provider,
    callback: provider.callback(),
    addresses,
  };
  await app.register(async (scope) => {
    readBodiesAsBytes(scope);
    useErrorPages(scope, options.onFault);
    mountSignIn(scope, services);
    mountSignInFirst(scope, services);
    mountInteraction(scope, { provider, store, addresses, services });
    const authorizations = new RateLimiter('authorize', rateLimits?.authorize ?? null, clock);
    mountAuthorization(scope, library, services, authorizations);
  });
  for (const path of ['/auth/oauth2/token', '/auth/oauth2/revoke']) {
    await app.register(
      async (scope) => {
        readBodiesAsBytes(scope);
        const onRefused = path.endsWith('/token') ? onTokenError : ignoreRefusal;
        useErrorBodies(scope, options.onFault, onRefused);
        mountTokenEndpoint(scope, library, path, onRefused);
      },
      { prefix: path },
    );
  }
  mountMetadata(app, addresses);
  // Query the keys each time, because another node may have published the key of a new SECRET_KEY.
  app.get('/auth/oauth2/jwks', async (_request, reply) => {
    reply.type(JSON_TYPE);
    return JSON.stringify({ keys: await listPublicKeys(db, signingKey) });
  });
}

interface Library {
  readonly provider: Provider;
  readonly callback: (request: IncomingMessage, response: ServerResponse) => Promise<void>;
  readonly addresses: Addresses;
}

function ignoreRefusal(): void {
  // Only refusals of the token endpoint are counted.
}

function readBodiesAsBytes(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser(
    '*',
    { parseAs: 'buffer', bodyLimit: BODY_BYTES_MAX },
    (_request, body, done) => done(null, body),
  );
}

/** HEAD would create or consume an authorization request without showing a page. */
const GET_ONLY = { exposeHeadRoute: false };

function mountAuthorization(
  scope: FastifyInstance,
  library: Library,
  services: SignInServices,
  limiter: RateLimiter,
): void {
  scope.get('/auth/oauth2/authorize', GET_ONLY, async (request, reply) => {
    const refused = findExcess(limiter, networkOf(request.ip));
    if (refused !== null) return await sendRefusalPage(request, reply, refused);
    const prepared = prepareAuthorizationQuery(request.raw.url ?? '');
    if (prepared.kind === 'refused') return await sendRefusalPage(request, reply, prepared.refusal);
    const { clientId, target } = prepared;
    // Check the app first, because a disabled app gets a page, not a redirect (decision 0007).
    const found =
      clientId !== null && isClientId(clientId) ? await findApp(services.db, clientId) : null;
    if (found?.removedAt === null && !found.isEnabled) {
      return await sendRefusalPage(request, reply, disabledAppRefusal());
    }
    // Only the requests of accounts are stored, so no stranger can use up what others need.
    const account = (await findSignedIn(services, request))?.account;
    const tooMany = account === undefined ? null : findExcess(limiter, account.id);
    if (tooMany !== null) return await sendRefusalPage(request, reply, tooMany);
    const signInFirst = account === undefined ? signInUrl(queryOf(request.raw.url)) : null;
    return await forwardToLibrary(library, request, reply, { target, signInFirst });
  });

  scope.get<{ Params: { uid: string } }>(
    '/auth/oauth2/authorize/:uid',
    GET_ONLY,
    async (request, reply) => {
      // The original request target may be in absolute form, or encode the path differently.
      const target = `/auth/oauth2/authorize/${encodeURIComponent(request.params.uid)}`;
      return await forwardToLibrary(library, request, reply, { target });
    },
  );
}

/** A network and an account have the same limit. IPv6 addresses are counted by their /64. */
function findExcess(limiter: RateLimiter, key: string): OAuthRefusal | null {
  const { isAllowed, retryAfterSeconds } = limiter.take(key);
  if (isAllowed) return null;
  const headers = { 'retry-after': String(retryAfterSeconds) };
  return refusal(429, 'rate_limited', 'too many requests from this address or account', headers);
}

/** Mounts the token or revocation endpoint on `scope`, whose prefix is the endpoint's path. */
function mountTokenEndpoint(
  scope: FastifyInstance,
  library: Library,
  path: string,
  onRefused: OnTokenError,
): void {
  const { addresses } = library;
  scope.post('', async (request, reply) => {
    const credentials = readCredentials(request.headers.authorization);
    if (credentials.kind === 'none') {
      onRefused(null, 'invalid_client');
      return sendRefusal(reply, scope.helpLinks, invalidClient(addresses.issuer));
    }
    const { clientId } = credentials;
    // The access log shows `subject`. A text that cannot be a client id could be a secret.
    if (isClientId(clientId)) request.subject = { shopId: null, clientId };
    const form = readForm(request);
    if ('error' in form) {
      onRefused(null, form.error);
      return sendRefusal(reply, scope.helpLinks, form);
    }
    return await forwardToLibrary(library, request, reply, { target: path, clientId, body: form });
  });
}

/** Checks the content type and the form of a body (RFC 6749 §3.2). */
function readForm(request: FastifyRequest): Buffer | OAuthRefusal {
  const { body } = request;
  if (!isFormType(request.headers['content-type']) || !(body instanceof Buffer)) {
    return refusal(400, 'invalid_request', FORM_REQUIRED);
  }
  const form = parseForm(body);
  if (form.kind === 'invalid') return refusal(400, 'invalid_request', form.reason);
  if (form.fields.has('client_secret')) {
    return refusal(
      400,
      'invalid_request',
      'send the client secret in the Authorization header, not in the form',
    );
  }
  return body;
}

interface ForwardedRequest extends Pick<LibraryRequestOptions, 'target'> {
  /** Missing for requests to the authorization endpoint. */
  readonly clientId?: string | null;
  readonly body?: Buffer | null;
  readonly signInFirst?: string | null;
}

async function forwardToLibrary(
  { callback, addresses }: Library,
  request: FastifyRequest,
  reply: FastifyReply,
  { target, clientId = null, body = null, signInFirst = null }: ForwardedRequest,
): Promise<FastifyReply> {
  const { publicUrl } = addresses;
  const caller = {
    requestId: request.id,
    address: request.ip,
    clientId,
    acceptLanguage: request.headers['accept-language'],
    signInFirst,
  };
  const libraryRequest = new LibraryRequest(request.raw, { publicUrl, target, body, caller });
  await passToLibrary(reply, callback, libraryRequest);
  return reply;
}

function mountMetadata(app: FastifyInstance, addresses: Addresses): void {
  const server = JSON.stringify(authorizationServerMetadata(addresses));
  const resource = JSON.stringify(protectedResourceMetadata(addresses));
  const documents: Readonly<Record<string, string>> = {
    '/auth/.well-known/oauth-authorization-server': server,
    // RFC 8414 §3.1 puts the well-known part between host and path.
    '/.well-known/oauth-authorization-server/auth': server,
    [new URL(addresses.resourceMetadata).pathname]: resource,
  };
  for (const [path, document] of Object.entries(documents)) {
    app.get(path, (_request, reply) => {
      reply.type(JSON_TYPE).send(document);
    });
  }
}

function useErrorPages(
  scope: FastifyInstance,
  onFault: AuthorizationServerOptions['onFault'],
): void {
  scope.setErrorHandler(async (error, request, reply) => {
    const refused = refusalOf(error);
    if (refused.status === 500) onFault(error, request.id);
    return await sendRefusalPage(request, reply, refused);
  });
}

function useErrorBodies(
  scope: FastifyInstance,
  onFault: AuthorizationServerOptions['onFault'],
  onRefused: OnTokenError,
): void {
  scope.setErrorHandler((error, request, reply) => {
    const refused = refusalOf(error);
    onRefused(null, refused.error);
    if (refused.status === 500) onFault(error, request.id);
    return sendRefusal(reply, scope.helpLinks, refused);
  });
  // This handler never runs, because a hook of the server refuses unknown paths first. Without it,
  // other methods and subpaths of the prefix would not get this scope's error body.
  scope.setNotFoundHandler((_request, _reply): void => {
    throw new ApiError(404, 'not_found');
  });
}

function refusalOf(error: unknown): OAuthRefusal {
  if (error instanceof ApiError && error.statusCode < 500) {
    const described = error.detail ?? DESCRIPTIONS[error.statusCode] ?? error.code;
    return refusal(error.statusCode, error.code, described, error.headers);
  }
  const isClientFault =
    error instanceof Error &&
    'statusCode' in error &&
    typeof error.statusCode === 'number' &&
    error.statusCode >= 400 &&
    error.statusCode < 500 &&
    !('error' in error);
  if (isClientFault && typeof error.statusCode === 'number') {
    const described = DESCRIPTIONS[error.statusCode] ?? 'the body is not valid';
    return refusal(error.statusCode, 'invalid_request', described);
  }
  return toRefusal(error);
}

/** Error descriptions by HTTP status, for the app's developer. */
const DESCRIPTIONS: Readonly<Record<number, string>> = {
  404: 'there is no endpoint at this URL',
  405: 'this URL does not support the method; see the Allow header',
  413: 'the body is too large',
  415: FORM_REQUIRED,
};

async function sendRefusalPage(
  request: FastifyRequest,
  reply: FastifyReply,
  refused: OAuthRefusal,
): Promise<FastifyReply> {
  return sendPage(reply, await renderErrorPage(languageOf(request), refused, request.id));
}

function sendRefusal(reply: FastifyReply, links: HelpLinks, refused: OAuthRefusal): FastifyReply {
  return reply
    .code(refused.status)
    .header('link', links(refused.error))
    .headers(refused.headers)
    .type(JSON_TYPE)
    .send(renderRefusal(refused));
}
