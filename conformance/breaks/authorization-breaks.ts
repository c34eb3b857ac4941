import { isObject } from '../expect.ts';
import type { Break, WireResponse } from './break.ts';
import {
  type ResponseHook,
  changeResponses,
  replaceWith,
  formOf,
  remove,
  changeJson,
  replaceError,
  isRequestTo,
  jsonResponse,
  parseJsonBody,
  withHeader,
  withJson,
} from './edits.ts';

const TOKEN = 'POST /auth/oauth2/token';
const REVOKE = 'POST /auth/oauth2/revoke';
const AUTHORIZE = 'GET /auth/oauth2/authorize';
const SERVER = 'GET /auth/.well-known/oauth-authorization-server';
const RESOURCE = 'GET /.well-known/oauth-protected-resource/partner/v1';

/** A made-up token response, whose tokens are not valid. */
const INVENTED = {
  access_token: 'cpa_invented0000000000000000000000000000000000',
  refresh_token: 'cpr_invented0000000000000000000000000000000000',
  token_type: 'Bearer',
  expires_in: 900,
  scope: 'offline_access purchase-boosts:read inventory:read',
};

/** Issues tokens for a request with this grant type that must be refused with `code`. */
function issueTokensDespite(code: string, grantType: string): ResponseHook {
  return replaceError(TOKEN, code, ({ request }, answer) =>
    formOf(request).get('grant_type') === grantType ? jsonResponse(200, INVENTED) : answer,
  );
}

/** Changes the parameters of the redirect back to the app. */
function changeRedirect(change: (query: URLSearchParams) => void): ResponseHook {
  return (answer, { request }) => {
    const location = answer.headers['location'];
    if (!request.target.startsWith('/auth/') || typeof location !== 'string') return answer;
    if (!URL.canParse(location)) return answer;
    const url = new URL(location);
    if (!url.searchParams.has('code') && !url.searchParams.has('error')) return answer;
    change(url.searchParams);
    return withHeader(answer, 'location', url.href);
  };
}

/** Shows a sign-in page for a request that must be refused. */
function redirectToSignIn(answer: WireResponse): WireResponse {
  return {
    status: 303,
    headers: { ...answer.headers, location: '/signin' },
    body: Buffer.alloc(0),
  };
}

/** Accepts authorization requests that must be refused with this error. */
function acceptDespite(error: string): ResponseHook {
  return (answer, { request }) => {
    const location = answer.headers['location'];
    if (!isRequestTo(request, AUTHORIZE) || typeof location !== 'string') return answer;
    if (!location.includes(`error=${error}`)) return answer;
    // Only a member's browser sends this header. The member has signed in, so redirect with a code.
    return 'accept-language' in request.headers
      ? withHeader(answer, 'location', location.replace(`error=${error}`, 'code=invented'))
      : redirectToSignIn(answer);
  };
}

/** Violations of the rules for the authorization flow and its tokens (specification 5). */
export const authorizationBreaks: readonly Break[] = [
  {
    name: 'issuer-of-another-address',
    clause: '5.1',
    wrong: 'names a different issuer in its metadata',
    caughtBy: ['5.1-server-metadata'],
    answer: changeJson(SERVER, 'issuer', (issuer) => `${String(issuer)}/`),
  },
  {
    name: 'token-address-not-told',
    clause: '5.1',
    wrong: 'omits `token_endpoint` from its metadata',
    caughtBy: ['5.1-server-abilities', '5.1-server-metadata'],
    answer: changeJson(SERVER, 'token_endpoint', remove),
  },
  {
    name: 'revocation-address-not-told',
    clause: 'D8',
    wrong: 'omits `revocation_endpoint` from its metadata',
    caughtBy: ['D8-metadata-alone'],
    answer: changeJson(SERVER, 'revocation_endpoint', remove),
  },
  {
    name: 'plain-challenges-offered',
    clause: '5',
    wrong: 'offers the PKCE method `plain` too',
    caughtBy: ['5.1-server-abilities'],
    answer: changeJson(SERVER, 'code_challenge_methods_supported', replaceWith(['S256', 'plain'])),
  },
  {
    name: 'scope-not-told',
    clause: 'D8',
    wrong: 'omits `offline_access` from its scopes',
    caughtBy: ['D8-metadata-scopes'],
    answer: changeJson(SERVER, 'scopes_supported.*', (scope) =>
      scope === 'offline_access' ? remove() : scope,
    ),
  },
  {
    name: 'resource-of-another-address',
    clause: '5.1',
    wrong: 'names another resource in the protected resource metadata',
    caughtBy: ['5.1-resource-metadata', '9-in-resource'],
    answer: changeJson(RESOURCE, 'resource', (resource) => `${String(resource)}/`),
  },
  {
    name: 'resource-of-no-server',
    clause: '5.1',
    wrong: 'does not name the authorization server of the resource',
    caughtBy: ['5.1-resource-metadata'],
    answer: changeJson(RESOURCE, 'authorization_servers', replaceWith([])),
  },
  {
    name: 'refresh-token-for-everyone',
    clause: '5.2',
    wrong: 'issues a refresh token without `offline_access`',
    caughtBy: ['5.2-no-offline-access'],
    answer: changeResponses(TOKEN, (answer) =>
      withJson(answer, 'refresh_token', (token) => token ?? INVENTED.refresh_token),
    ),
  },
  {
    name: 'no-refresh-token',
    clause: '5.2',
    wrong: 'issues no refresh token with `offline_access`',
    caughtBy: ['5.2-offline-access'],
    answer: changeJson(TOKEN, 'refresh_token', remove),
  },
  {
    name: 'scope-not-allowed-is-access-denied',
    clause: '5.2',
    wrong: 'returns `access_denied` for a scope that was not allowed at registration',
    caughtBy: ['5.2-not-allowed', '5.2-unknown'],
    answer: changeRedirect((query) => {
      if (query.get('error') === 'invalid_scope') query.set('error', 'access_denied');
    }),
  },
  {
    name: 'scope-not-allowed-is-taken',
    clause: '5.2',
    wrong: 'accepts a scope that was not allowed at registration',
    caughtBy: ['5.2-not-allowed', '5.2-unknown'],
    answer: acceptDespite('invalid_scope'),
  },
  {
    name: 'state-dropped',
    clause: '5.3',
    wrong: 'does not send `state` back with the code',
    caughtBy: ['5.3-state-as-sent', '5.3-returns'],
    answer: changeRedirect((query) => query.delete('state')),
  },
  {
    name: 'state-changed',
    clause: '5.3',
    wrong: 'sends `state` back in lower case',
    caughtBy: ['5.3-returns', '5.3-denied'],
    answer: changeRedirect((query) => query.set('state', (query.get('state') ?? '').toLowerCase())),
  },
  {
    name: 'state-dropped-with-errors',
    clause: '5.3',
    wrong: 'does not send `state` back with an error',
    caughtBy: ['5.3-denied', '5.2-not-allowed'],
    answer: changeRedirect((query) => {
      if (query.has('error')) query.delete('state');
    }),
  },
  {
    name: 'issuer-not-sent-back',
    clause: 'D8',
    wrong: 'does not send `iss` back with the code',
    caughtBy: ['D8-issuer'],
    answer: changeRedirect((query) => query.delete('iss')),
  },
  {
    name: 'no-challenge-needed',
    clause: '5.3',
    wrong: 'accepts authorization requests without PKCE',
    caughtBy: ['5-pkce-required', '5-pkce-s256-only'],
    answer: acceptDespite('invalid_request'),
  },
  {
    name: 'any-resource-asked',
    clause: 'D8',
    wrong: 'accepts authorization requests for another resource or without a resource',
    caughtBy: ['D8-resource-at-authorize'],
    answer: acceptDespite('invalid_target'),
  },
  {
    name: 'any-resource-exchanged',
    clause: 'D8',
    wrong: 'exchanges a code for another resource or without a resource',
    caughtBy: ['D8-resource-at-exchange'],
    answer: issueTokensDespite('invalid_target', 'authorization_code'),
  },
  {
    name: 'any-resource-refreshed',
    clause: 'D8',
    wrong: 'refreshes a token for another resource or without a resource',
    caughtBy: ['D8-resource-at-refresh'],
    answer: issueTokensDespite('invalid_target', 'refresh_token'),
  },
  {
    name: 'any-verifier-taken',
    clause: '5.3',
    wrong: 'does not compare the code verifier, and lets a code be used twice',
    caughtBy: [
      '5.3-challenge-is-hash',
      '5.3-code-of-another-app',
      '5.3-verifier',
      '5.3-redirect-uri',
      '5.3-code-once',
      '5.3-invented-code',
    ],
    answer: issueTokensDespite('invalid_grant', 'authorization_code'),
  },
  {
    name: 'any-secret-taken',
    clause: '5.3',
    wrong: 'accepts any client secret',
    caughtBy: ['5.3-wrong-secret'],
    answer: replaceError(TOKEN, 'invalid_client', () => jsonResponse(200, INVENTED)),
  },
  {
    name: 'bad-client-is-400',
    clause: 'D8',
    wrong: 'returns 400 when client authentication fails',
    caughtBy: ['D8-client-authentication', 'D8-not-spent', 'D8-secret-in-body'],
    answer: replaceError(TOKEN, 'invalid_client', () =>
      jsonResponse(400, { error: 'invalid_client' }),
    ),
  },
  {
    name: 'an-hour-of-access',
    clause: '5.4',
    wrong: 'sends `expires_in` 3600',
    caughtBy: ['5.4-refresh'],
    answer: changeJson(TOKEN, 'expires_in', replaceWith(3600)),
  },
  {
    name: 'lifetime-as-text',
    clause: '5.3',
    wrong: 'sends `expires_in` as a string',
    caughtBy: ['5.3-token-answer', '5.3-basic-encoded'],
    answer: changeJson(TOKEN, 'expires_in', String),
  },
  {
    name: 'tokens-of-no-type',
    clause: '5.3',
    wrong: 'omits `token_type`',
    caughtBy: ['5.3-token-answer'],
    answer: changeJson(TOKEN, 'token_type', remove),
  },
  {
    name: 'scope-not-answered',
    clause: '5.3',
    wrong: 'omits `scope` from the token response',
    caughtBy: ['5.3-token-answer'],
    answer: changeJson(TOKEN, 'scope', remove),
  },
  {
    name: 'no-rotation',
    clause: '5.4',
    wrong: 'returns the same refresh token at every refresh',
    caughtBy: ['5.4-rotates'],
    answer: changeResponses(TOKEN, (answer, { request }) => {
      const form = formOf(request);
      return form.get('grant_type') === 'refresh_token'
        ? withJson(answer, 'refresh_token', replaceWith(form.get('refresh_token')))
        : answer;
    }),
  },
  {
    name: 'refresh-token-works-twice',
    clause: '5.4',
    wrong: 'accepts a refresh token that was used',
    caughtBy: ['5.4-refresh-needs-app', '5.4-rotated-is-spent'],
    answer: issueTokensDespite('invalid_grant', 'refresh_token'),
  },
  {
    name: 'refresh-without-a-new-one',
    clause: '5.4',
    wrong: 'returns no new refresh token at a refresh',
    caughtBy: ['5.4-rotates'],
    answer: changeResponses(TOKEN, (answer, { request }) =>
      formOf(request).get('grant_type') === 'refresh_token'
        ? withJson(answer, 'refresh_token', remove)
        : answer,
    ),
  },
  {
    name: 'old-access-token-after-refresh',
    clause: '5.4',
    wrong: 'returns the old access token at a refresh',
    caughtBy: ['5.4-refresh'],
    answer: changeResponses(TOKEN, (answer, { memory }) => {
      const value = parseJsonBody(answer);
      const received = isObject(value) ? value['access_token'] : undefined;
      const firstToken = memory.get('access') ?? received;
      memory.set('access', firstToken);
      return withJson(answer, 'access_token', replaceWith(firstToken));
    }),
  },
  {
    name: 'revocation-does-nothing',
    clause: 'D8',
    wrong: 'responds to revocation requests, but revokes nothing',
    caughtBy: ['D8-revocation', 'D8-revocation-authenticates', 'D8-revocation-ends-connection'],
    request: ({ request }) =>
      isRequestTo(request, REVOKE)
        ? {
            status: 200,
            headers: { 'cache-control': 'no-store', 'x-request-id': 'abcdefghijklmnopqr' },
            body: Buffer.alloc(0),
          }
        : request,
  },
  {
    name: 'unknown-token-not-revoked',
    clause: 'D8',
    wrong: 'returns 400 when an unknown token is revoked',
    caughtBy: ['D8-revocation-unknown'],
    answer: (answer, { request }) =>
      isRequestTo(request, REVOKE) && /^(?!cp[ar]_)/.test(formOf(request).get('token') ?? '')
        ? jsonResponse(400, { error: 'invalid_request' })
        : answer,
  },
];
