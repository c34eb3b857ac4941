import type { ServerAddresses } from './discovery.ts';
import { errorForCode } from './response-error.ts';
import { MalformedAnswerError, StateMismatchError } from './local-errors.ts';
import { challengeOf, isSameText, randomText } from './pkce.ts';
import { redactSecrets } from './redact.ts';

/**
 * The values that complete an authorization. They are plain JSON: store them in the member's
 * session, where only your app can read and write them, and remove them when the browser returns.
 */
export interface PendingAuthorization {
  readonly state: string;
  readonly codeVerifier: string;
  readonly redirectUri: string;
  /** The requested scopes, separated by spaces. */
  readonly scope: string;
  /** ISO 8601. */
  readonly startedAt: string;
}

export interface BegunAuthorization {
  readonly url: string;
  readonly pending: PendingAuthorization;
}

/** A callback is refused after this time. The service itself gives a member 15 minutes. */
const PENDING_MS_MAX = 3_600_000;
/** The format of an error code (RFC 6749 §4.1.2.1). */
const ERROR_CODE = /^[a-z][a-z0-9_]{1,63}$/u;

/** Creates an authorization request (spec 5.3) with a fresh `state` and PKCE challenge. */
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
 * First checks `state`, which proves that this session began the request, then `iss` (RFC 9207).
 * Only then are the other parameters trusted, even `error`. An error's `help` is at `docsUrl`.
 */
export function readCallbackCode(
  callbackUrl: string,
  pending: PendingAuthorization,
  { issuer, sendsIssuer }: ServerAddresses,
  now: number,
  docsUrl: string,
): string {
  const query = queryOf(callbackUrl, pending.redirectUri);
  if (!isSameText(single(query, 'state') ?? '', pending.state)) {
    throw new StateMismatchError({
      message:
        'the callback belongs to a different authorization than the one this session started: start again',
    });
  }
  if (!(now - Date.parse(pending.startedAt) < PENDING_MS_MAX)) {
    throw new StateMismatchError({
      message: 'the authorization was started more than an hour ago: start again',
    });
  }
  const iss = single(query, 'iss');
  if (iss === undefined ? sendsIssuer : iss !== issuer) {
    throw new StateMismatchError({ message: `the callback is not from ${issuer}` });
  }
  const error = single(query, 'error');
  if (error !== undefined) {
    const description = single(query, 'error_description');
    const code = ERROR_CODE.test(error) ? error : 'invalid_request';
    throw errorForCode(code, {
      ...(description === undefined ? {} : { message: redactSecrets(description) }),
      help: `${docsUrl}#${code}`,
    });
  }
  const code = single(query, 'code');
  if (code === undefined || code === '') {
    throw new MalformedAnswerError({ message: 'the callback has neither a code nor an error' });
  }
  return code;
}

/** Without this check, an empty `state` in the session would match an empty parameter. */
export function validatePending(
  pending: PendingAuthorization | null | undefined,
): PendingAuthorization {
  const isComplete =
    typeof pending === 'object' &&
    pending !== null &&
    [pending.state, pending.codeVerifier, pending.redirectUri, pending.startedAt].every(
      (member) => typeof member === 'string' && member !== '',
    );
  if (isComplete) return pending;
  throw new StateMismatchError({
    message:
      'this session has no pending authorization: it was lost, or the callback arrived in another browser. Start again',
  });
}

/** The callback address may be a full URL, or a path and query as in `request.url`. */
function queryOf(callbackUrl: string, redirectUri: string): URLSearchParams {
  if (!URL.canParse(callbackUrl, redirectUri)) {
    throw new TypeError('callbackUrl must be the URL that the browser requested, with its query');
  }
  return new URL(callbackUrl, redirectUri).searchParams;
}

/** RFC 6749 §3.1: a parameter must not be repeated. */
function single(query: URLSearchParams, name: string): string | undefined {
  const [value, ...others] = query.getAll(name);
  if (others.length === 0) return value;
  throw new StateMismatchError({ message: `the callback contains ${name} more than once` });
}
