import type { AnswerHeaders } from './platform.ts';
import { holdsSecret } from './without-secrets.ts';

/** What an error knows beside its code. Nothing here may hold a token, a secret or a code. */
export interface ErrorFacts {
  /** A sentence for the developer. */
  readonly message?: string;
  /** Method and path of the call, without query. */
  readonly call?: string | null;
  /** The status of the answer; null when there was none. */
  readonly status?: number | null;
  /** The answer's `X-Request-Id`; null when there was none. */
  readonly requestId?: string | null;
  /** Where the code is explained; null when that is not known. */
  readonly help?: string | null;
  /** The missing scope, beside `insufficient_scope`. */
  readonly scope?: string | null;
  /** How long the service asks to be left alone, in milliseconds. */
  readonly retryAfterMs?: number | null;
}

/**
 * Every error that this package makes by itself. Catch one class for one code (`catch (error) { if (error instanceof
 * CursorExpiredError) … }`), or read `code`. An aborted signal throws its own reason, not one of these.
 */
export class CardportError extends Error {
  override name = 'CardportError';
  /** The registered code (specification 7, RFC 6749), or one of this package's own. */
  readonly code: string;
  /** Method and path of the call that failed, without query: `GET /partner/v1/cards`. Null when it was no call. */
  readonly call: string | null;
  /** The status of the answer; null when there was none. */
  readonly status: number | null;
  /** The answer's `X-Request-Id`: name it when you ask the service's operator. Null when there was none. */
  readonly requestId: string | null;
  /** The address of the page that explains this code; null when it is not known. */
  readonly help: string | null;

  constructor(code: string, facts: ErrorFacts = {}) {
    const [requestId, help] = [withoutSecret(facts.requestId), withoutSecret(facts.help)];
    const call = withoutSecret(facts.call);
    super(messageOf(code, { ...facts, call, requestId, help }));
    this.code = code;
    this.call = call;
    this.status = facts.status ?? null;
    this.requestId = requestId;
    this.help = help;
  }

  /** True when only a member of the shop can help, by going through authorization again. */
  get needsApproval(): boolean {
    return false;
  }

  /** True when the same call may well succeed later. The SDK itself has tried several times by then. */
  get isRetryable(): boolean {
    return false;
  }
}

/** A part of an answer that may echo a token is shown whole or not at all. */
function withoutSecret(text: string | null | undefined): string | null {
  return text === null || text === undefined || holdsSecret(text) ? null : text;
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

/** 401: the access token is missing, expired or for another resource, and refreshing it did not help. */
export class InvalidTokenError extends CardportError {
  override name = 'InvalidTokenError';
  constructor(facts: ErrorFacts = {}) {
    super('invalid_token', facts);
  }
}

/** 403: the token lacks a scope. Ask for it in a new authorization. */
export class InsufficientScopeError extends CardportError {
  override name = 'InsufficientScopeError';
  /** The scope that is missing; null when the answer did not say. */
  readonly scope: string | null;
  constructor(facts: ErrorFacts = {}) {
    super('insufficient_scope', facts);
    this.scope = facts.scope ?? null;
  }
  override get needsApproval(): boolean {
    return true;
  }
}

/** 403: the connection has ended. Only a new approval makes another one. */
export class ConnectionRevokedError extends CardportError {
  override name = 'ConnectionRevokedError';
  constructor(facts: ErrorFacts = {}) {
    super('connection_revoked', facts);
  }
  override get needsApproval(): boolean {
    return true;
  }
}

/** 403: the shop has disabled the app. Keep the tokens: it can be enabled again, and nothing is lost meanwhile. */
export class ClientDisabledError extends CardportError {
  override name = 'ClientDisabledError';
  constructor(facts: ErrorFacts = {}) {
    super('client_disabled', facts);
  }
}

/** 403: the member who approved lacks the permission or has left, or `connect()` was never called. */
export class ForbiddenError extends CardportError {
  override name = 'ForbiddenError';
  constructor(facts: ErrorFacts = {}) {
    super('forbidden', facts);
  }
}

/** 404: there is no such object for this shop. */
export class NotFoundError extends CardportError {
  override name = 'NotFoundError';
  constructor(facts: ErrorFacts = {}) {
    super('not_found', facts);
  }
}

/** 405: the address does not know the method. From this package it means a wrong `baseUrl`. */
export class MethodNotAllowedError extends CardportError {
  override name = 'MethodNotAllowedError';
  constructor(facts: ErrorFacts = {}) {
    super('method_not_allowed', facts);
  }
}

/** 409: the state of the object forbids it. The Partner API has no such answer today. */
export class ConflictError extends CardportError {
  override name = 'ConflictError';
  constructor(facts: ErrorFacts = {}) {
    super('conflict', facts);
  }
}

/** 410: the shop was restored from a backup, so that the cursor means nothing. Read everything again without one. */
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

/** 422: the webhook's URL is not https, or not of the origin of one of the app's redirect URIs. */
export class InvalidWebhookUrlError extends CardportError {
  override name = 'InvalidWebhookUrlError';
  constructor(facts: ErrorFacts = {}) {
    super('invalid_webhook_url', facts);
  }
}

/** 429: too many calls. */
export class RateLimitedError extends CardportError {
  override name = 'RateLimitedError';
  /** How long the service asks to be left alone, in milliseconds; null when it did not say. */
  readonly retryAfterMs: number | null;
  constructor(facts: ErrorFacts = {}) {
    super('rate_limited', facts);
    this.retryAfterMs = facts.retryAfterMs ?? null;
  }
  override get isRetryable(): boolean {
    return true;
  }
}

/** 500: a fault of the service. Name `requestId` to its operator. */
export class ServerError extends CardportError {
  override name = 'ServerError';
  constructor(facts: ErrorFacts = {}) {
    super('server_error', facts);
  }
  override get isRetryable(): boolean {
    return true;
  }
}

/** 503: the service cannot answer now. */
export class TemporarilyUnavailableError extends CardportError {
  override name = 'TemporarilyUnavailableError';
  /** How long the service asks to be left alone, in milliseconds; null when it did not say. */
  readonly retryAfterMs: number | null;
  constructor(facts: ErrorFacts = {}) {
    super('temporarily_unavailable', facts);
    this.retryAfterMs = facts.retryAfterMs ?? null;
  }
  override get isRetryable(): boolean {
    return true;
  }
}

/** An answer with a code that this version of the package does not know, or an error without one (a proxy's page). */
export class UnknownCodeError extends CardportError {
  override name = 'UnknownCodeError';
  override get isRetryable(): boolean {
    return this.status !== null && isRetryableStatus(this.status);
  }
}

/** True for the statuses after which the same call may succeed: 408, 429, 500, 502, 503, 504 (RFC 9110 §15). */
export function isRetryableStatus(status: number): boolean {
  return [408, 429, 500, 502, 503, 504].includes(status);
}

/** How long the service has asked to be left alone, in milliseconds; null when the error says nothing of it. */
export function retryAfterOf(error: unknown): number | null {
  const asked: unknown = error instanceof CardportError ? Reflect.get(error, 'retryAfterMs') : null;
  return typeof asked === 'number' ? asked : null;
}

/** The address in `Link: <…>; rel="help"` (RFC 8288), or null. */
export function helpOf(headers: AnswerHeaders): string | null {
  const link = headers.get('link');
  const found =
    link === null ? null : /<(https?:\/\/[^<>\s]{1,500})>\s*;\s*rel="?help"?/iu.exec(link);
  return found?.[1] ?? null;
}
