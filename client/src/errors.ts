import type { AnswerHeaders } from './platform.ts';
import { containsSecret } from './redact.ts';

/** The details of a {@link CardportError}. None may contain a token or another secret. */
export interface ErrorFacts {
  /** A sentence for the developer. */
  readonly message?: string;
  readonly call?: string | null;
  readonly status?: number | null;
  readonly requestId?: string | null;
  readonly help?: string | null;
  /** The missing scope, for the code `insufficient_scope`. */
  readonly scope?: string | null;
  readonly retryAfterMs?: number | null;
}

/**
 * The base class of this package's errors. Catch the class of a code, such as {@link
 * CursorExpiredError}, or compare `code`. An aborted call throws its signal's reason instead.
 */
export class CardportError extends Error {
  override name = 'CardportError';
  /** The registered code (spec 7, RFC 6749), or a code of this package. */
  readonly code: string;
  /** Method and path, without the query: `GET /partner/v1/cards`. Null when there was no call. */
  readonly call: string | null;
  /** Status of the response; null when there was no response. */
  readonly status: number | null;
  /** `X-Request-Id`, or null. Include it when you contact the service's operator. */
  readonly requestId: string | null;
  /** The URL of the page that explains this code; null when unknown. */
  readonly help: string | null;

  constructor(code: string, facts: ErrorFacts = {}) {
    const [requestId, help] = [unlessSecret(facts.requestId), unlessSecret(facts.help)];
    const call = unlessSecret(facts.call);
    super(messageOf(code, { ...facts, call, requestId, help }));
    this.code = code;
    this.call = call;
    this.status = facts.status ?? null;
    this.requestId = requestId;
    this.help = help;
  }

  /** True when a member of the shop must authorize the app again. */
  get needsApproval(): boolean {
    return false;
  }

  /** True when the same call may succeed later. The SDK has already retried the call. */
  get isRetryable(): boolean {
    return false;
  }
}

/** Returns the text, or null if it may contain a secret: then no part of it is shown. */
function unlessSecret(text: string | null | undefined): string | null {
  return text === null || text === undefined || containsSecret(text) ? null : text;
}

function messageOf(code: string, { message, call, status, requestId, help }: ErrorFacts): string {
  const parts = [message === undefined ? code : `${code}: ${message}`];
  if (typeof call === 'string') parts.push(call);
  if (typeof status === 'number') parts.push(`status ${status}`);
  if (typeof requestId === 'string') parts.push(`request ${requestId}`);
  if (typeof help === 'string') parts.push(help);
  return parts.length === 1 ? (parts[0] ?? code) : `${parts[0]} (${parts.slice(1).join(', ')})`;
}

/** 400: a parameter or the body is invalid. */
export class InvalidRequestError extends CardportError {
  override name = 'InvalidRequestError';
  constructor(facts: ErrorFacts = {}) {
    super('invalid_request', facts);
  }
}

/** 401: the token is missing, expired or for another resource. A refresh has been tried already. */
export class InvalidTokenError extends CardportError {
  override name = 'InvalidTokenError';
  constructor(facts: ErrorFacts = {}) {
    super('invalid_token', facts);
  }
}

/** 403: the token lacks a scope. Request the scope in a new authorization. */
export class InsufficientScopeError extends CardportError {
  override name = 'InsufficientScopeError';
  /** The missing scope; null when the response did not name it. */
  readonly scope: string | null;
  constructor(facts: ErrorFacts = {}) {
    super('insufficient_scope', facts);
    this.scope = facts.scope ?? null;
  }
  override get needsApproval(): boolean {
    return true;
  }
}

/** 403: the connection has ended. Only a new approval can open a new connection. */
export class ConnectionRevokedError extends CardportError {
  override name = 'ConnectionRevokedError';
  constructor(facts: ErrorFacts = {}) {
    super('connection_revoked', facts);
  }
  override get needsApproval(): boolean {
    return true;
  }
}

/** 403: the shop has disabled the app. Keep the tokens: they work again once it is enabled. */
export class ClientDisabledError extends CardportError {
  override name = 'ClientDisabledError';
  constructor(facts: ErrorFacts = {}) {
    super('client_disabled', facts);
  }
}

/** 403: the approving member lacks the permission or has left, or `connect()` was never called. */
export class ForbiddenError extends CardportError {
  override name = 'ForbiddenError';
  constructor(facts: ErrorFacts = {}) {
    super('forbidden', facts);
  }
}

/** 404: the shop has no such object. */
export class NotFoundError extends CardportError {
  override name = 'NotFoundError';
  constructor(facts: ErrorFacts = {}) {
    super('not_found', facts);
  }
}

/** 405: the address does not support the method, which usually means that `baseUrl` is wrong. */
export class MethodNotAllowedError extends CardportError {
  override name = 'MethodNotAllowedError';
  constructor(facts: ErrorFacts = {}) {
    super('method_not_allowed', facts);
  }
}

/** 409: the object's state does not allow the call. The Partner API does not send this yet. */
export class ConflictError extends CardportError {
  override name = 'ConflictError';
  constructor(facts: ErrorFacts = {}) {
    super('conflict', facts);
  }
}

/** 410: the shop was restored from a backup. Read the complete feed again, without a cursor. */
export class CursorExpiredError extends CardportError {
  override name = 'CursorExpiredError';
  constructor(facts: ErrorFacts = {}) {
    super('cursor_expired', facts);
  }
}

/** 413: the body is too large. */
export class PayloadTooLargeError extends CardportError {
  override name = 'PayloadTooLargeError';
  constructor(facts: ErrorFacts = {}) {
    super('payload_too_large', facts);
  }
}

/** 415: the body's type is not supported. */
export class UnsupportedMediaTypeError extends CardportError {
  override name = 'UnsupportedMediaTypeError';
  constructor(facts: ErrorFacts = {}) {
    super('unsupported_media_type', facts);
  }
}

/** 422: the webhook URL is not https, or has the origin of none of the app's redirect URIs. */
export class InvalidWebhookUrlError extends CardportError {
  override name = 'InvalidWebhookUrlError';
  constructor(facts: ErrorFacts = {}) {
    super('invalid_webhook_url', facts);
  }
}

/** 429: the app has sent too many requests. */
export class RateLimitedError extends CardportError {
  override name = 'RateLimitedError';
  /** The `Retry-After` of the response in milliseconds; null when the response had none. */
  readonly retryAfterMs: number | null;
  constructor(facts: ErrorFacts = {}) {
    super('rate_limited', facts);
    this.retryAfterMs = facts.retryAfterMs ?? null;
  }
  override get isRetryable(): boolean {
    return true;
  }
}

/** 500: the service failed. Report `requestId` to the service's operator. */
export class ServerError extends CardportError {
  override name = 'ServerError';
  constructor(facts: ErrorFacts = {}) {
    super('server_error', facts);
  }
  override get isRetryable(): boolean {
    return true;
  }
}

/** 503: the service is temporarily unavailable. */
export class TemporarilyUnavailableError extends CardportError {
  override name = 'TemporarilyUnavailableError';
  /** The `Retry-After` of the response in milliseconds; null when the response had none. */
  readonly retryAfterMs: number | null;
  constructor(facts: ErrorFacts = {}) {
    super('temporarily_unavailable', facts);
    this.retryAfterMs = facts.retryAfterMs ?? null;
  }
  override get isRetryable(): boolean {
    return true;
  }
}

/** An unknown code, or a response without a code, such as an error page of a proxy. */
export class UnknownCodeError extends CardportError {
  override name = 'UnknownCodeError';
  override get isRetryable(): boolean {
    return this.status !== null && isRetryableStatus(this.status);
  }
}

/** RFC 9110 §15: after these statuses the same call may succeed. */
export function isRetryableStatus(status: number): boolean {
  return [408, 429, 500, 502, 503, 504].includes(status);
}

/** Returns the `Retry-After` of an error in milliseconds, or null. */
export function retryAfterOf(error: unknown): number | null {
  const asked: unknown = error instanceof CardportError ? Reflect.get(error, 'retryAfterMs') : null;
  return typeof asked === 'number' ? asked : null;
}

/** Returns the address in `Link: <…>; rel="help"` (RFC 8288), or null. */
export function helpLinkOf(headers: AnswerHeaders): string | null {
  const link = headers.get('link');
  const found =
    link === null ? null : /<(https?:\/\/[^<>\s]{1,500})>\s*;\s*rel="?help"?/iu.exec(link);
  return found?.[1] ?? null;
}
