import { isObject } from '../expect.ts';
import type { Break, Call, WireAnswer, WireRequest } from './break.ts';

/** What a break does to answers. */
export type AnswerHook = NonNullable<Break['answer']>;
type RequestHook = NonNullable<Break['request']>;
/** Makes another value of one; `GONE` takes it away. */
export type Change = (value: unknown) => unknown;

/** Takes a member or element away. */
export const GONE: unique symbol = Symbol('gone');
/** The change that takes whatever is there away. */
export function gone(): unknown {
  return GONE;
}

/** The change that puts this value there. */
export function become(value: unknown): Change {
  return () => value;
}

/** The change of a list; what is none is left alone. */
export function inList(change: (list: readonly unknown[]) => readonly unknown[]): Change {
  return (value) => (Array.isArray(value) ? change(value) : value);
}

/**
 * A value with a change at a place: names separated by full stops, `*` for every element. What is not there is left
 * alone, but for a last name, whose change then gets `undefined`.
 */
export function editAt(value: unknown, place: string, change: Change): unknown {
  return edit(value, place === '' ? [] : place.split('.'), change);
}

function edit(value: unknown, [name, ...rest]: readonly string[], change: Change): unknown {
  if (name === undefined) return change(value);
  if (name === '*') {
    if (!Array.isArray(value)) return value;
    return value.map((each: unknown) => edit(each, rest, change)).filter((each) => each !== GONE);
  }
  if (!isObject(value) || (rest.length > 0 && !(name in value))) return value;
  const { [name]: old, ...others } = value;
  const changed = edit(old, rest, change);
  if (changed === GONE || changed === undefined) return others;
  // The members keep their order.
  return { ...value, [name]: changed };
}

const PARTNER_PATH = '/partner/v1';
/** Paths that are not relative to `{base_url}`. */
const ABSOLUTE = /^\/(auth|\.well-known)\//;

/** Method and path of an endpoint, as one pattern. Hundreds of breaks look at each request. */
const patterns = new Map<string, RegExp>();

/** True for requests of this endpoint: `GET /cards/:id` below `{base_url}`, `POST /auth/oauth2/token` below the root. */
export function isOf(request: WireRequest, endpoint: string): boolean {
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

/** The path of a request. */
export function pathOf({ target }: WireRequest): string {
  return target.split('?')[0] ?? '';
}

/** The query of a request. */
export function queryOf({ target }: WireRequest): URLSearchParams {
  return new URLSearchParams(target.split('?')[1] ?? '');
}

/** The request with its query changed. */
export function withQuery(
  request: WireRequest,
  change: (query: URLSearchParams) => void,
): WireRequest {
  const query = queryOf(request);
  change(query);
  const text = query.toString();
  return { ...request, target: `${pathOf(request)}${text === '' ? '' : `?${text}`}` };
}

/** The form of a request of the token endpoint. */
export function formOf({ body }: WireRequest): URLSearchParams {
  return new URLSearchParams(body.toString());
}

/** An answer of JSON, with the headers that every answer has. */
export function jsonAnswer(status: number, value: unknown): WireAnswer {
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

/** The JSON of an answer; undefined when it is none. */
export function jsonIn({ headers, body }: Pick<WireAnswer, 'headers' | 'body'>): unknown {
  if (!String(headers['content-type']).startsWith('application/json') || body.length === 0) {
    return undefined;
  }
  const value: unknown = JSON.parse(body.toString());
  return value;
}

/** The answer with its JSON changed at a place. */
export function withJson(answer: WireAnswer, place: string, change: Change): WireAnswer {
  const value = jsonIn(answer);
  if (value === undefined) return answer;
  return { ...answer, body: Buffer.from(JSON.stringify(editAt(value, place, change))) };
}

/** Changes successful answers of an endpoint, or of several. */
export function answersOf(endpoints: string | readonly string[], change: AnswerHook): AnswerHook {
  return (answer, call) => {
    const isMeant = [endpoints].flat().some((endpoint) => isOf(call.request, endpoint));
    return isMeant && answer.status < 300 ? change(answer, call) : answer;
  };
}

/** Changes the JSON of successful answers at a place. */
export function inJson(
  endpoints: string | readonly string[],
  place: string,
  change: Change,
): AnswerHook {
  return answersOf(endpoints, (answer) => withJson(answer, place, change));
}

/** Answers of an endpoint that refuse with `code` become another answer. */
export function insteadOf(
  endpoint: string,
  code: string,
  make: (call: Call, answer: WireAnswer) => WireAnswer,
): AnswerHook {
  return (answer, call) => {
    if (!isOf(call.request, endpoint)) return answer;
    const value = jsonIn(answer);
    return isObject(value) && value['error'] === code ? make(call, answer) : answer;
  };
}

/** Answers that refuse with `code`, wherever, become another answer. */
export function everywhereInsteadOf(
  code: string,
  make: (answer: WireAnswer) => WireAnswer,
): AnswerHook {
  return (answer) => {
    const value = answer.status >= 400 ? jsonIn(answer) : undefined;
    return isObject(value) && value['error'] === code ? make(answer) : answer;
  };
}

/** Changes requests of an endpoint. */
export function requestsOf(
  endpoint: string,
  change: (call: Call) => WireRequest | WireAnswer,
): RequestHook {
  return (call) => (isOf(call.request, endpoint) ? change(call) : call.request);
}

/** Successful answers of an endpoint with a header changed; null takes it away. */
export function withHeader(answer: WireAnswer, name: string, value: string | null): WireAnswer {
  const { [name]: _old, ...others } = answer.headers;
  return { ...answer, headers: value === null ? others : { ...others, [name]: value } };
}
