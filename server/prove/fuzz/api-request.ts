import type { Operation, Parameter } from './contract.ts';
import {
  compress,
  pickHostileText,
  mutateBytes,
  mutateJson,
  mutateJsonText,
  mutateText,
} from './mutation.ts';
import type { ValuePools } from './value-pools.ts';
import type { Random } from './random.ts';
import { makeValidValue } from './valid-value.ts';

/** A request, divided into the parts that mutations change. */
export interface ApiRequest {
  method: string;
  /** The path segments after the base, encoded. */
  steps: string[];
  query: [string, string][];
  headers: Record<string, string>;
  body: Buffer | null;
  /** The value that the body was serialized from. */
  value: unknown;
  /** True if a header was added that HTTP itself may refuse. */
  isOdd: boolean;
}

/** Values that a request can use besides those of its schema. */
export interface RequestMaterials {
  readonly pools: ValuePools;
  /** Small pictures of each type. */
  readonly pictures: readonly (readonly [string, Buffer])[];
}

const LINES_MAX = 12;

/** Generates a request that the OpenAPI document allows. */
export function makeValidRequest(
  random: Random,
  operation: Operation,
  materials: RequestMaterials,
): ApiRequest {
  const { pools } = materials;
  const valueOf = ({ schema, name }: Parameter, kind: string): string =>
    String(makeValidValue(random, pools, schema, kind === '' ? name : kind));
  const parts = operation.path.split('/').slice(1);
  const steps = parts.map((part, at) => {
    const name = /^\{(\w+)\}$/.exec(part)?.[1];
    const parameter = operation.parameters.find((each) => each.in === 'path' && each.name === name);
    if (parameter === undefined) return part;
    return encodeURIComponent(valueOf(parameter, name === 'id' ? kindOf(parts[at - 1] ?? '') : ''));
  });
  useRelatedIds(random, operation, pools, steps);
  const of = (place: string): readonly Parameter[] =>
    operation.parameters.filter((each) => each.in === place);
  const query = of('query')
    .filter(({ name }) => name === 'search' || random.chance(40))
    .map((each): [string, string] => [each.name, valueOf(each, '')]);
  const given = of('header').filter(() => random.chance(25));
  const headers = Object.fromEntries(given.map((each) => [each.name, valueOf(each, '')]));
  const method = operation.method === 'get' && random.chance(5) ? 'HEAD' : operation.method;
  const made: ApiRequest = {
    method: method.toUpperCase(),
    steps,
    query,
    headers,
    body: null,
    value: null,
    isOdd: false,
  };
  addBody(random, operation, materials, made);
  return made;
}

/**
 * Usually replaces random ids with related ones: of a purchase and its boost, a photo and its unit,
 * or a connection and its webhook.
 */
function useRelatedIds(
  random: Random,
  { path, method }: Operation,
  pools: ValuePools,
  steps: string[],
): void {
  if (random.chance(20)) return;
  const purchase = pools.pair(random, 'purchase');
  if (path.endsWith('{purchaseId}') && purchase !== undefined) [steps[1], steps[3]] = purchase;
  const webhook = pools.pair(random, 'webhook');
  if (path.endsWith('/notice') && webhook !== undefined) [steps[1]] = webhook;
  const photo = pools.pair(random, 'photo');
  const at = steps.indexOf('photos');
  if (at > 0 && method === 'get' && photo !== undefined) [steps[at - 1], steps[at + 1]] = photo;
}

/** Returns the kind of object that the id after a path segment names. */
export function kindOf(step: string): string {
  return step === 'items' ? 'unit' : step.replace(/s$/, '');
}

function addBody(
  random: Random,
  { bodies }: Operation,
  { pools, pictures }: RequestMaterials,
  made: ApiRequest,
): void {
  if (bodies === null) return;
  const type = random.pick(Object.keys(bodies));
  const schema = bodies[type] ?? {};
  made.headers['content-type'] = type;
  if (type === 'application/json') {
    made.value = makeValidValue(random, pools, schema, '');
    made.body = Buffer.from(JSON.stringify(made.value));
  } else if (type === 'application/x-ndjson') {
    const line = (): unknown => makeValidValue(random, pools, schema, '');
    const values = Array.from({ length: 1 + random.below(LINES_MAX) }, line);
    made.value = values[0];
    made.body = Buffer.from(values.map((value) => JSON.stringify(value)).join('\n'));
    if (random.chance(20)) addGzip(random, made);
  } else {
    const fitting = pictures.filter(([each]) => each === type);
    made.body = random.pick(fitting.length > 0 ? fitting : pictures)[1];
  }
}

function addGzip(random: Random, made: ApiRequest): void {
  made.body = compress(random, made.body ?? Buffer.alloc(0));
  if (random.chance(50)) made.headers['content-encoding'] = 'gzip';
}

const METHODS = 'GET HEAD POST PUT PATCH DELETE OPTIONS TRACE QUERY'.split(' ');
const TYPES = [
  'application/json; charset=utf-16',
  'application/JSON ; charset="utf-8"',
  ';;;',
  'x',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'text/plain',
  'application/x-ndjson',
  'image/png',
  'image/jpeg',
  'application/vnd.api+json',
];
const STEPS = ['', ...'%zz %00 %c3%28 %2e%2e .. %2F %F0%9F%83%8F'.split(' '), 'x'.repeat(3_000)];
const NAMES = 'limit cursor include status size search offset __proto__ a[b]'.split(' ');
const HEADERS: readonly (readonly [string, string])[] = [
  ['accept', 'text/html;q=0.1, */*'],
  ['accept-encoding', 'br, zstd, gzip;q=0'],
  ['content-encoding', 'br'],
  ['content-encoding', 'gzip, gzip'],
  ['expect', '100-continue'],
  ['expect', 'nothing'],
  ['if-match', '"x"'],
  ['if-none-match', '*, "x", W/"'],
  ['range', 'bytes=0-1,5-'],
  ['origin', 'https://foreign.example'],
  ['host', 'foreign.example'],
  ['x-forwarded-for', "1.2.3.4, '; drop"],
  ['x-forwarded-proto', 'javascript'],
  ['x-request-id', 'mine'],
  ['x-http-method-override', 'DELETE'],
  ['cookie', 'cardport_session=x; __proto__=1'],
  ['idempotency-key', 'x'.repeat(300)],
  ['te', 'trailers'],
  ['transfer-encoding', 'chunked'],
  ['x-long', 'x'.repeat(9_000)],
  ['x-longer', 'x'.repeat(17_000)],
];

/** Makes one mistake in a request. */
export function mutateRequest(random: Random, made: ApiRequest): void {
  const part = random.weigh({
    step: 2,
    query: 3,
    header: 2,
    method: 1,
    type: 1,
    value: 10,
    body: 3,
  });
  switch (part) {
    case 'step':
      mutateStep(random, made);
      break;
    case 'query':
      mutateQuery(random, made);
      break;
    case 'header': {
      const [name, value] = random.pick(HEADERS);
      made.headers[name] = value;
      made.isOdd = true;
      break;
    }
    case 'method':
      made.method = random.pick(METHODS);
      break;
    case 'type':
      if (random.chance(20)) delete made.headers['content-type'];
      else made.headers['content-type'] = random.pick(TYPES);
      break;
    case 'value':
      if (made.value === null) mutateQuery(random, made);
      else {
        made.value = mutateJson(random, made.value);
        made.body = Buffer.from(JSON.stringify(made.value));
      }
      break;
    case 'body':
      mutateBody(random, made);
      break;
  }
}

function mutateStep(random: Random, made: ApiRequest): void {
  const at = random.below(made.steps.length);
  const step = made.steps[at] ?? '';
  if (random.chance(15)) made.steps.push(random.pick(['', 'x']));
  else if (random.chance(50)) made.steps[at] = random.pick(STEPS);
  else made.steps[at] = encodeURIComponent(mutateText(random, step).toWellFormed()).slice(0, 6_000);
}

function mutateQuery(random: Random, made: ApiRequest): void {
  const [name, value] =
    made.query.length > 0 && random.chance(60)
      ? random.pick(made.query)
      : [random.pick(NAMES), '5'];
  const others = random.chance(80) ? made.query.filter(([each]) => each !== name) : made.query;
  const changed = random.chance(50) ? mutateText(random, value) : pickHostileText(random);
  made.query = [...others, [name, changed.slice(0, 3_000)]];
}

function mutateBody(random: Random, made: ApiRequest): void {
  const { body } = made;
  if (body === null) {
    made.body = Buffer.from(
      random.pick(['{}', '{"a":1}', 'null', '[]', 'x', '', ' '.repeat(17_000)]),
    );
    made.headers['content-type'] ??= 'application/json';
  } else if (random.chance(15)) addGzip(random, made);
  else if (made.value === null || random.chance(25)) made.body = mutateBytes(random, body);
  else made.body = mutateJsonText(random, body.toString());
}

/** Returns the path and query of a request. */
export function targetOf(base: string, { steps, query }: ApiRequest): string {
  const pairs = query.map(
    ([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value.toWellFormed())}`,
  );
  return `${base}/${steps.join('/')}${pairs.length === 0 ? '' : `?${pairs.join('&')}`}`;
}
