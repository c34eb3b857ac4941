import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { isObject } from '../../test/docs-shape.ts';

type Json = Readonly<Record<string, unknown>>;

/** A parameter as the document describes it. */
export interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly schema: Json;
}

/** One operation of an OpenAPI document. */
export interface Operation {
  readonly api: 'partner' | 'shop';
  readonly id: string;
  readonly method: string;
  /** The path as it is in the document, such as `/units/{id}`. */
  readonly path: string;
  readonly parameters: readonly Parameter[];
  /** Schemas of the body by media type; null if the operation has no body. */
  readonly bodies: Readonly<Record<string, Json>> | null;
  readonly responses: Json;
  /** Any one of these scopes is enough. Empty for an API without scopes. */
  readonly scopes: readonly string[];
}

/** One OpenAPI document. */
export class Contract {
  readonly operations: readonly Operation[];
  /** The path of the server, such as `/partner/v1`. */
  readonly base: string;
  readonly #id: string;
  readonly #ajv = new Ajv2020({ strict: false, allowUnionTypes: true });
  readonly #checks = new Map<string, ValidateFunction>();

  constructor(api: 'partner' | 'shop', document: unknown) {
    const { paths, servers } = asObject(document);
    this.base = new URL(String(asObject(asList(servers)[0])['url'])).pathname;
    this.#id = `https://${api}.example/openapi`;
    formats.default(this.#ajv);
    this.#ajv.addSchema({ ...asObject(closed(document)), $id: this.#id });
    this.operations = Object.entries(asObject(paths)).flatMap(([path, item]) =>
      Object.entries(asObject(item)).map(([method, operation]) =>
        operationOf(document, api, path, method, asObject(operation)),
      ),
    );
  }

  /** Returns the fault of an answer to this operation, or null if the answer is correct. */
  check(operation: Operation, status: number, type: string, body: Buffer): string | null {
    const response = operation.responses[String(status)];
    if (response === undefined) return `${status} is not documented for ${operation.id}`;
    const { content } = asObject(response);
    if (!isObject(content)) return body.length === 0 ? null : `${status} must not have a body`;
    const media = type.split(';')[0] ?? '';
    if (!(media in content)) return `${status} must not have the content type ${type}`;
    if (!('schema' in asObject(content[media]))) return null;
    const steps = ['paths', operation.path, operation.method, 'responses', String(status)];
    const pointer = [...steps, 'content', media, 'schema'].map(escapeStep).join('/');
    return this.#checkValue(pointer, body.toString());
  }

  #checkValue(pointer: string, text: string): string | null {
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      return 'the body is not valid JSON';
    }
    const known = this.#checks.get(pointer);
    const check = known ?? this.#ajv.compile({ $ref: `${this.#id}#/${pointer}` });
    this.#checks.set(pointer, check);
    return check(value) ? null : `not as documented: ${this.#ajv.errorsText(check.errors)}`;
  }
}

function operationOf(
  document: unknown,
  api: Operation['api'],
  path: string,
  method: string,
  operation: Json,
): Operation {
  const { requestBody } = operation;
  const content = isObject(requestBody) ? asObject(requestBody['content']) : null;
  const bodies = Object.entries(content ?? {}).map(([type, media]) => {
    const schema = resolved(document, asObject(media)['schema'] ?? {});
    // For NDJSON, this is the schema of one line.
    const lines = isObject(schema['contentSchema']) ? schema['contentSchema'] : null;
    return [type, lines === null ? schema : resolved(document, lines['items'])] as const;
  });
  return {
    api,
    id: String(operation['operationId']),
    method,
    path,
    parameters: asList(operation['parameters'] ?? []).map((each) => {
      const { name, in: place, schema } = asObject(each);
      return { name: String(name), in: String(place), schema: asObject(schema) };
    }),
    bodies: content === null ? null : Object.fromEntries(bodies),
    responses: asObject(operation['responses']),
    scopes: asList(operation['security'] ?? []).flatMap((each) =>
      asList(asObject(each)['oauth']).map(String),
    ),
  };
}

/** Resolves a reference within the document. */
function resolved(document: unknown, schema: unknown): Json {
  const reference = asObject(schema)['$ref'];
  if (typeof reference !== 'string') return asObject(schema);
  const steps = reference.split('/').slice(1);
  return asObject(steps.reduce((part: unknown, step) => asObject(part)[step], document));
}

/** Escapes a step of a JSON pointer in a URI fragment (RFC 6901 §6). */
function escapeStep(step: string): string {
  return encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1'));
}

/** Returns a schema without additional members, so that an undocumented member is an error. */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed);
  if (!isObject(value)) return value;
  const made = Object.fromEntries(
    Object.entries(value).map(([name, part]) => [name, closed(part)]),
  );
  const isPlain = made['type'] === 'object' && isObject(made['properties']);
  return isPlain && !('additionalProperties' in made)
    ? { ...made, unevaluatedProperties: false }
    : made;
}

function asObject(value: unknown): Json {
  if (!isObject(value)) throw new TypeError('the OpenAPI document is not as expected');
  return value;
}

function asList(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw new TypeError('the OpenAPI document is not as expected');
  return value;
}
