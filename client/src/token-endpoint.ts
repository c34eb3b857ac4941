import type { ServerAddresses } from './discovery.ts';
import { MalformedAnswerError } from './local-errors.ts';
import type { Signal } from './platform.ts';
import { isToken } from './tokens.ts';
import type { Transport } from './transport.ts';
import { untilAborted } from './until-aborted.ts';

export interface TokenEndpoint {
  /**
   * Discovers the authorization server, as all other methods do first. Throws for a wrong
   * configuration or a network fault.
   */
  discover(): Promise<unknown>;
  /** Exchanges a code or a refresh token. If `isRetried` is false, the caller makes the retries. */
  request(
    parameters: Readonly<Record<string, string>>,
    options: {
      readonly idempotencyKey: string;
      readonly isRetried: boolean;
      readonly signal?: Signal | undefined;
      /** In milliseconds. No retry begins later than this after the first attempt. */
      readonly totalMsMax?: number;
    },
  ): Promise<TokenResponse>;
  /** Revokes the approval of a token (RFC 7009). An unknown token is not an error. */
  revoke(token: string, signal?: Signal): Promise<void>;
}

/** The response of the token endpoint (spec 5.3). */
export interface TokenResponse {
  readonly accessToken: string;
  readonly refreshToken: string | null;
  readonly expiresInSeconds: number;
  /** If null, the granted scope is the requested scope (RFC 6749 §5.1). */
  readonly scope: string | null;
}

export interface TokenEndpointOptions {
  readonly transport: Transport;
  readonly addresses: () => Promise<ServerAddresses>;
  readonly clientId: string;
  readonly clientSecret: string;
  /** `{base_url}`, which every token request contains as `resource`. */
  readonly resource: string;
}

/** Real token responses have at most about 2 kB. */
const RESPONSE_BYTES_MAX = 65_536;
/** Ten years in seconds. Much longer lifetimes would exceed the range of `Date`. */
const EXPIRES_IN_MAX = 315_360_000;

/** Opens the token and revocation endpoints with Basic authentication (spec 5.3). */
export function openTokenEndpoint(options: TokenEndpointOptions): TokenEndpoint {
  const { transport, addresses, clientId, clientSecret, resource } = options;
  const authorization = `Basic ${btoa(`${formEncoded(clientId)}:${formEncoded(clientSecret)}`)}`;
  const headers = { authorization, 'content-type': 'application/x-www-form-urlencoded' };
  return {
    discover: addresses,
    request: async (parameters, { idempotencyKey, isRetried, signal, totalMsMax }) => {
      const { tokenEndpoint } = await untilAborted(addresses(), signal);
      const response = await transport.send({
        method: 'POST',
        url: tokenEndpoint,
        headers: { ...headers, 'idempotency-key': idempotencyKey },
        body: new URLSearchParams({ ...parameters, resource }).toString(),
        responseBytesMax: RESPONSE_BYTES_MAX,
        isRetried,
        signal,
        totalMsMax,
      });
      return parseTokenResponse(response.json(), response.status);
    },
    revoke: async (token, signal) => {
      const { revocationEndpoint } = await untilAborted(addresses(), signal);
      const body = new URLSearchParams({ token }).toString();
      await transport.send({ method: 'POST', url: revocationEndpoint, headers, body, signal });
    },
  };
}

/** RFC 6749 §2.3.1: id and secret are form-encoded before Basic encoding. */
function formEncoded(text: string): string {
  return new URLSearchParams({ _: text }).toString().slice('_='.length);
}

function parseTokenResponse(value: unknown, status: number): TokenResponse {
  const response = typeof value === 'object' && value !== null ? value : {};
  const accessToken: unknown = Reflect.get(response, 'access_token');
  const refreshToken: unknown = Reflect.get(response, 'refresh_token') ?? null;
  const tokenType: unknown = Reflect.get(response, 'token_type');
  const expiresInSeconds: unknown = Reflect.get(response, 'expires_in');
  const scope: unknown = Reflect.get(response, 'scope') ?? null;
  if (
    !isToken(accessToken) ||
    (refreshToken !== null && !isToken(refreshToken)) ||
    typeof tokenType !== 'string' ||
    tokenType.toLowerCase() !== 'bearer' ||
    typeof expiresInSeconds !== 'number' ||
    !(expiresInSeconds > 0) ||
    (scope !== null && typeof scope !== 'string')
  ) {
    // The message must not contain the value, which may be a token.
    throw new MalformedAnswerError({
      message: 'the token response is missing a field, or a field is invalid',
      status,
    });
  }
  return {
    accessToken,
    refreshToken,
    expiresInSeconds: Math.min(expiresInSeconds, EXPIRES_IN_MAX),
    scope,
  };
}
