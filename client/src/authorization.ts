import type { ServerAddresses } from './discovery.ts';
import { errorOfCode } from './error-of-answer.ts';
import { MalformedAnswerError, StateMismatchError } from './local-errors.ts';
import { challengeOf, isSameText, randomText } from './pkce.ts';
import { withoutSecrets } from './without-secrets.ts';

/**
 * What must outlive the member's way to the service and back. Plain JSON: put it into that person's session, where nobody
 * else reads or writes it, and take it out when the browser comes back.
 */
export interface PendingAuthorization {
  readonly state: string;
  readonly codeVerifier: string;
  readonly redirectUri: string;
  /** The scopes asked for, with spaces between. */
  readonly scope: string;
  /** ISO 8601. */
  readonly startedAt: string;
}

/** Where to send the browser, and what to keep meanwhile. */
export interface BegunAuthorization {
  readonly url: string;
  readonly pending: PendingAuthorization;
}

/**
 * An answer that comes later than this, in milliseconds, is to a question that nobody remembers. The service gives a
 * member a quarter of an hour.
 */
const PENDING_MS_MAX = 3_600_000;
/** RFC 6749 §4.1.2.1. */
const ERROR_CODE = /^[a-z][a-z0-9_]{1,63}$/u;

/** The address of the authorization request (specification 5.3) with a fresh `state` and PKCE. */
export async function authorizationRequest(
  { authorizationEndpoint }: ServerAddresses,
  request: {
    readonly clientId: string;
    readonly redirectUri: string;
    readonly scope: string;
    readonly resource: string;
    readonly now: number;
  },
): Promise<BegunAuthorization> {
  const { clientId, redirectUri, scope, resource, now } = request;
  const [state, codeVerifier] = [randomText(), randomText()];
  const url = new URL(authorizationEndpoint);
  for (const [name, value] of Object.entries({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    scope,
    state,
    code_challenge: await challengeOf(codeVerifier),
    code_challenge_method: 'S256',
    resource,
  })) {
    url.searchParams.set(name, value);
  }
  const startedAt = new Date(now).toISOString();
  return { url: url.href, pending: { state, codeVerifier, redirectUri, scope, startedAt } };
}

/**
 * The code of the answer to an authorization request. First it must be the answer to the one that this browser began
 * (`state`), then of this server (`iss`, RFC 9207); only then is anything else in it believed. An error in it leads to its
 * section of `docsUrl`.
 */
export function codeOf(
  callbackUrl: string,
  pending: PendingAuthorization,
  { issuer, sendsIssuer }: ServerAddresses,
  now: number,
  docsUrl: string,
): string {
  const query = queryOf(callbackUrl, pending.redirectUri);
  if (!isSameText(single(query, 'state') ?? '', pending.state)) {
    throw new StateMismatchError({
      message: 'the answer is to another request than the one that this session began',
    });
  }
  if (!(now - Date.parse(pending.startedAt) < PENDING_MS_MAX)) {
    throw new StateMismatchError({ message: 'the request was begun more than an hour ago' });
  }
  const iss = single(query, 'iss');
  if (iss === undefined ? sendsIssuer : iss !== issuer) {
    throw new StateMismatchError({ message: `the answer is not of ${issuer}` });
  }
  const error = single(query, 'error');
  if (error !== undefined) {
    const description = single(query, 'error_description');
    const code = ERROR_CODE.test(error) ? error : 'invalid_request';
    throw errorOfCode(code, {
      ...(description === undefined ? {} : { message: withoutSecrets(description) }),
      help: `${docsUrl}#${code}`,
    });
  }
  const code = single(query, 'code');
  if (code === undefined || code === '') {
    throw new MalformedAnswerError({ message: 'the answer has neither a code nor an error' });
  }
  return code;
}

/** What a session gave back, checked: an empty `state` would be equal to none. */
export function checkedPending(
  pending: PendingAuthorization | null | undefined,
): PendingAuthorization {
  const isWhole =
    typeof pending === 'object' &&
    pending !== null &&
    [pending.state, pending.codeVerifier, pending.redirectUri, pending.startedAt].every(
      (member) => typeof member === 'string' && member !== '',
    );
  if (isWhole) return pending;
  throw new StateMismatchError({
    message:
      'this session has begun no authorization: it was lost, or the answer was brought by somebody else',
  });
}

/** The query of the address that the browser came to: whole, or as `request.url` has it, without its origin. */
function queryOf(callbackUrl: string, redirectUri: string): URLSearchParams {
  if (!URL.canParse(callbackUrl, redirectUri)) {
    throw new TypeError('callbackUrl must be the address that the browser came to, with its query');
  }
  return new URL(callbackUrl, redirectUri).searchParams;
}

/** RFC 6749 §3.1: a parameter comes once. One that comes twice is nobody's answer. */
function single(query: URLSearchParams, name: string): string | undefined {
  const [value, ...others] = query.getAll(name);
  if (others.length === 0) return value;
  throw new StateMismatchError({ message: `the answer names ${name} more than once` });
}
