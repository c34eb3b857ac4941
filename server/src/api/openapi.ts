import type { Scope } from '../apps/scope.ts';
import type { ResponseDocs } from './endpoint-docs.ts';
import type { Endpoint } from './endpoint.ts';
import { ENDPOINTS } from './endpoints.ts';
import { errorExample, EXAMPLES } from './examples.ts';
import { WEBHOOKS } from './openapi-webhooks.ts';
import { COMPONENTS } from './schemas.ts';

type Json = Readonly<Record<string, unknown>>;

const SCOPE_TEXTS: Readonly<Record<Scope, string>> = {
  openid: 'The member who approved the app',
  profile: 'The name of the member who approved the app',
  offline_access: 'A refresh token',
  'purchase-boosts:read': 'Read the shop’s buy boosts',
  'inventory:read': 'Read the shop’s stock, sites and photos',
};

/** The descriptions of the tags. A tag is the first segment of a path. */
const TAGS: Readonly<Record<string, string>> = {
  connection: 'Create, show and end the app’s connection to the shop that approved it.',
  'purchase-boosts': 'Cards and products that the shop buys above its usual price.',
  inventory: 'Sites, storage locations and units: the change feed and photos.',
  cards: 'The card catalog.',
  webhook: 'The URL that is notified when stock changes.',
};

/** Every endpoint has these refusals (spec 7, decision 0008), in the order of the checks. */
const COMMON_REFUSALS: readonly (readonly [number, string])[] = [
  [401, 'invalid_token'],
  [429, 'rate_limited'],
  [403, 'client_disabled'],
  [403, 'connection_revoked'],
  [403, 'forbidden'],
  [403, 'insufficient_scope'],
  [500, 'server_error'],
  [503, 'temporarily_unavailable'],
];

const STATUS_TEXTS: Readonly<Record<number, string>> = {
  400: 'A parameter or the body is not valid.',
  401: 'The token is missing, expired, revoked, or for another resource.',
  403: 'Not permitted. The code says why.',
  404: 'The object does not exist.',
  410: 'The cursor has expired because the database was restored. Read again from the beginning.',
  413: 'The body has more than 16 KiB.',
  415: 'The body is not JSON.',
  422: 'The value is not acceptable.',
  429: 'Too many requests. Retry after the seconds in `Retry-After`.',
  500: 'The service failed.',
  503: 'The service is unavailable. Retry after the seconds in `Retry-After`.',
};

/** The OpenAPI 3.1 document of the Partner API as JSON, from the endpoints and schemas. */
export function renderPartnerOpenapi(publicUrl: string, baseUrl: string): string {
  const paths: Record<string, Record<string, Json>> = {};
  for (const endpoint of ENDPOINTS) {
    const path = endpoint.path.replaceAll(/:([a-z]+)/gi, '{$1}');
    paths[path] = { ...paths[path], [endpoint.method.toLowerCase()]: describeEndpoint(endpoint) };
  }
  return JSON.stringify({
    openapi: '3.1.0',
    info: {
      title: 'Cardport Partner API',
      version: '1',
      description:
        'Lets an app act for one shop, after a member of that shop has approved it. Every response has the headers `Cache-Control: no-store` and `X-Request-Id`. An unknown path gets 404 `not_found`, and a method that a path does not support gets 405 `method_not_allowed`.',
      license: { name: 'Apache License 2.0', identifier: 'Apache-2.0' },
    },
    externalDocs: { description: 'Guides', url: `${publicUrl}/docs` },
    servers: [{ url: baseUrl }],
    tags: [...new Set(ENDPOINTS.map(tagOf))].map((name) => ({ name, description: TAGS[name] })),
    paths,
    webhooks: WEBHOOKS,
    components: {
      schemas: COMPONENTS,
      headers: HEADERS,
      securitySchemes: { oauth: describeOauth(publicUrl) },
    },
  });
}

function tagOf({ path }: Endpoint): string {
  return path.split('/')[1] ?? '';
}

const HEADERS: Readonly<Record<string, Json>> = {
  'X-Request-Id': header('The id of this request. Quote it when you contact the operator.'),
  'RateLimit-Policy': header('The rate limits (draft-ietf-httpapi-ratelimit-headers).'),
  RateLimit: header('How many requests remain within the rate limits.'),
  'Retry-After': header('The number of seconds to wait before a retry.'),
  'WWW-Authenticate': header('What is wrong with the token (RFC 6750, RFC 9728).'),
  ETag: header('A strong entity tag of the image.'),
  'Last-Modified': header('When the photo was uploaded.'),
  Location: header('The URL of the created object.'),
  Link: header('The documentation of the error code, with `rel="help"` (RFC 8288).'),
};

function header(description: string): Json {
  return { description, schema: { type: 'string' } };
}

function describeEndpoint(endpoint: Endpoint): Json {
  const { docs } = endpoint;
  const parameters = [
    ...describePath(endpoint),
    ...docs.query.map((parameter) => ({ ...parameter, in: 'query' })),
    ...(docs.headers ?? []).map((parameter) => ({ ...parameter, in: 'header' })),
  ];
  return {
    tags: [tagOf(endpoint)],
    operationId: docs.operationId,
    summary: docs.summary,
    description: docs.description,
    // Any one of the listed requirements is enough.
    security: endpoint.scopes.map((scope) => ({ oauth: [scope] })),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(endpoint.body === 'json' ? { requestBody: describeBody(docs.requestBody) } : {}),
    responses: { ...describeResponses(endpoint), ...describeRefusals(endpoint) },
  };
}

function describePath({ path, docs }: Endpoint): Json[] {
  return [...path.matchAll(/:([a-z]+)/gi)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema: docs.path?.[name] ?? { type: 'string', ...(name === 'id' ? { format: 'uuid' } : {}) },
  }));
}

function describeBody(component: keyof typeof COMPONENTS | undefined): Json {
  if (component === undefined) {
    return { required: false, content: jsonOf({ type: 'object' }, { example: {} }) };
  }
  return { required: true, content: contentOf(component) };
}

function contentOf(component: keyof typeof COMPONENTS): Json {
  const schema = { $ref: `#/components/schemas/${component}` };
  return jsonOf(schema, { example: EXAMPLES[component] });
}

function describeResponses({ docs }: Endpoint): Json {
  const isPicture = Object.values(docs.responses).some(
    ({ contentTypes }) => contentTypes !== undefined,
  );
  const responses = Object.entries(docs.responses).map(([status, response]): [string, Json] => [
    status,
    {
      description: response.description,
      headers: headersOf(Number(status), isPicture ? ['ETag', 'Last-Modified'] : []),
      ...describeContent(response),
    },
  ]);
  return Object.fromEntries(responses);
}

/** Binary data is described only by its content type (OpenAPI 3.1). */
function describeContent({ schema, contentTypes }: ResponseDocs): Json {
  if (contentTypes !== undefined) {
    return { content: Object.fromEntries(contentTypes.map((type) => [type, {}])) };
  }
  return schema === null ? {} : { content: contentOf(schema) };
}

function describeRefusals({ docs }: Endpoint): Json {
  const codes = new Map<number, string[]>();
  for (const [status, code] of [...COMMON_REFUSALS, ...docs.refusals]) {
    codes.set(status, [...(codes.get(status) ?? []), code]);
  }
  const texts = new Map(docs.refusals.map(([status, , text]) => [status, text]));
  const refusals = [...codes].map(([status, names]): [string, Json] => [
    String(status),
    {
      description: `${texts.get(status) ?? STATUS_TEXTS[status] ?? ''} \`${names.join('`, `')}\``,
      headers: headersOf(status),
      // Not an enum, because a status may get new codes (docs/versions.md).
      content: jsonOf(
        { $ref: '#/components/schemas/Error' },
        {
          examples: Object.fromEntries(names.map((name) => [name, { value: errorExample(name) }])),
        },
      ),
    },
  ]);
  return Object.fromEntries(refusals);
}

function headersOf(status: number, more: readonly string[] = []): Json {
  const names = ['X-Request-Id', 'RateLimit-Policy', 'RateLimit', ...more];
  if (status === 201) names.push('Location');
  if (status >= 400) names.push('Link');
  if (status === 401 || status === 403) names.push('WWW-Authenticate');
  if (status === 429 || status === 503) names.push('Retry-After');
  const refs = names.map((name): [string, Json] => [
    name,
    { $ref: `#/components/headers/${name}` },
  ]);
  return Object.fromEntries(refs);
}

function jsonOf(schema: Json, examples: Json): Json {
  return { 'application/json': { schema, ...examples } };
}

function describeOauth(publicUrl: string): Json {
  return {
    type: 'oauth2',
    description:
      'Authorization code with PKCE (S256) and `resource` set to the address of this API.',
    flows: {
      authorizationCode: {
        authorizationUrl: `${publicUrl}/auth/oauth2/authorize`,
        tokenUrl: `${publicUrl}/auth/oauth2/token`,
        refreshUrl: `${publicUrl}/auth/oauth2/token`,
        scopes: SCOPE_TEXTS,
      },
    },
  };
}
