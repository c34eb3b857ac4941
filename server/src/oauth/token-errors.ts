import type { Metrics } from '../http/metrics.ts';

/** `grantType` is the client's parameter. Null if the request was refused before it was parsed. */
export type OnTokenError = (grantType: unknown, error: string) => void;

const GRANT_TYPES = ['authorization_code', 'refresh_token', 'other'];
/** The error codes of RFC 6749 §5.2 and RFC 8707 §2, and our own (decision 0008). */
const ERRORS = [
  'invalid_request',
  'invalid_client',
  'invalid_grant',
  'invalid_scope',
  'invalid_target',
  'unauthorized_client',
  'unsupported_grant_type',
  'rate_limited',
  'temporarily_unavailable',
  'server_error',
  'other',
];

/** Unknown values count as `other`, so that callers cannot add time series. */
export function countTokenErrors(metrics: Metrics): OnTokenError {
  const count = metrics.addCounter(
    'cardport_oauth_token_errors_total',
    'Refused token requests, by grant type and error code.',
    { name: 'grant_type', values: GRANT_TYPES },
    { name: 'error', values: ERRORS },
  );
  return (grantType, error) => {
    const knownType = GRANT_TYPES.find((each) => each === grantType) ?? 'other';
    count(knownType, ERRORS.includes(error) ? error : 'other');
  };
}
