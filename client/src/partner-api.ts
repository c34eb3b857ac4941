import { ConnectionRevokedError, InvalidTokenError } from './errors.ts';
import type { Signal } from './platform.ts';
import type { TokenSource } from './token-source.ts';
import type { Transport, TransportAnswer, TransportRequest } from './transport.ts';

/** What every call takes. */
export interface CallOptions {
  /** Ends the call, its retries and its waits; the call then throws the signal's reason. */
  readonly signal?: Signal | undefined;
}

/** A call of the Partner API. */
export interface ApiCall extends CallOptions {
  readonly method: TransportRequest['method'];
  /** Below `{base_url}`, its parts made by {@link pathPart}. */
  readonly path: string;
  /** Members that are undefined are left out. */
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly json?: unknown;
  /** Names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly alsoAccepts?: readonly number[];
}

/** The Partner API of one shop, as its tokens open it. */
export interface PartnerApi {
  send(call: ApiCall): Promise<TransportAnswer>;
}

/** What a {@link PartnerApi} is made of. */
export interface PartnerApiParts {
  /** `{base_url}` of the specification. */
  readonly baseUrl: string;
  readonly transport: Transport;
  readonly tokens: TokenSource;
}

/**
 * Sends calls with the shop's access token. A token that is refused (401) is replaced once in a call, whose every kind is
 * safe to repeat; so a token that ends in the middle of a sync does not end the sync. A connection that has ended is told to
 * whoever keeps the tokens, so that it is not asked for again.
 */
export function openPartnerApi({ baseUrl, transport, tokens }: PartnerApiParts): PartnerApi {
  const base = baseUrl.replace(/\/+$/u, '');

  async function sendWith(request: TransportRequest, token: string): Promise<TransportAnswer> {
    try {
      return await transport.send(withToken(request, token));
    } catch (error) {
      if (error instanceof ConnectionRevokedError) tokens.revoked(token, error);
      throw error;
    }
  }

  return {
    send: async (call) => {
      const request = requestOf(base, call);
      const token = await tokens.accessToken(call.signal);
      try {
        return await sendWith(request, token);
      } catch (error) {
        if (!(error instanceof InvalidTokenError)) throw error;
        return await sendWith(request, await tokens.refused(token, call.signal));
      }
    },
  };
}

function requestOf(base: string, call: ApiCall): TransportRequest {
  const { method, path, query = {}, json, headers = {}, alsoAccepts, signal } = call;
  const url = new URL(`${base}${path}`);
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) url.searchParams.set(name, String(value));
  }
  const hasBody = json !== undefined;
  return {
    method,
    url: url.href,
    headers: { ...headers, ...(hasBody ? { 'content-type': 'application/json' } : {}) },
    ...(hasBody ? { body: JSON.stringify(json) } : {}),
    ...(alsoAccepts === undefined ? {} : { alsoAccepts }),
    signal,
  };
}

function withToken(request: TransportRequest, token: string): TransportRequest {
  return { ...request, headers: { ...request.headers, authorization: `Bearer ${token}` } };
}

/** A value as a part of a path. Throws a `TypeError` for what a URL would take for a step in the tree. */
export function pathPart(name: string, value: string): string {
  if (typeof value !== 'string' || ['', '.', '..'].includes(value)) {
    throw new TypeError(`${name} must be an id, not ${JSON.stringify(value)}`);
  }
  return encodeURIComponent(value);
}

/** Where the codes of a service's errors are explained: `/docs/errors` of its public address. */
export function docsUrlOf(baseUrl: string): string {
  const publicUrl = baseUrl.replace(/\/+$/u, '').replace(/\/partner\/v1$/u, '');
  return `${publicUrl}/docs/errors`;
}
