/** The error codes that the service uses outside OAuth (spec 7, decision 0008). */
export const ERROR_CODES = [
  'invalid_request',
  'invalid_token',
  'insufficient_scope',
  'connection_revoked',
  'client_disabled',
  'forbidden',
  'not_found',
  'method_not_allowed',
  'conflict',
  'cursor_expired',
  'payload_too_large',
  'unsupported_media_type',
  'invalid_webhook_url',
  'rate_limited',
  'server_error',
  'temporarily_unavailable',
] as const;
export type ErrorCode = (typeof ERROR_CODES)[number];

export interface ApiErrorOptions {
  /** The missing scope, only with `insufficient_scope`. */
  readonly scope?: string;
  /** Headers for the response. Names must be in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  /** A sentence for the developer, which only the Shop API shows. */
  readonly detail?: string;
  /** The cause, for the log only. It is never sent. */
  readonly cause?: unknown;
}

/** An error response. Only the HTTP layer throws this; the modules below return values. */
export class ApiError extends Error {
  override name = 'ApiError';
  readonly statusCode: number;
  readonly code: ErrorCode;
  readonly scope: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly detail: string | undefined;

  constructor(statusCode: number, code: ErrorCode, options: ApiErrorOptions = {}) {
    super(options.detail ?? code, options.cause === undefined ? {} : { cause: options.cause });
    this.statusCode = statusCode;
    this.code = code;
    this.scope = options.scope;
    this.headers = options.headers ?? {};
    this.detail = options.detail;
  }
}

/** The value of `Retry-After`: enough time for a restart of the database. */
const UNAVAILABLE_RETRY_SECONDS = 2;

/** Returns a 503 with `Retry-After` for a temporary fault (decision 0008). */
export function serviceUnavailable(
  options: Pick<ApiErrorOptions, 'cause' | 'detail'> = {},
): ApiError {
  return new ApiError(503, 'temporarily_unavailable', {
    headers: { 'retry-after': String(UNAVAILABLE_RETRY_SECONDS) },
    ...options,
  });
}

export function codeOfStatus(status: number): ErrorCode {
  switch (status) {
    case 401:
      return 'invalid_token';
    case 403:
      return 'forbidden';
    case 404:
      return 'not_found';
    case 405:
      return 'method_not_allowed';
    case 409:
      return 'conflict';
    case 410:
      return 'cursor_expired';
    case 413:
      return 'payload_too_large';
    case 415:
      return 'unsupported_media_type';
    case 429:
      return 'rate_limited';
    case 503:
      return 'temporarily_unavailable';
    default:
      return status >= 500 ? 'server_error' : 'invalid_request';
  }
}

/** `isUnavailable` recognizes temporary faults, which become a 503. */
export function toApiError(error: unknown, isUnavailable: (error: unknown) => boolean): ApiError {
  if (error instanceof ApiError) return error;
  if (isUnavailable(error)) return serviceUnavailable({ cause: error });
  const status = statusOf(error);
  if (status === 503) return serviceUnavailable({ cause: error });
  return new ApiError(status, codeOfStatus(status), { cause: error });
}

function statusOf(error: unknown): number {
  if (typeof error !== 'object' || error === null) return 500;
  // For a violation of a route's schema, Fastify sets `validation`.
  if ('validation' in error && error.validation !== undefined) return 400;
  const status = 'statusCode' in error ? error.statusCode : 500;
  return typeof status === 'number' && status >= 400 && status < 600 ? status : 500;
}

/** Renders exactly `{"error": code}`, plus `scope` if a scope is missing (spec 7). */
export function renderError(error: ApiError): string {
  if (error.scope === undefined) return `{"error":"${error.code}"}`;
  return `{"error":"${error.code}","scope":"${error.scope}"}`;
}
