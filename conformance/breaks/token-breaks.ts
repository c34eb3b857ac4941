import { isObject } from '../expect.ts';
import type { Break } from './break.ts';
import {
  replaceWith,
  formOf,
  remove,
  changeJson,
  isRequestTo,
  jsonResponse,
  parseJsonBody,
  pathOf,
  changeRequests,
  withHeader,
  withJson,
} from './edits.ts';

const TOKEN = 'POST /auth/oauth2/token';
const SERVER = 'GET /auth/.well-known/oauth-authorization-server';
const RESOURCE = 'GET /.well-known/oauth-protected-resource/partner/v1';

/** Violations of the rules for tokens and metadata (decision 8). */
export const tokenBreaks: readonly Break[] = [
  {
    name: 'id-token-of-nothing',
    clause: 'D8',
    wrong: 'sends an unsigned `id_token`',
    caughtBy: ['D8-id-token'],
    answer: changeJson(TOKEN, 'id_token', (token) => (token === undefined ? undefined : 'a.b.c')),
  },
  {
    name: 'exchange-without-redirect-uri',
    clause: 'D8',
    wrong: 'exchanges a code without its `redirect_uri`',
    caughtBy: ['D8-redirect-uri-again'],
    request: changeRequests(TOKEN, ({ request }) => {
      const form = formOf(request);
      if (form.get('grant_type') !== 'authorization_code' || form.has('redirect_uri')) {
        return request;
      }
      form.set('redirect_uri', 'https://app.example/callback');
      return { ...request, body: Buffer.from(form.toString()) };
    }),
  },
  {
    name: 'replay-without-end',
    clause: 'D8',
    wrong: 'repeats the response of a refresh after the new refresh token was used',
    caughtBy: ['D8-replay-ends', 'D8-idempotent-refresh'],
    answer: (answer, { request, memory }) => {
      const key = request.headers['idempotency-key'];
      if (!isRequestTo(request, TOKEN) || typeof key !== 'string') return answer;
      const known = memory.get(key) ?? parseJsonBody(answer);
      memory.set(key, known);
      return answer.status === 200 ? answer : jsonResponse(200, known);
    },
  },
  {
    name: 'disabled-app-cannot-revoke',
    clause: 'D8',
    wrong: 'does not allow a disabled app to revoke its tokens',
    caughtBy: ['D8-disabled-elsewhere'],
    answer: (answer, { request, memory }) => {
      // For a disabled app, the authorization endpoint responds with an error page.
      if (isRequestTo(request, 'GET /auth/oauth2/authorize')) {
        memory.set('isOff', answer.status >= 400);
      }
      return isRequestTo(request, 'POST /auth/oauth2/revoke') && memory.get('isOff') === true
        ? jsonResponse(400, { error: 'unauthorized_client', error_description: 'It is disabled.' })
        : answer;
    },
  },
  {
    name: 'errors-without-description',
    clause: 'D8',
    wrong: 'sends no description with errors of the token endpoint',
    caughtBy: ['D8-error-description'],
    answer: (answer, { request }) =>
      isRequestTo(request, TOKEN) && answer.status >= 400
        ? withJson(answer, 'error_description', remove)
        : answer,
  },
  {
    name: 'challenge-at-one-place',
    clause: 'D8',
    wrong: 'sends `WWW-Authenticate` with the 401 of `GET /connection` only',
    caughtBy: ['D8-challenge-everywhere'],
    answer: (answer, { request }) =>
      answer.status === 401 &&
      pathOf(request).startsWith('/partner/') &&
      !isRequestTo(request, 'GET /connection')
        ? withHeader(answer, 'www-authenticate', null)
        : answer,
  },
  {
    name: 'bare-server-metadata',
    clause: 'D8',
    wrong: 'omits `iss`, keys, response modes and revocation from its metadata',
    caughtBy: ['D8-metadata-server', 'D8-metadata-inserted'],
    answer: changeJson(SERVER, '', (metadata) => {
      if (!isObject(metadata)) return metadata;
      const {
        authorization_response_iss_parameter_supported: _iss,
        jwks_uri: _keys,
        response_modes_supported: _modes,
        revocation_endpoint_auth_methods_supported: _methods,
        ...others
      } = metadata;
      return others;
    }),
  },
  {
    name: 'another-issuer',
    clause: '5.1',
    wrong: 'names a different issuer in its metadata',
    caughtBy: ['5.1-server-metadata', 'D8-metadata-server'],
    answer: changeJson(SERVER, 'issuer', replaceWith('https://other.example/auth')),
  },
  {
    name: 'bare-resource-metadata',
    clause: 'D8',
    wrong: 'omits scopes and bearer methods from the resource’s metadata',
    caughtBy: ['D8-metadata-resource'],
    answer: changeJson(RESOURCE, '', (metadata) =>
      isObject(metadata)
        ? {
            resource: metadata['resource'],
            authorization_servers: metadata['authorization_servers'],
          }
        : metadata,
    ),
  },
  {
    name: 'resource-without-version',
    clause: '9',
    wrong: 'names a resource without the version segment in its metadata',
    caughtBy: ['9-in-resource'],
    answer: changeJson(RESOURCE, 'resource', (resource) => String(resource).replace('/v1', '')),
  },
  {
    name: 'uuid-in-lower-case',
    clause: '4.9',
    wrong: 'finds no card by an upper-case uuid',
    caughtBy: ['4.9-upper-case'],
    request: changeRequests('GET /cards/:id', ({ request }) =>
      /[A-F]/.test(pathOf(request)) ? jsonResponse(404, { error: 'not_found' }) : request,
    ),
  },
];
