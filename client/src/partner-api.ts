import { ConnectionRevokedError, InvalidTokenError } from './errors.ts';
import type { Signal } from './platform.ts';
import type { TokenSource } from './token-source.ts';
import type { Transport, TransportResponse, TransportRequest } from './transport.ts';

/** Options of every call. */
export interface CallOptions {
  /** Cancels the call, its retries and its delays. The call then throws the signal's reason. */
  readonly signal?: Signal | undefined;
}

export interface ApiCall extends CallOptions {
  readonly method: TransportRequest['method'];
  /** The path below `{base_url}`, with parameters encoded by {@link encodePathSegment}. */
  readonly path: string;
  /** Query parameters. An undefined value omits the parameter. */
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly json?: unknown;
  /** Header names are in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly alsoAccepts?: readonly number[];
}

/** The Partner API, called with the tokens of one shop. */
export interface PartnerApi {
  send(call: ApiCall): Promise<TransportResponse>;
}

export interface PartnerApiDependencies {
  /** The `{base_url}` of the specification. */
  readonly baseUrl: string;
  readonly transport: Transport;
  readonly tokens: TokenSource;
}

/**
 * After a 401, a call is sent once more with a new token, so a sync survives an expired token.
 * After a 403 `connection_revoked`, the token source stops returning the token.
 */
export function openPartnerApi({ baseUrl, transport, tokens }: PartnerApiDependencies): PartnerApi {
  const base = baseUrl.replace(/\/+$/u, '');

  async function sendWith(request: TransportRequest, token: string): Promise<TransportResponse> {
    try {
      return await transport.send(withToken(request, token));
    } catch (error) {
      if (error instanceof ConnectionRevokedError) tokens.markRevoked(token, error);
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
        return await sendWith(request, await tokens.replaceRefused(token, call.signal));
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

/** Throws a `TypeError` for `.`, `..` and an empty value, which would change the path. */
export function encodePathSegment(name: string, value: string): string {
  if (typeof value !== 'string' || ['', '.', '..'].includes(value)) {
    throw new TypeError(`${name} must be an id, not ${JSON.stringify(value)}`);
  }
  return encodeURIComponent(value);
}

/** Returns the URL of the page that explains error codes: `/docs/errors` of the public address. */
export function docsUrlOf(baseUrl: string): string {
  const publicUrl = baseUrl.replace(/\/+$/u, '').replace(/\/partner\/v1$/u, '');
  return `${publicUrl}/docs/errors`;
}
