import { isObject } from '../expect.ts';
import type { Break, Call, WireResponse, WireRequest } from './break.ts';

/** Changes a response. */
export type ResponseHook = NonNullable<Break['answer']>;
type RequestHook = NonNullable<Break['request']>;
/** Changes a value; returning `REMOVED` removes the value. */
export type Change = (value: unknown) => unknown;

/** A change that returns this removes the value from its object or list. */
export const REMOVED: unique symbol = Symbol('removed');
/** A change that removes the value. */
export function remove(): unknown {
  return REMOVED;
}

/** Returns a change that replaces the value with this one. */
export function replaceWith(value: unknown): Change {
  return () => value;
}

/** Returns a change that applies to lists and leaves other values alone. */
export function changeList(change: (list: readonly unknown[]) => readonly unknown[]): Change {
  return (value) => (Array.isArray(value) ? change(value) : value);
}

/**
 * Applies a change at a path of member names separated by dots, with `*` for every element. Skips
 * missing values, except that it passes `undefined` to the change if only the last member is
 * missing.
 */
export function changeAt(value: unknown, path: string, change: Change): unknown {
  return edit(value, path === '' ? [] : path.split('.'), change);
}

function edit(value: unknown, [name, ...rest]: readonly string[], change: Change): unknown {
  if (name === undefined) return change(value);
  if (name === '*') {
    if (!Array.isArray(value)) return value;
    return value
      .map((each: unknown) => edit(each, rest, change))
      .filter((each) => each !== REMOVED);
  }
  if (!isObject(value) || (rest.length > 0 && !(name in value))) return value;
  const { [name]: old, ...others } = value;
  const changed = edit(old, rest, change);
  if (changed === REMOVED || changed === undefined) return others;
  // This keeps the order of the members.
  return { ...value, [name]: changed };
}

const PARTNER_PATH = '/partner/v1';
/** Paths that begin at the root instead of `{base_url}`. */
const ABSOLUTE = /^\/(auth|\.well-known)\//;

/**
 * The pattern of each endpoint's method and path, cached because hundreds of breaks check each
 * request.
 */
const patterns = new Map<string, RegExp>();

/**
 * Returns whether the request is for this endpoint: `GET /cards/:id` below `{base_url}`, `POST
 * /auth/oauth2/token` below the root.
 */
export function isRequestTo(request: WireRequest, endpoint: string): boolean {
  const pattern = patterns.get(endpoint) ?? patternOf(endpoint);
  patterns.set(endpoint, pattern);
  return pattern.test(`${request.method} ${pathOf(request)}`);
}

function patternOf(endpoint: string): RegExp {
  const [method = '', path = ''] = endpoint.split(' ');
  const whole = ABSOLUTE.test(path) ? path : `${PARTNER_PATH}${path}`;
  const pattern = whole.replaceAll('.', String.raw`\.`).replaceAll(/:\w+/g, '[^/]+');
  return new RegExp(`^${method} ${pattern}$`);
}

export function pathOf({ target }: WireRequest): string {
  return target.split('?')[0] ?? '';
}

export function queryOf({ target }: WireRequest): URLSearchParams {
  return new URLSearchParams(target.split('?')[1] ?? '');
}

/** Returns the request with a changed query. */
export function withQuery(
  request: WireRequest,
  change: (query: URLSearchParams) => void,
): WireRequest {
  const query = queryOf(request);
  change(query);
  const text = query.toString();
  return { ...request, target: `${pathOf(request)}${text === '' ? '' : `?${text}`}` };
}

/** Returns the form of a token request. */
export function formOf({ body }: WireRequest): URLSearchParams {
  return new URLSearchParams(body.toString());
}

/** Returns a JSON response with the headers that every response has. */
export function jsonResponse(status: number, value: unknown): WireResponse {
  return {
    status,
    headers: {
      'cache-control': 'no-store',
      'content-type': 'application/json; charset=utf-8',
      'x-request-id': 'abcdefghijklmnopqr',
    },
    body: Buffer.from(JSON.stringify(value)),
  };
}

/** Returns undefined when the body is not JSON. */
export function parseJsonBody({ headers, body }: Pick<WireResponse, 'headers' | 'body'>): unknown {
  if (!String(headers['content-type']).startsWith('application/json') || body.length === 0) {
    return undefined;
  }
  const value: unknown = JSON.parse(body.toString());
  return value;
}

/** Returns the response after applying a change at a path of its JSON. */
export function withJson(answer: WireResponse, path: string, change: Change): WireResponse {
  const value = parseJsonBody(answer);
  if (value === undefined) return answer;
  return { ...answer, body: Buffer.from(JSON.stringify(changeAt(value, path, change))) };
}

/** Changes the successful responses of one or several endpoints. */
export function changeResponses(
  endpoints: string | readonly string[],
  change: ResponseHook,
): ResponseHook {
  return (answer, call) => {
    const isMatch = [endpoints].flat().some((endpoint) => isRequestTo(call.request, endpoint));
    return isMatch && answer.status < 300 ? change(answer, call) : answer;
  };
}

/** Changes the JSON of successful responses at a path. */
export function changeJson(
  endpoints: string | readonly string[],
  path: string,
  change: Change,
): ResponseHook {
  return changeResponses(endpoints, (answer) => withJson(answer, path, change));
}

/** Replaces an endpoint's responses with the error `code`. */
export function replaceError(
  endpoint: string,
  code: string,
  make: (call: Call, answer: WireResponse) => WireResponse,
): ResponseHook {
  return (answer, call) => {
    if (!isRequestTo(call.request, endpoint)) return answer;
    const value = parseJsonBody(answer);
    return isObject(value) && value['error'] === code ? make(call, answer) : answer;
  };
}

/** Replaces responses with the error `code` on every endpoint. */
export function replaceErrorEverywhere(
  code: string,
  make: (answer: WireResponse) => WireResponse,
): ResponseHook {
  return (answer) => {
    const value = answer.status >= 400 ? parseJsonBody(answer) : undefined;
    return isObject(value) && value['error'] === code ? make(answer) : answer;
  };
}

/** Changes the requests to an endpoint. */
export function changeRequests(
  endpoint: string,
  change: (call: Call) => WireRequest | WireResponse,
): RequestHook {
  return (call) => (isRequestTo(call.request, endpoint) ? change(call) : call.request);
}

/** Sets a header of a successful response; null removes it. */
export function withHeader(answer: WireResponse, name: string, value: string | null): WireResponse {
  const { [name]: _old, ...others } = answer.headers;
  return { ...answer, headers: value === null ? others : { ...others, [name]: value } };
}
