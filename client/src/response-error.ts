import {
  type CardportError,
  ClientDisabledError,
  ConflictError,
  ConnectionRevokedError,
  CursorExpiredError,
  type ErrorFacts,
  ForbiddenError,
  helpLinkOf,
  InsufficientScopeError,
  InvalidRequestError,
  InvalidTokenError,
  InvalidWebhookUrlError,
  MethodNotAllowedError,
  NotFoundError,
  PayloadTooLargeError,
  RateLimitedError,
  ServerError,
  TemporarilyUnavailableError,
  UnknownCodeError,
  UnsupportedMediaTypeError,
} from './errors.ts';
import {
  AccessDeniedError,
  InvalidClientError,
  InvalidGrantError,
  InvalidScopeError,
  InvalidTargetError,
  LoginRequiredError,
  UnauthorizedClientError,
  UnsupportedGrantTypeError,
  UnsupportedResponseTypeError,
} from './oauth-errors.ts';
import type { AnswerHeaders } from './platform.ts';
import { readRetryAfterMs } from './retry.ts';
import { containsSecret, redactSecrets } from './redact.ts';

type ErrorClass = new (facts: ErrorFacts) => CardportError;

const CLASSES: Readonly<Record<string, ErrorClass>> = {
  // specification 7
  invalid_request: InvalidRequestError,
  invalid_token: InvalidTokenError,
  insufficient_scope: InsufficientScopeError,
  connection_revoked: ConnectionRevokedError,
  client_disabled: ClientDisabledError,
  forbidden: ForbiddenError,
  not_found: NotFoundError,
  method_not_allowed: MethodNotAllowedError,
  conflict: ConflictError,
  cursor_expired: CursorExpiredError,
  payload_too_large: PayloadTooLargeError,
  unsupported_media_type: UnsupportedMediaTypeError,
  invalid_webhook_url: InvalidWebhookUrlError,
  rate_limited: RateLimitedError,
  server_error: ServerError,
  temporarily_unavailable: TemporarilyUnavailableError,
  // RFC 6749, RFC 8707
  invalid_grant: InvalidGrantError,
  invalid_client: InvalidClientError,
  unauthorized_client: UnauthorizedClientError,
  unsupported_grant_type: UnsupportedGrantTypeError,
  unsupported_response_type: UnsupportedResponseTypeError,
  invalid_scope: InvalidScopeError,
  invalid_target: InvalidTargetError,
  access_denied: AccessDeniedError,
  // OpenID Connect Core 3.1.2.6
  login_required: LoginRequiredError,
};

/** An unregistered code gives {@link UnknownCodeError}. One that looks like a secret is omitted. */
export function errorForCode(code: string, facts: ErrorFacts = {}): CardportError {
  if (containsSecret(code)) return new UnknownCodeError('unknown_code', facts);
  const Known = Object.hasOwn(CLASSES, code) ? CLASSES[code] : undefined;
  return Known === undefined ? new UnknownCodeError(code, facts) : new Known(facts);
}

export interface ErrorResponse {
  readonly status: number;
  readonly headers: AnswerHeaders;
  readonly bytes: Uint8Array;
  readonly request?: { readonly call: string; readonly url: string };
}

const CODE = /^[a-z][a-z0-9_]{1,63}$/u;

/** The codes for responses without a code, by status. These responses usually come from a proxy. */
const CODES_OF_STATUS: Readonly<Record<number, string>> = {
  413: 'payload_too_large',
  429: 'rate_limited',
  503: 'temporarily_unavailable',
};

/** The error's `help` is the `Link` header, or the section for its code at `docsUrl`. */
export function errorForResponse(
  response: ErrorResponse,
  docsUrl: string,
  now: number,
): CardportError {
  const body = readErrorBody(response.bytes);
  const { status, headers } = response;
  const code = body.code ?? CODES_OF_STATUS[status] ?? `status_${status}`;
  const isOurs = body.code !== null;
  const message = body.description ?? redirectOf(response);
  return errorForCode(code, {
    ...(message === null ? {} : { message }),
    call: response.request?.call ?? null,
    status,
    requestId: requestIdOf(headers),
    help: helpLinkOf(headers) ?? (isOurs ? `${docsUrl}#${code}` : null),
    scope: body.scope,
    retryAfterMs: readRetryAfterMs(headers, status, now),
  });
}

/** A redirect usually means that `baseUrl` lacks its end, or is http instead of https. */
function redirectOf({ status, headers, request }: ErrorResponse): string | null {
  const location = status >= 300 && status < 400 ? headers.get('location') : null;
  if (location === null || !URL.canParse(location, request?.url)) return null;
  const { origin } = new URL(location, request?.url);
  return `the service redirects to ${redactSecrets(origin)}: check baseUrl`;
}

/** Returns the `X-Request-Id`, if it is safe to show in a message. */
export function requestIdOf(headers: AnswerHeaders): string | null {
  const id = headers.get('x-request-id');
  return id !== null && /^[\w.:+/=-]{1,100}$/u.test(id) ? id : null;
}

interface ErrorBody {
  readonly code: string | null;
  readonly scope: string | null;
  /** The `error_description` of RFC 6749. */
  readonly description: string | null;
}

function readErrorBody(bytes: Uint8Array): ErrorBody {
  const body = parseObject(bytes);
  const [code, scope] = [textOf(body, 'error'), textOf(body, 'scope')];
  const description = textOf(body, 'error_description');
  return {
    code: code !== null && CODE.test(code) && !containsSecret(code) ? code : null,
    scope: scope === null ? null : redactSecrets(scope),
    description: description === null ? null : redactSecrets(description),
  };
}

function parseObject(bytes: Uint8Array): object {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(bytes));
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    // The body did not come from the service, so only the status counts.
    return {};
  }
}

function textOf(body: object, name: string): string | null {
  const value: unknown = Reflect.get(body, name);
  return typeof value === 'string' ? value : null;
}
