import type { ServerResponse } from 'node:http';
import { constantHeaders } from '../http/constant-headers.ts';
import { codeOfStatus } from '../http/errors.ts';
import { createHelpLinks } from '../http/help-link.ts';
import { JSON_TYPE } from '../http/raw-response.ts';
import { createRequestIdGenerator } from '../http/request-id.ts';
import { RATE_LIMIT } from './credentials.ts';

/** The headers of every response of the service. */
export const CONSTANT_HEADERS = constantHeaders('http://127.0.0.1');

export const newRequestId = createRequestIdGenerator();

/** Errors below this path have the format of RFC 6749 §5.2. */
const OAUTH_PATH = '/auth/';

/** A response that is sent instead of the service's response. */
export interface SubstituteResponse {
  readonly status: number;
  /** The value of `Retry-After` in complete seconds, or null for none. */
  readonly retryAfterSeconds: number | null;
  /** The error description. If absent, the response says that the emulator injected the error. */
  readonly reason?: string;
}

/** The value of `RateLimit-Policy` in the Partner API of this emulator. */
const RATE_LIMIT_POLICY = `"api";q=${RATE_LIMIT.perMinute};w=60, "api-burst";q=${RATE_LIMIT.burst};w=10`;

/** Sends the response that the service would send with this status. */
export function sendSubstitute(
  response: ServerResponse,
  { path, publicUrl }: { readonly path: string; readonly publicUrl: string },
  { status, retryAfterSeconds, reason }: SubstituteResponse,
): void {
  if (response.destroyed) return;
  const code = codeOfStatus(status);
  const body = path.startsWith(OAUTH_PATH)
    ? { error: code, error_description: reason ?? 'a fault that the emulator injected' }
    : { error: code };
  const seconds = retryAfterSeconds ?? 0;
  sendJson(response, status, body, {
    link: createHelpLinks(publicUrl)(code),
    ...(retryAfterSeconds === null ? {} : { 'retry-after': String(seconds) }),
    ...(status === 429
      ? { 'ratelimit-policy': RATE_LIMIT_POLICY, ratelimit: `"api-burst";r=0;t=${seconds}` }
      : {}),
  });
}

export function sendJson(
  response: ServerResponse,
  status: number,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): void {
  sendBody(response, status, JSON_TYPE, JSON.stringify(body), headers);
}

export function sendBody(
  response: ServerResponse,
  status: number,
  type: string,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, {
    ...CONSTANT_HEADERS,
    'x-request-id': newRequestId(),
    'content-type': type,
    'content-length': Buffer.byteLength(body),
    ...headers,
  });
  response.end(body);
}
