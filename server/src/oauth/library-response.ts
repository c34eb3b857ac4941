import type { EventEmitter } from 'node:events';
import type { default as Provider, KoaContextWithOIDC } from 'oidc-provider';
import type { HelpLinks } from '../http/help-link.ts';
import type { ClientFailureLimiter } from './client-failure-limiter.ts';
import { type Caller, LibraryRequest } from './library-request.ts';
import type { OnTokenError } from './token-errors.ts';
import {
  invalidClient,
  type OAuthRefusal,
  refusal,
  renderRefusal,
  toRefusal,
} from './error-body.ts';

export interface LibraryResponseOptions {
  readonly links: HelpLinks;
  readonly failureLimiter: ClientFailureLimiter;
  readonly onFault: (error: unknown, requestId: string) => void;
  readonly onTokenError: OnTokenError;
  /** Shows an error that cannot be sent to a client. */
  readonly renderError: (ctx: KoaContextWithOIDC, error: unknown) => Promise<void>;
}

/**
 * Adds middleware that corrects the library's responses: errors of the token and revocation
 * endpoints get the exact form of RFC 6749 §5.2, failed authentications are counted, and unused
 * cookies and CORS headers are removed.
 */
export function finishResponses(provider: Provider, options: LibraryResponseOptions): void {
  provider.on('server_error', (ctx, error) => {
    LibraryRequest.of(ctx).fault = error;
  });
  // Without a listener, Koa would print errors that the library does not handle.
  const emitter: EventEmitter = provider;
  emitter.on('error', (error: unknown) => options.onFault(error, '-'));
  provider.use(async (ctx: KoaContextWithOIDC, next) => {
    const request = LibraryRequest.of(ctx);
    const { caller } = request;
    try {
      await next();
    } catch (error) {
      request.fault = error;
      // The request failed, perhaps at the commit, so its redirect and cookies must not be sent.
      for (const name of ['location', 'set-cookie']) ctx.remove(name);
      if (isPageOf(ctx)) await options.renderError(ctx, error);
      else ctx.status = 500;
    }
    const refused = request.fault === null ? null : toRefusal(request.fault);
    if (refused?.status === 500) options.onFault(request.fault, caller.requestId);
    removeUnusedHeaders(ctx);
    if (!isPageOf(ctx) && ctx.status >= 400) {
      const final = await finalRefusal(
        ctx,
        provider.issuer,
        refused,
        caller,
        options.failureLimiter,
      );
      if (ctx.path === '/oauth2/token') options.onTokenError(grantTypeOf(ctx), final.error);
      ctx.set('link', options.links(final.error));
      send(ctx, final);
    } else if (refused !== null && ctx.status >= 500) {
      ctx.status = refused.status;
      ctx.set(refused.headers);
    }
  });
}

/** Null if the request was refused before its parameters were parsed. */
function grantTypeOf({ oidc }: Partial<KoaContextWithOIDC>): unknown {
  return oidc?.params?.['grant_type'] ?? null;
}

function isPageOf(ctx: KoaContextWithOIDC): boolean {
  return ctx.path.startsWith('/oauth2/authorize');
}

async function finalRefusal(
  ctx: KoaContextWithOIDC,
  issuer: string,
  fault: OAuthRefusal | null,
  { clientId, address }: Caller,
  failureLimiter: ClientFailureLimiter,
): Promise<OAuthRefusal> {
  if (fault !== null) return fault;
  const { body, status } = ctx;
  if (status === 401) {
    const waitSeconds =
      clientId === null ? 0 : await failureLimiter.recordFailure(clientId, address);
    return waitSeconds > 0 ? tooManyFailures(waitSeconds) : invalidClient(issuer);
  }
  const { error, description } = readErrorBody(body);
  const headers: Record<string, string> = status === 503 ? { 'retry-after': '2' } : {};
  return refusal(status, error, description, headers);
}

export function tooManyFailures(waitSeconds: number): OAuthRefusal {
  return refusal(429, 'rate_limited', 'too many failed authentications', {
    'retry-after': String(waitSeconds),
  });
}

function readErrorBody(body: unknown): { readonly error: string; readonly description: string } {
  const found = typeof body === 'object' && body !== null ? body : {};
  const error = 'error' in found && typeof found.error === 'string' ? found.error : 'server_error';
  const description =
    'error_description' in found && typeof found.error_description === 'string'
      ? found.error_description
      : error;
  return { error, description };
}

function send(ctx: KoaContextWithOIDC, refused: OAuthRefusal): void {
  ctx.status = refused.status;
  ctx.body = renderRefusal(refused);
  ctx.type = 'json';
  ctx.set(refused.headers);
}

function removeUnusedHeaders(ctx: KoaContextWithOIDC): void {
  for (const name of Object.keys(ctx.response.headers)) {
    if (name.startsWith('access-control-')) ctx.remove(name);
  }
  ctx.remove('vary');
  const cookies = ctx.response.headers['set-cookie'];
  if (cookies === undefined) return;
  // Before the sign-in, the library's interaction is not stored, so its cookies name nothing.
  const isStored = LibraryRequest.of(ctx).caller.signInFirst === null;
  const remaining = [cookies]
    .flat()
    .filter((each) => isStored && !each.includes('cardport_unused'));
  if (remaining.length === 0) ctx.remove('set-cookie');
  else ctx.set('set-cookie', remaining);
}
