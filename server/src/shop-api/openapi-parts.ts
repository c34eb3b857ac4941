import { codeOfStatus } from '../http/errors.ts';
import { RESPONSE_EXAMPLES } from './examples.ts';
import { PAGE_LIMIT_MAX } from './page.ts';

export type Json = Readonly<Record<string, unknown>>;

export const ID = {
  name: 'id',
  in: 'path',
  required: true,
  description: 'A UUID that you choose. You can safely repeat the write with the same id.',
  schema: { type: 'string', format: 'uuid' },
};

export const LIST_PARAMETERS = [
  {
    name: 'cursor',
    in: 'query',
    description: 'The `nextCursor` of the previous page.',
    schema: { type: 'string' },
  },
  {
    name: 'limit',
    in: 'query',
    schema: { type: 'integer', minimum: 1, maximum: PAGE_LIMIT_MAX, default: 500 },
  },
];

const REFUSALS: Readonly<Record<number, string>> = {
  400: 'The request or one of its fields is not valid.',
  401: 'The key is missing or unknown.',
  404: 'The shop does not have this object.',
  408: 'The upload was too slow. Nothing was written.',
  409: 'The state of the object does not allow this.',
  413: 'The body is too large. Nothing was written.',
  415: 'The body has the wrong type.',
  422: 'A field refers to an object that does not exist.',
  429: 'Too many requests. Retry after the seconds in `Retry-After`.',
  500: 'The service failed. Every write can be repeated safely.',
  503: 'The service is busy. Retry after the seconds in `Retry-After`.',
};

export const HEADERS: Readonly<Record<string, Json>> = {
  'X-Request-Id': header('The id of this request. Quote it when you contact the operator.'),
  'RateLimit-Policy': header('The rate limits of the key (draft-ietf-httpapi-ratelimit-headers).'),
  RateLimit: header('How many requests remain within the rate limits.'),
  'Retry-After': header('The number of seconds to wait before a retry.'),
  ETag: header(
    'A strong entity tag of the photo, for both sizes: the `etag` in the unit’s `photos`.',
  ),
  'Last-Modified': header('When the photo was uploaded.'),
  Link: header('The documentation of the error code, with `rel="help"` (RFC 8288).'),
};
export const COMMON_HEADERS = ['X-Request-Id', 'RateLimit-Policy', 'RateLimit'];

export function pageResponse(name: string, component: string): Json {
  const schema = {
    type: 'object',
    required: [name, 'nextCursor', 'hasMore'],
    properties: {
      [name]: { type: 'array', items: refTo(component) },
      nextCursor: { type: ['string', 'null'] },
      hasMore: { type: 'boolean' },
    },
  };
  const example = { [name]: [RESPONSE_EXAMPLES[component]], nextCursor: null, hasMore: false };
  return jsonResponse('A page.', schema, example);
}

export function objectResponse(description: string, component: string): Json {
  return jsonResponse(description, refTo(component), RESPONSE_EXAMPLES[component]);
}

function jsonResponse(description: string, schema: Json, example: unknown): Json {
  return {
    description,
    headers: headerRefs(COMMON_HEADERS),
    content: jsonContent(schema, example),
  };
}

function refTo(component: string): Json {
  return { $ref: `#/components/schemas/${component}` };
}

/** Adds 500, which every operation can return. */
export function errorResponses(statuses: readonly number[]): Json {
  const entries = [...statuses, 500].map((status) => [
    status,
    errorResponse(status, REFUSALS[status] ?? 'Refused.'),
  ]);
  return Object.fromEntries(entries) as Json;
}

export function errorResponse(status: number, description: string): Json {
  const more = status === 429 || status === 503 ? ['Retry-After'] : [];
  const example = { error: codeOfStatus(status), detail: description };
  return {
    ...jsonResponse(description, refTo('Error'), example),
    headers: headerRefs([...COMMON_HEADERS, 'Link', ...more]),
  };
}

function header(description: string): Json {
  return { description, schema: { type: 'string' } };
}

export function headerRefs(headers: readonly string[]): Json {
  return Object.fromEntries(
    headers.map((name) => [name, { $ref: `#/components/headers/${name}` }]),
  );
}

export function jsonContent(schema: unknown, example: unknown): Json {
  return { 'application/json': { schema, example } };
}
