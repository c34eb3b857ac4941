import { isObject } from '../expect.ts';
import type { Break, Call, WireResponse, WireRequest } from './break.ts';
import {
  changeResponses,
  replaceWith,
  formOf,
  remove,
  changeJson,
  isRequestTo,
  jsonResponse,
  parseJsonBody,
  queryOf,
  changeRequests,
  withHeader,
  withJson,
} from './edits.ts';

const CHANGES = 'GET /inventory/changes';
const SEARCH = 'GET /cards';
const AUTHORIZE = 'GET /auth/oauth2/authorize';
const TOKEN = 'POST /auth/oauth2/token';
const SERVER = 'GET /auth/.well-known/oauth-authorization-server';

/**
 * A difference that the specification allows. It has no `caughtBy`, because every test must pass.
 */
export type PermittedDifference = Omit<Break, 'wrong' | 'caughtBy' | 'clause'>;

/** The `names` of a target with these differences. */
export const permittedNames = { changesMember: 'records', limitParameter: null } as const;

/** Returns whether a member's browser sent the request: only browsers send Accept-Language. */
function isBrowser({ headers }: WireRequest): boolean {
  return 'accept-language' in headers;
}

/** Returns the key under which the code or refresh token of a refused request is remembered. */
function spentKey(request: WireRequest): string {
  const form = formOf(request);
  return `spent ${form.get('code') ?? form.get('refresh_token') ?? ''}`;
}

/** Differences in resources and endpoints. */
const ofEndpoints: readonly PermittedDifference[] = [
  {
    name: 'feed-knows-no-limit',
    request: changeRequests(CHANGES, ({ request }) =>
      queryOf(request).has('limit') ? jsonResponse(400, { error: 'invalid_request' }) : request,
    ),
  },
  {
    name: 'list-of-the-feed-is-records',
    answer: changeJson(CHANGES, '', (page) => {
      if (!isObject(page)) return page;
      const { changes, ...others } = page;
      return { records: changes, ...others };
    }),
  },
  {
    name: 'product-is-sealed',
    answer: changeJson('GET /purchase-boosts', 'boosts.*.target.kind', (kind) =>
      kind === 'product' ? 'sealed' : kind,
    ),
  },
  {
    name: 'site-without-optional-fields',
    answer: changeJson('GET /inventory/sites', 'sites.*.countryCode', remove),
  },
  {
    name: 'location-without-optional-fields',
    answer: changeJson('GET /inventory/sites', 'sites.*.locations.*.createdAt', remove),
  },
  { name: 'card-without-variant', answer: changeJson('GET /cards/:id', 'variant', remove) },
  { name: 'found-card-without-variant', answer: changeJson(SEARCH, 'cards.*.variant', remove) },
  {
    name: 'either-scope-names-inventory',
    answer: (answer, { request }) =>
      request.target.startsWith('/partner/v1/connection') && answer.status === 403
        ? withJson(answer, 'scope', (scope) => (scope === undefined ? undefined : 'inventory:read'))
        : answer,
  },
  {
    name: 'connected-with-202-and-the-slug',
    answer: changeResponses('POST /connection', (answer) => {
      const created = parseJsonBody(answer);
      const tenant = isObject(created) ? created['tenant'] : null;
      return jsonResponse(202, { shop: isObject(tenant) ? tenant['slug'] : null });
    }),
  },
  {
    name: 'ended-with-202',
    answer: changeResponses('DELETE /connection', () => jsonResponse(202, {})),
  },
  {
    name: 'webhook-removed-with-200',
    answer: changeResponses('DELETE /webhook', () => jsonResponse(200, { webhook: null })),
  },
  {
    name: 'search-refused-with-422',
    answer: (answer, { request }) =>
      isRequestTo(request, SEARCH) && answer.status === 400
        ? jsonResponse(422, { error: 'invalid_search' })
        : answer,
  },
  {
    name: 'no-url-is-400',
    request: changeRequests('PUT /webhook', ({ request }) => {
      const body = parseJsonBody(request);
      const url = isObject(body) ? body['url'] : undefined;
      return typeof url === 'string' && !URL.canParse(url)
        ? jsonResponse(400, { error: 'invalid_request' })
        : request;
    }),
  },
  {
    name: 'version-2-is-there-too',
    request: ({ request }) =>
      request.target.startsWith('/partner/v2/') ? jsonResponse(200, { id: 'x' }) : request,
  },
  {
    name: 'signature-in-capitals',
    notice: (notice) => ({
      ...notice,
      headers: {
        ...notice.headers,
        'x-service-signature': String(notice.headers['x-service-signature']).replace(
          /[0-9a-f]{64}$/,
          (digits) => digits.toUpperCase(),
        ),
      },
    }),
  },
];

/** Differences in the authorization server. */
const ofAuthorization: readonly PermittedDifference[] = [
  {
    name: 'sign-in-page-at-once',
    request: changeRequests(AUTHORIZE, ({ request }) =>
      isBrowser(request)
        ? request
        : {
            status: 200,
            headers: { 'content-type': 'text/html', 'cache-control': 'no-store' },
            body: Buffer.from('<title>Sign in</title>'),
          },
    ),
  },
  {
    name: 'error-in-the-fragment',
    answer: (answer, { request }) => {
      const location = String(answer.headers['location'] ?? '');
      const type = queryOf(request).get('response_type') ?? '';
      return isRequestTo(request, AUTHORIZE) && type.includes('token')
        ? withHeader(answer, 'location', location.replace('?', '#'))
        : answer;
    },
  },
  {
    name: 'state-of-ascii-alone',
    request: changeRequests(AUTHORIZE, ({ request }) =>
      /[^ -~]/.test(queryOf(request).get('state') ?? '')
        ? jsonResponse(400, { error: 'invalid_request' })
        : request,
    ),
  },
  {
    name: 'metadata-without-methods',
    answer: changeJson(SERVER, 'token_endpoint_auth_methods_supported', remove),
  },
  {
    name: 'metadata-without-revocation',
    answer: changeJson(SERVER, 'revocation_endpoint', remove),
  },
  {
    name: 'metadata-with-another-grant',
    answer: changeJson(
      SERVER,
      'grant_types_supported',
      replaceWith(['authorization_code', 'refresh_token', 'client_credentials']),
    ),
  },
  {
    name: 'refusal-spends-what-it-refused',
    request: changeRequests(TOKEN, ({ request, memory }) =>
      memory.has(spentKey(request)) ? jsonResponse(400, { error: 'invalid_grant' }) : request,
    ),
    answer: (answer, { request, memory }) => {
      if (isRequestTo(request, TOKEN) && answer.status >= 400) memory.set(spentKey(request), true);
      return answer;
    },
  },
  {
    name: 'wrong-secret-is-400',
    answer: (answer, { request }) =>
      isRequestTo(request, TOKEN) && answer.status === 401 ? { ...answer, status: 400 } : answer,
  },
];

/** All differences that the specification allows and that real servers have. */
export const allPermitted: readonly PermittedDifference[] = [...ofEndpoints, ...ofAuthorization];

/** Combines several differences in order: each one changes the result of the earlier ones. */
export function combineDifferences(name: string, rules: readonly PermittedDifference[]): Break {
  return {
    name,
    clause: 'open',
    wrong: 'decides differently where the specification leaves a choice',
    caughtBy: [],
    request: (call) => {
      let sent: WireRequest | WireResponse = call.request;
      for (const { request } of rules) {
        if ('status' in sent) return sent;
        sent = request?.({ ...call, request: sent }) ?? sent;
      }
      return sent;
    },
    answer: async (answer, call: Call) => {
      let last = answer;
      for (const rule of rules) last = (await rule.answer?.(last, call)) ?? last;
      return last;
    },
    notice: (notice, memory) =>
      rules.reduce((last, rule) => rule.notice?.(last, memory) ?? last, notice),
  };
}
