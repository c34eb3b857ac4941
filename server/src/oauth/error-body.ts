import { isDatabaseUnavailable } from '../database/unavailable.ts';

export interface OAuthRefusal {
  readonly status: number;
  readonly error: string;
  readonly description: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** `Retry-After` of a 503, in seconds. */
const RETRY_SECONDS = 2;

export function refusal(
  status: number,
  error: string,
  description: string,
  headers: Readonly<Record<string, string>> = {},
): OAuthRefusal {
  return { status, error, description, headers };
}

/** Returns the response to missing or wrong client authentication (RFC 6749 §5.2). */
export function invalidClient(issuer: string): OAuthRefusal {
  return refusal(401, 'invalid_client', 'client authentication failed', {
    'www-authenticate': `Basic realm="${issuer}"`,
  });
}

/** For a request that has not consumed its code or token, so the client can repeat it. */
export function temporarilyUnavailable(): OAuthRefusal {
  return refusal(503, 'temporarily_unavailable', 'the service is busy; try again later', {
    'retry-after': String(RETRY_SECONDS),
  });
}

/** Converts any error to an OAuth error. The details of an unexpected error are not sent. */
export function toRefusal(thrown: unknown): OAuthRefusal {
  if (isDatabaseUnavailable(thrown)) return temporarilyUnavailable();
  if (thrown instanceof Error && 'error' in thrown && 'statusCode' in thrown) {
    const { error, statusCode } = thrown;
    const described = 'error_description' in thrown ? thrown.error_description : undefined;
    if (typeof error === 'string' && typeof statusCode === 'number' && statusCode < 500) {
      return refusal(statusCode, error, typeof described === 'string' ? described : error);
    }
    if (statusCode === 503) return temporarilyUnavailable();
  }
  return refusal(500, 'server_error', 'an unexpected error occurred; try again later');
}

export function renderRefusal({ error, description }: OAuthRefusal): string {
  // RFC 6749 §5.2 allows printable ASCII without quotes and backslash.
  const clean = description.replaceAll(/[^\u0020\u0021\u0023-\u005b\u005d-\u007e]/g, "'");
  return JSON.stringify({ error, error_description: clean });
}
