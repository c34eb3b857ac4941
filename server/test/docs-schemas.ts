import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { renderPartnerOpenapi } from '../src/api/openapi.ts';
import { shopApiDocument } from '../src/shop-api/openapi.ts';
import { isObject } from './docs-shape.ts';

/** Validates a value against an OpenAPI schema. Returns a description of the error, or null. */
export type SchemaCheck = (name: string, value: unknown) => string | null;

/**
 * Returns a validator for the schemas of both APIs. `Unit` is the name of a schema; `shop:Unit`
 * selects the Shop API's schema if both APIs have one of this name.
 */
export function makeSchemaCheck(): SchemaCheck {
  const origin = 'http://127.0.0.1:8080';
  const ajv = new Ajv2020({ strict: false, allowUnionTypes: true });
  formats.default(ajv);
  const names = new Map<string, string>();
  for (const [api, text] of [
    ['partner', renderPartnerOpenapi(origin, `${origin}/partner/v1`)],
    ['shop', JSON.stringify(shopApiDocument(origin))],
  ] as const) {
    const document: unknown = JSON.parse(text);
    if (!isObject(document)) throw new Error(`the ${api} document is not an object`);
    const components = isObject(document['components']) ? document['components'] : {};
    const schemas = isObject(components['schemas']) ? components['schemas'] : {};
    const id = `https://${api}.example/openapi`;
    // The id makes references within the document absolute.
    ajv.addSchema({ $id: id, components: { schemas: closed(schemas) } });
    for (const name of Object.keys(schemas)) {
      const reference = `${id}#/components/schemas/${name}`;
      names.set(`${api}:${name}`, reference);
      if (!names.has(name)) names.set(name, reference);
    }
  }
  return (name, value) => {
    const reference = names.get(name);
    if (reference === undefined) return `no API has a schema ${name}`;
    const validate = ajv.getSchema(reference);
    if (validate === undefined) return `the schema ${name} cannot be compiled`;
    if (validate(value) === true) return null;
    return `not a valid ${name}: ${ajv.errorsText(validate.errors)}`;
  };
}

/**
 * Disallows additional members. The API may add members later, but a page must not show
 * undocumented members.
 */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed);
  if (!isObject(value)) return value;
  const made = Object.fromEntries(
    Object.entries(value).map(([name, part]) => [name, name === 'allOf' ? part : closed(part)]),
  );
  const isPlain = made['type'] === 'object' && isObject(made['properties']);
  return isPlain && !('additionalProperties' in made)
    ? { ...made, additionalProperties: false }
    : made;
}
