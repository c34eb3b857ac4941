import type { EventEmitter } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { default as Provider, KoaContextWithOIDC } from 'oidc-provider';
import type { HelpLinks } from '../http/help-link.ts';
import type { ClientAttempts } from './attempts.ts';
import type { OnTokenError } from './token-errors.ts';
import {
  invalidClient,
  type OAuthRefusal,
  refusal,
  renderRefusal,
  toRefusal,
} from './error-body.ts';

/** What the mount knows of a request that the library answers. */
export interface Caller {
  readonly requestId: string;
  readonly address: string;
  /** The client id of its credentials, or null at the authorization endpoint. */
  readonly clientId: string | null;
  readonly acceptLanguage: string | undefined;
}

export interface LibraryAnswerOptions {
  readonly links: HelpLinks;
  readonly callers: WeakMap<IncomingMessage, Caller>;
  readonly attempts: ClientAttempts;
  readonly onFault: (error: unknown, requestId: string) => void;
  readonly onTokenError: OnTokenError;
  /** Renders a refusal that no client can be told of. */
  readonly renderError: (ctx: KoaContextWithOIDC, error: unknown) => Promise<void>;
}

/**
 * The last hand on everything that the library answers: refusals of the token and revocation endpoints in the exact
 * form of RFC 6749 §5.2, failed authentications counted, no cookie and no cross-origin header that means nothing here.
 */
export function finishAnswers(provider: Provider, options: LibraryAnswerOptions): void {
  const faults = new WeakMap<object, unknown>();
  provider.on('server_error', (ctx, error) => void faults.set(ctx, error));
  // What escapes the library's own handlers; without a listener it would be printed.
  const emitter: EventEmitter = provider;
  emitter.on('error', (error: unknown) => options.onFault(error, '-'));
  provider.use(async (ctx: KoaContextWithOIDC, next) => {
    const caller = options.callers.get(ctx.req);
    try {
      await next();
    } catch (error) {
      faults.set(ctx, error);
      // What was answered before did not come to be.
      for (const name of ['location', 'set-cookie']) ctx.remove(name);
      if (isPageOf(ctx)) await options.renderError(ctx, error);
      else ctx.status = 500;
    }
    const fault = faults.get(ctx);
    const refused = fault === undefined ? undefined : toRefusal(fault);
    if (fault !== undefined && refused?.status === 500) {
      options.onFault(fault, caller?.requestId ?? '-');
    }
    removeNoise(ctx);
    if (!isPageOf(ctx) && ctx.status >= 400) {
      const final = await finalRefusal(ctx, provider.issuer, refused, caller, options.attempts);
      if (ctx.path === '/oauth2/token') options.onTokenError(grantTypeOf(ctx), final.error);
      ctx.set('link', options.links(final.error));
      send(ctx, final);
    } else if (refused !== undefined && ctx.status >= 500) {
      ctx.status = refused.status;
      ctx.set(refused.headers);
    }
  });
}

/** What the request named; null where it was refused before its parameters were read. */
function grantTypeOf({ oidc }: Partial<KoaContextWithOIDC>): unknown {
  return oidc?.params?.['grant_type'] ?? null;
}

/** True at the addresses that a browser visits. */
function isPageOf(ctx: KoaContextWithOIDC): boolean {
  return ctx.path.startsWith('/oauth2/authorize');
}

async function finalRefusal(
  ctx: KoaContextWithOIDC,
  issuer: string,
  fault: OAuthRefusal | undefined,
  caller: Caller | undefined,
  attempts: ClientAttempts,
): Promise<OAuthRefusal> {
  if (fault !== undefined) return fault;
  const { body, status } = ctx;
  if (status === 401) {
    const waitSeconds =
      caller?.clientId === null || caller === undefined
        ? 0
        : await attempts.fail(caller.clientId, caller.address);
    return waitSeconds > 0 ? tooManyFailures(waitSeconds) : invalidClient(issuer);
  }
  const { error, description } = read(body);
  const headers: Record<string, string> = status === 503 ? { 'retry-after': '2' } : {};
  return refusal(status, error, description, headers);
}

/** One failure too many from this client and address (decision 0008). */
export function tooManyFailures(waitSeconds: number): OAuthRefusal {
  return refusal(429, 'rate_limited', 'too many failed authentications', {
    'retry-after': String(waitSeconds),
  });
}

function read(body: unknown): { readonly error: string; readonly description: string } {
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

function removeNoise(ctx: KoaContextWithOIDC): void {
  for (const name of Object.keys(ctx.response.headers)) {
    if (name.startsWith('access-control-')) ctx.remove(name);
  }
  ctx.remove('vary');
  const cookies = ctx.response.headers['set-cookie'];
  if (cookies === undefined) return;
  const kept = [cookies].flat().filter((cookie) => !cookie.includes('cardport_unused'));
  if (kept.length === 0) ctx.remove('set-cookie');
  else ctx.set('set-cookie', kept);
}
