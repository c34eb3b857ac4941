import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { Webhook } from 'standardwebhooks';
import { shopApiDocument } from '../shop-api/openapi.ts';
import { serviceSignature, signingKeysOf } from '../webhooks/signature.ts';
import { EXAMPLE_SECRETS, renderPartnerAsyncapi } from './asyncapi.ts';
import { renderPartnerOpenapi } from './openapi.ts';

const PUBLIC_URL = 'https://cards.test';

const DOCUMENTS: Readonly<Record<string, string>> = {
  'openapi/partner-v1.json': renderPartnerOpenapi(PUBLIC_URL, `${PUBLIC_URL}/partner/v1`),
  'openapi/shop-v1.json': JSON.stringify(shopApiDocument(PUBLIC_URL)),
  'asyncapi/partner-v1.json': renderPartnerAsyncapi(PUBLIC_URL),
};

/** Returns a line for each problem, including warnings. */
async function lint(name: string, source: string): Promise<string[]> {
  // Three rules that `recommended` switches off.
  const rules = {
    'operation-tag-defined': 'error',
    'spec-strict-refs': 'error',
    'component-name-unique': 'error',
  } as const;
  const config = await createConfig({ extends: ['recommended'], rules });
  const problems = await lintFromString({ source, absoluteRef: `/${name}`, config });
  return problems.map(
    ({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer ?? ''}`,
  );
}

describe('the published documents', () => {
  for (const [name, source] of Object.entries(DOCUMENTS)) {
    it(`${name} has no problem that Redocly’s rules report`, async () => {
      assert.deepEqual(await lint(name, source), []);
    });
  }

  it('the check reports a document without a license and with a malformed path', async () => {
    const broken = (DOCUMENTS['openapi/partner-v1.json'] ?? '')
      .replace('"license":', '"x-license":')
      .replace('"/cards":', '"/cards/":');
    const complaints = (await lint('broken.json', broken)).join('\n');
    assert.match(complaints, /info-license/);
    assert.match(complaints, /no-path-trailing-slash/);
    const notices = (DOCUMENTS['asyncapi/partner-v1.json'] ?? '').replace('"send"', '"shout"');
    assert.match((await lint('broken.json', notices)).join('\n'), /struct/);
  });
});

interface Message {
  readonly headers: object;
  readonly examples: readonly {
    readonly headers: Readonly<Record<string, string>>;
    readonly payload: object;
  }[];
}

describe('the AsyncAPI document of the event (specification 6)', () => {
  const document: {
    readonly components: {
      readonly messages: { readonly inventoryChanged: Message };
      readonly schemas: { readonly InventoryChanged: object };
    };
  } = JSON.parse(DOCUMENTS['asyncapi/partner-v1.json'] ?? '');
  const { messages, schemas } = document.components;
  const { headers, examples } = messages.inventoryChanged;

  it('the examples of the event match its schemas, headers and body', () => {
    const ajv = new Ajv2020({ strict: true });
    formats.default(ajv);
    for (const example of examples) {
      assert.ok(ajv.validate(headers, example.headers), JSON.stringify(ajv.errors));
      assert.ok(
        ajv.validate(schemas.InventoryChanged, example.payload),
        JSON.stringify(ajv.errors),
      );
    }
    assert.equal(examples.length, 2);
  });

  it('the examples of the event have valid signatures for their secrets', () => {
    for (const { headers: sent, payload } of examples) {
      const body = Buffer.from(JSON.stringify(payload));
      const timestamp = sent['X-Service-Timestamp'] ?? '';
      const expected = serviceSignature(signingKeysOf(EXAMPLE_SECRETS.newest), timestamp, body);
      assert.equal(sent['X-Service-Signature'], expected);
      const standard = (secret: string): string =>
        new Webhook(secret).sign(
          sent['webhook-id'] ?? '',
          new Date(Number(timestamp) * 1_000),
          body.toString(),
        );
      const given = sent['webhook-signature']?.split(' ') ?? [];
      const { newest, previous } = EXAMPLE_SECRETS;
      assert.deepEqual(given, [newest, previous].map(standard).slice(0, given.length));
    }
    assert.deepEqual(
      examples.map(({ headers: sent }) => sent['webhook-signature']?.split(' ').length),
      [1, 2],
    );
  });
});
