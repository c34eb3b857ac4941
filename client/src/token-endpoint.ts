import type { ServerAddresses } from './discovery.ts';
import { MalformedAnswerError } from './local-errors.ts';
import type { Signal } from './platform.ts';
import { isToken } from './tokens.ts';
import type { Transport } from './transport.ts';
import { untilAborted } from './until-aborted.ts';

/** How an app speaks with the authorization server's back door. */
export interface TokenEndpoint {
  /** Finds where the endpoint is; every other member does it too. Its faults are those of a configuration or a network. */
  find(): Promise<unknown>;
  /** The tokens for a code or a refresh token. `isRetried` false: tried once, and the caller repeats by itself. */
  request(
    parameters: Readonly<Record<string, string>>,
    options: {
      readonly idempotencyKey: string;
      readonly isRetried: boolean;
      readonly signal?: Signal | undefined;
      /** No repetition begins later than this after the first try began. */
      readonly totalMsMax?: number;
    },
  ): Promise<TokenAnswer>;
  /** Ends the approval of a token (RFC 7009); an unknown token is no fault. */
  revoke(token: string, signal?: Signal): Promise<void>;
}

/** What the token endpoint gave (specification 5.3). */
export interface TokenAnswer {
  readonly accessToken: string;
  readonly refreshToken: string | null;
  readonly expiresInSeconds: number;
  /** Null when the answer names none: then it is what was asked for (RFC 6749 §5.1). */
  readonly scope: string | null;
}

export interface TokenEndpointOptions {
  readonly transport: Transport;
  readonly addresses: () => Promise<ServerAddresses>;
  readonly clientId: string;
  readonly clientSecret: string;
  /** `{base_url}`; every token request names it. */
  readonly resource: string;
}

/** A token answer has some hundred bytes, with an id_token two thousand. */
const ANSWER_BYTES_MAX = 65_536;
/** Ten years, in seconds: longer than anybody keeps a token, and a date that can be written. */
const EXPIRES_IN_MAX = 315_360_000;

/** Token and revocation requests, authenticated by Basic (specification 5.3). */
export function openTokenEndpoint(options: TokenEndpointOptions): TokenEndpoint {
  const { transport, addresses, clientId, clientSecret, resource } = options;
  const authorization = `Basic ${btoa(`${formEncoded(clientId)}:${formEncoded(clientSecret)}`)}`;
  const headers = { authorization, 'content-type': 'application/x-www-form-urlencoded' };
  return {
    find: addresses,
    request: async (parameters, { idempotencyKey, isRetried, signal, totalMsMax }) => {
      const { tokenEndpoint } = await untilAborted(addresses(), signal);
      const answer = await transport.send({
        method: 'POST',
        url: tokenEndpoint,
        headers: { ...headers, 'idempotency-key': idempotencyKey },
        body: new URLSearchParams({ ...parameters, resource }).toString(),
        answerBytesMax: ANSWER_BYTES_MAX,
        isRetried,
        signal,
        totalMsMax,
      });
      return parseTokenAnswer(answer.json(), answer.status);
    },
    revoke: async (token, signal) => {
      const { revocationEndpoint } = await untilAborted(addresses(), signal);
      const body = new URLSearchParams({ token }).toString();
      await transport.send({ method: 'POST', url: revocationEndpoint, headers, body, signal });
    },
  };
}

/** RFC 6749 §2.3.1: id and secret are form-encoded before they become Basic. */
function formEncoded(text: string): string {
  return new URLSearchParams({ _: text }).toString().slice('_='.length);
}

function parseTokenAnswer(value: unknown, status: number): TokenAnswer {
  const answer = typeof value === 'object' && value !== null ? value : {};
  const accessToken: unknown = Reflect.get(answer, 'access_token');
  const refreshToken: unknown = Reflect.get(answer, 'refresh_token') ?? null;
  const tokenType: unknown = Reflect.get(answer, 'token_type');
  const expiresInSeconds: unknown = Reflect.get(answer, 'expires_in');
  const scope: unknown = Reflect.get(answer, 'scope') ?? null;
  if (
    !isToken(accessToken) ||
    (refreshToken !== null && !isToken(refreshToken)) ||
    typeof tokenType !== 'string' ||
    tokenType.toLowerCase() !== 'bearer' ||
    typeof expiresInSeconds !== 'number' ||
    !(expiresInSeconds > 0) ||
    (scope !== null && typeof scope !== 'string')
  ) {
    // Never the value itself: it may be a token.
    throw new MalformedAnswerError({ message: 'the token answer lacks a member', status });
  }
  return {
    accessToken,
    refreshToken,
    expiresInSeconds: Math.min(expiresInSeconds, EXPIRES_IN_MAX),
    scope,
  };
}
