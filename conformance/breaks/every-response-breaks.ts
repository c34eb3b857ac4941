import type { Break } from './break.ts';
import {
  changeResponses,
  replaceWith,
  replaceErrorEverywhere,
  replaceError,
  isRequestTo,
  jsonResponse,
  withHeader,
  withJson,
} from './edits.ts';

/** Violations of rules for every response and every error (specification 1, 7). */
export const breaksOfEveryResponse: readonly Break[] = [
  {
    name: 'answers-may-be-stored',
    clause: '1',
    wrong: 'omits `Cache-Control: no-store` from successful responses',
    caughtBy: ['1-no-store-writes', '1-no-store-reads'],
    answer: (answer) => (answer.status < 300 ? withHeader(answer, 'cache-control', null) : answer),
  },
  {
    name: 'errors-may-be-stored',
    clause: '1',
    wrong: 'omits `Cache-Control: no-store` from errors',
    caughtBy: ['1-no-store-errors', '1-no-store-oauth'],
    answer: (answer) => (answer.status >= 400 ? withHeader(answer, 'cache-control', null) : answer),
  },
  {
    name: 'photos-may-be-stored',
    clause: '1',
    wrong: 'allows caching of photos',
    caughtBy: ['1-no-store-reads'],
    answer: changeResponses('GET /inventory/items/:id/photos/:side', (answer) =>
      withHeader(answer, 'cache-control', 'private, max-age=60'),
    ),
  },
  {
    name: 'no-cache-for-no-store',
    clause: '1',
    wrong: 'sends `no-cache` instead of `no-store`',
    caughtBy: ['1-no-store-errors', '1-no-store-writes'],
    answer: (answer) => withHeader(answer, 'cache-control', 'no-cache'),
  },
  {
    name: 'tokens-may-be-stored',
    clause: '1',
    wrong: 'omits `Cache-Control: no-store` from the responses of the token endpoint',
    caughtBy: ['1-no-store-oauth'],
    answer: changeResponses('POST /auth/oauth2/token', (answer) =>
      withHeader(answer, 'cache-control', null),
    ),
  },
  {
    name: 'errors-with-a-message',
    clause: '7',
    wrong: 'adds a `message` to every error body',
    caughtBy: ['7-connection-revoked', '7-forbidden', '7-not-found', '7-invalid-webhook-url'],
    answer: (answer, { request }) =>
      answer.status >= 400 && request.target.startsWith('/partner/')
        ? withJson(answer, 'message', replaceWith('Something is wrong.'))
        : answer,
  },
  {
    name: 'errors-in-an-object',
    clause: '7',
    wrong: 'returns `{"error": {"code": …}}`',
    caughtBy: ['7-connection-revoked', '7-forbidden'],
    answer: (answer, { request }) =>
      answer.status >= 400 && request.target.startsWith('/partner/')
        ? withJson(answer, 'error', (code) => ({ code }))
        : answer,
  },
  {
    name: 'errors-as-problem-json',
    clause: '7',
    wrong: 'sends errors as `application/problem+json`',
    caughtBy: ['7-connection-revoked', '7-forbidden'],
    answer: (answer, { request }) =>
      answer.status >= 400 && request.target.startsWith('/partner/')
        ? withHeader(answer, 'content-type', 'application/problem+json')
        : answer,
  },
  {
    name: 'no-token-is-403',
    clause: '7',
    wrong: 'returns 403 `forbidden` where the token is missing or unknown',
    caughtBy: ['7-invalid-token-bad', '7-invalid-token-missing'],
    answer: replaceErrorEverywhere('invalid_token', () =>
      jsonResponse(403, { error: 'forbidden' }),
    ),
  },
  {
    name: 'no-token-is-unauthorized',
    clause: '7',
    wrong: 'uses the code `unauthorized` for an invalid token',
    caughtBy: ['7-invalid-token-bad', '7-invalid-token-missing'],
    answer: replaceErrorEverywhere('invalid_token', (answer) =>
      withJson(answer, 'error', replaceWith('unauthorized')),
    ),
  },
  {
    name: 'scope-not-named',
    clause: '7',
    wrong: 'sends `insufficient_scope` without the missing scope',
    caughtBy: ['7-insufficient-scope'],
    answer: replaceErrorEverywhere('insufficient_scope', () =>
      jsonResponse(403, { error: 'insufficient_scope' }),
    ),
  },
  {
    name: 'wrong-scope-named',
    clause: '7',
    wrong: 'names a scope other than the missing one with `insufficient_scope`',
    caughtBy: ['7-insufficient-scope'],
    answer: replaceErrorEverywhere('insufficient_scope', (answer) =>
      withJson(answer, 'scope', replaceWith('inventory:write')),
    ),
  },
  {
    name: 'scope-beside-every-error',
    clause: '7',
    wrong: 'sends `scope` with errors other than `insufficient_scope`',
    caughtBy: ['7-invalid-request'],
    answer: replaceErrorEverywhere('invalid_request', (answer) =>
      withJson(answer, 'scope', replaceWith('inventory:read')),
    ),
  },
  {
    name: 'disabled-app-is-forbidden',
    clause: '7',
    wrong: 'returns 403 `forbidden` to a disabled app',
    caughtBy: ['7-client-disabled'],
    answer: replaceErrorEverywhere('client_disabled', () =>
      jsonResponse(403, { error: 'forbidden' }),
    ),
  },
  {
    name: 'disabled-app-is-401',
    clause: '3.1',
    wrong: 'returns 401 to a disabled app, which then drops its tokens',
    caughtBy: ['3.1-disabled'],
    answer: replaceErrorEverywhere('client_disabled', () =>
      jsonResponse(401, { error: 'invalid_token' }),
    ),
  },
  {
    name: 'ended-connection-is-401',
    clause: '3.1',
    wrong: 'returns 401 `invalid_token` when the connection has ended',
    caughtBy: ['3.1-ends', '3.1-revoked'],
    answer: replaceErrorEverywhere('connection_revoked', () =>
      jsonResponse(401, { error: 'invalid_token' }),
    ),
  },
  {
    name: 'unknown-address-is-405',
    clause: 'D10',
    wrong: 'returns 405 for unknown paths',
    caughtBy: ['D10-version-needed', 'D10-unknown-route'],
    answer: (answer, { request }) =>
      answer.status === 404 && !isRequestTo(request, 'GET /cards/:id')
        ? jsonResponse(405, { error: 'method_not_allowed' })
        : answer,
  },
  {
    name: 'method-not-allowed-without-allow',
    clause: 'D10',
    wrong: 'returns 405 without `Allow`',
    caughtBy: ['D10-method'],
    answer: (answer) => (answer.status === 405 ? withHeader(answer, 'allow', null) : answer),
  },
  {
    name: 'no-request-id',
    clause: 'D10',
    wrong: 'sends no `X-Request-Id`',
    caughtBy: ['D10-request-id'],
    answer: (answer) => withHeader(answer, 'x-request-id', null),
  },
  {
    name: 'no-challenge',
    clause: 'D8',
    wrong: 'sends 401 without `WWW-Authenticate`',
    caughtBy: ['D8-challenge', 'D8-client-authentication'],
    answer: (answer) =>
      answer.status === 401 ? withHeader(answer, 'www-authenticate', null) : answer,
  },
  {
    name: 'card-error-of-another-shape',
    clause: '4.9',
    wrong: 'returns 404 `card_not_found` for an unknown card',
    caughtBy: ['4.9-unknown'],
    answer: replaceError('GET /cards/:id', 'not_found', () =>
      jsonResponse(404, { error: 'card_not_found' }),
    ),
  },
];
