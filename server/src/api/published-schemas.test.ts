import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { isObject } from '../base/field.ts';
import { shopApiDocument } from '../shop-api/openapi.ts';
import { renderPartnerOpenapi } from './openapi.ts';

const PUBLIC_URL = 'https://cards.test';

/** A request or response body of an operation. */
interface Body {
  /** For example `GET /cards 200` or `PUT /webhook request`. */
  readonly of: string;
  readonly isAnswer: boolean;
  readonly schema: object;
  readonly examples: readonly unknown[];
}

/** The JSON bodies of a document, and the operations without one. */
class Published {
  readonly name: string;
  readonly bodies: readonly Body[];
  readonly operations: readonly string[];
  readonly #ajv = new Ajv2020({ strict: true, allowUnionTypes: true });
  readonly #id: string;

  constructor(name: string, document: unknown) {
    this.name = name;
    this.#id = `https://${name}.test/openapi`;
    formats.default(this.#ajv);
    for (const keyword of ['discriminator', 'components']) this.#ajv.addKeyword({ keyword });
    const { paths, webhooks, components } = membersOf(document);
    this.#ajv.addSchema({ $id: this.#id, components });
    const operations = Object.entries({ ...membersOf(paths), ...membersOf(webhooks) }).flatMap(
      ([path, methods]) =>
        Object.entries(membersOf(methods)).map(
          ([method, operation]) => [`${method.toUpperCase()} ${path}`, operation] as const,
        ),
    );
    this.operations = operations.map(([operation]) => operation);
    this.bodies = operations.flatMap(([operation, described]) => bodiesOf(operation, described));
  }

  compile(schema: object): ValidateFunction {
    const absolute = JSON.stringify(schema).replaceAll('"#/', `"${this.#id}#/`);
    return this.#ajv.compile(JSON.parse(absolute));
  }

  body(of: string): Body {
    const body = this.bodies.find((each) => each.of === of);
    assert.ok(body, of);
    return body;
  }
}

function bodiesOf(operation: string, described: unknown): readonly Body[] {
  const { requestBody, responses } = membersOf(described);
  const all = [
    [`${operation} request`, requestBody] as const,
    ...Object.entries(membersOf(responses)).map(
      ([status, response]) => [`${operation} ${status}`, response] as const,
    ),
  ];
  return all.flatMap(([of, body]) => {
    const content = membersOf(membersOf(body)['content']);
    return Object.entries(content).flatMap(([type, media]) => {
      const { schema, example, examples } = membersOf(media);
      // Photos have no schema.
      if (!isObject(schema) || !/json/.test(type)) return [];
      const given = Object.values(membersOf(examples)).map((each) => membersOf(each)['value']);
      return [
        {
          of,
          isAnswer: !of.endsWith(' request'),
          // For NDJSON, `contentSchema` describes one line.
          schema: type === 'application/json' ? schema : membersOf(schema['contentSchema']),
          examples: [example, ...given].filter((each) => each !== undefined).map(linesOf),
        },
      ];
    });
  });
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return isObject(value) ? value : {};
}

function linesOf(example: unknown): unknown {
  if (typeof example !== 'string') return example;
  const lines = example.trim().split('\n');
  return lines.map((line): unknown => JSON.parse(line));
}

/** Adds a property to every object, as a later version 1 may do (docs/versions.md). */
function grown(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(grown);
  if (!isObject(value)) return value;
  const members = Object.entries(value).map(([name, each]) => [name, grown(each)]);
  return { ...Object.fromEntries(members), laterMember: 'x' };
}

const partner = new Published(
  'partner',
  JSON.parse(renderPartnerOpenapi(PUBLIC_URL, `${PUBLIC_URL}/partner/v1`)),
);
const shop = new Published('shop', JSON.parse(JSON.stringify(shopApiDocument(PUBLIC_URL))));

for (const document of [partner, shop]) {
  describe(`the OpenAPI document of the ${document.name} API`, () => {
    it('the document has a valid example of every body of every operation', () => {
      assert.ok(document.operations.length >= 11);
      for (const operation of document.operations) {
        assert.ok(
          document.bodies.some(({ of }) => of.startsWith(`${operation} `)),
          operation,
        );
      }
      for (const { of, schema, examples } of document.bodies) {
        assert.notEqual(examples.length, 0, `${of} has no example`);
        const check = document.compile(schema);
        for (const example of examples) {
          assert.ok(check(example), `${of}: ${JSON.stringify(check.errors)}`);
        }
      }
    });

    it('the document allows an additional member in every object of a response', () => {
      for (const { of, schema, examples } of document.bodies.filter(({ isAnswer }) => isAnswer)) {
        const check = document.compile(schema);
        for (const example of examples) {
          assert.ok(check(grown(example)), `${of}: ${JSON.stringify(check.errors)}`);
        }
      }
    });

    it('the document declares numbers beyond 32 bits as int64', () => {
      const text = JSON.stringify(
        document.name === 'partner'
          ? JSON.parse(renderPartnerOpenapi(PUBLIC_URL, PUBLIC_URL))
          : shopApiDocument(PUBLIC_URL),
      );
      const amounts = [...text.matchAll(/"(?:priceMinor|costMinor)":(\{[^}]*\})/g)];
      const schemas = amounts.filter(([, schemaText = '']) => schemaText.includes('integer'));
      assert.ok(schemas.length >= 2);
      for (const [whole] of schemas) assert.match(whole, /"format":"int64"/);
    });
  });
}

describe('a compatible extension of the Partner API (docs/versions.md)', () => {
  it('a new kind of record, code, status or kind of place, and a longer cursor still match the schemas', () => {
    const { schema, examples } = partner.body('GET /inventory/changes 200');
    const check = partner.compile(schema);
    const [page] = examples;
    assert.ok(isObject(page) && Array.isArray(page['changes']));
    const [site, unit] = page['changes'].filter(isObject);
    const data = { id: site?.['id'], name: '大会' };
    const event = { ...site, kind: 'tournament', data };
    const place = { ...site, data: { ...membersOf(site?.['data']), kind: 'kiosk' } };
    const lent = { ...unit, data: { ...membersOf(unit?.['data']), status: 'lent' } };
    const later = { ...page, changes: [event, place, lent], nextCursor: 'x'.repeat(500) };
    assert.ok(check(later), JSON.stringify(check.errors));
    // A record of a known kind must match its schema.
    assert.equal(check({ ...page, changes: [{ ...unit, data: { id: unit?.['id'] } }] }), false);
    assert.equal(check({ ...page, changes: [{ ...event, kind: 1 }] }), false);
    const refused = partner.body('GET /cards 403');
    const checkRefusal = partner.compile(refused.schema);
    assert.ok(checkRefusal({ error: 'shop_closed', until: 'x' }));
    assert.equal(checkRefusal({ until: 'x' }), false);
  });
});
