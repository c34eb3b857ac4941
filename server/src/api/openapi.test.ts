import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { newId } from '../base/secrets.ts';
import { putBoost } from '../boosts/put-boost.ts';
import { putLocation } from '../inventory/location.ts';
import { putSite } from '../inventory/site.ts';
import { putUnits } from '../inventory/unit.ts';
import { renderEvent, signRequest } from '../webhooks/event-request.ts';
import { signingKeysOf } from '../webhooks/signature.ts';
import { newWebhookSecret } from '../webhooks/webhook-secrets.ts';
import {
  seedGrant,
  seedParty,
  startPartnerNode,
  TEST_BASE_URL,
  TEST_NOW,
  TEST_PUBLIC_URL,
  type TestResponse,
} from '../../test/partner.ts';
import { openPhotoScene } from '../../test/photo-scene.ts';
import { makePlainImage } from '../../test/images.ts';
import { insertTestCard, insertTestGame, insertTestProduct } from '../../test/stock.ts';
import { openTestDatabase } from '../../test/test-database.ts';
import { ENDPOINTS } from './endpoints.ts';
import { renderPartnerOpenapi } from './openapi.ts';

interface Operation {
  readonly operationId: string;
  readonly description: string;
  readonly security: readonly { readonly oauth: readonly string[] }[];
  readonly responses: Readonly<Record<string, Response>>;
}

interface Response {
  readonly description: string;
  readonly content?: Readonly<Record<string, { readonly schema?: object }>>;
}

interface Document {
  readonly openapi: string;
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly webhooks: Readonly<Record<string, Readonly<Record<string, Notice>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, object>> };
}

/** The webhook request in the document. */
interface Notice {
  readonly parameters: readonly {
    readonly name: string;
    readonly in: string;
    readonly schema: object;
  }[];
  readonly requestBody: {
    readonly content: Readonly<Record<string, { readonly schema: object }>>;
  };
}

function readDocument(text: string): Document {
  const document: Document = JSON.parse(text);
  return document;
}

const document = readDocument(renderPartnerOpenapi(TEST_PUBLIC_URL, TEST_BASE_URL));

/** OpenAPI 3.1 describes the content type by `content`. The user agent only names the caller. */
const UNDESCRIBED_HEADERS: readonly string[] = ['content-type', 'user-agent'];

/** Validates as a client would: every `$ref` is resolved within the document. */
function makeValidator(): (schema: object, value: unknown) => void {
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, discriminator: false });
  formats.default(ajv);
  ajv.addKeyword({ keyword: 'discriminator' });
  ajv.addKeyword({ keyword: 'components' });
  ajv.addSchema({ $id: 'https://document/openapi', components: document.components });
  return (schema, value) => {
    const absolute = JSON.parse(
      JSON.stringify(schema).replaceAll('"#/', '"https://document/openapi#/'),
    );
    const check = ajv.compile(absolute);
    assert.ok(check(value), JSON.stringify(check.errors));
  };
}

function checkAnswer(method: string, path: string, answer: TestResponse): void {
  const response = document.paths[path]?.[method.toLowerCase()]?.responses[answer.status];
  assert.ok(response, `${method} ${path} ${answer.status} is not documented`);
  if (response.content === undefined) {
    assert.equal(answer.text, '');
    return;
  }
  const type = answer.headers.get('content-type')?.split(';')[0] ?? '';
  const content = response.content[type];
  assert.ok(content, `${method} ${path} ${answer.status} ${type} is not documented`);
  if (content.schema !== undefined) makeValidator()(content.schema, JSON.parse(answer.text));
}

describe('the OpenAPI document', () => {
  it('the enumerations that docs/versions.md calls closed are closed', () => {
    const wordsOf = (schema: string, member: string): unknown => {
      const properties: unknown = Reflect.get(
        Object(document.components.schemas[schema]),
        'properties',
      );
      return Reflect.get(Object(Reflect.get(Object(properties), member)), 'enum');
    };
    assert.deepEqual(wordsOf('Unit', 'ownership'), ['owned', 'consigned']);
    assert.deepEqual(wordsOf('Grade', 'serviceKind'), ['third_party', 'internal']);
  });

  it('the document is OpenAPI 3.1, with the existing endpoints and every schema of specification 2', () => {
    assert.match(document.openapi, /^3\.1\./);
    assert.equal(document.servers[0]?.url, TEST_BASE_URL);
    const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    assert.deepEqual(
      operations.toSorted(),
      ENDPOINTS.map(
        ({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`,
      ).toSorted(),
    );
    for (const name of [
      'Connection',
      'Card',
      'PurchaseBoost',
      'BoostCard',
      'BoostProduct',
      'Grade',
      'Site',
      'Location',
      'Unit',
      'ChangeRecord',
      'WebhookRegistration',
      'InventoryChanged',
      'Error',
    ]) {
      assert.ok(document.components.schemas[name], name);
    }
  });

  it('the document contains everything that it refers to', () => {
    const text = JSON.stringify(document);
    for (const [, path] of text.matchAll(/"\$ref":"#\/([^"]+)"/g)) {
      const found = path
        ?.split('/')
        .reduce<unknown>(
          (at, name) => (at instanceof Object ? Reflect.get(at, name) : at),
          document,
        );
      assert.ok(found instanceof Object, path);
    }
  });

  it('the document requires exactly what the specification marks as required', () => {
    const requires = (name: string): unknown =>
      Reflect.get(document.components.schemas[name] ?? {}, 'required');
    const connection = [
      'id',
      'tenant',
      'user',
      'clientId',
      'status',
      'connectedAt',
      'webhook',
      'cursor',
    ];
    // spec 2.1 does not mark `webhook` as required.
    assert.deepEqual(
      requires('Connection'),
      connection.filter((name) => name !== 'webhook'),
    );
    assert.equal(requires('Card'), undefined);
    assert.deepEqual(requires('PurchaseBoost'), [
      'id',
      'target',
      'priceMinor',
      'currency',
      'remainingQuantity',
      'status',
      'startsAt',
      'endsAt',
      'note',
      'updatedAt',
    ]);
    assert.deepEqual(requires('PurchaseBoostList'), ['boosts', 'generatedAt']);
    assert.deepEqual(requires('WebhookRegistration'), ['url', 'secret', 'createdAt']);
  });

  it('the document describes localized texts as a map, which every code generator understands', () => {
    const text = JSON.stringify(document);
    assert.match(
      text,
      /"localizedNames":\{"type":"object","additionalProperties":\{"type":"string"\}/,
    );
    assert.doesNotMatch(text, /patternProperties/);
  });

  it('the document states every rule of a webhook’s url with the request and with its refusal (4.10)', () => {
    const { description, responses } = document.paths['/webhook']?.['put'] ?? {};
    const rules = ['https', '2,048', 'port', 'redirect URI', 'userinfo', 'fragment', 'IP address'];
    for (const rule of [...rules, '`localhost`']) {
      assert.ok(description?.includes(rule), rule);
      assert.ok(responses?.['422']?.description.includes(rule), rule);
    }
  });

  it('the document describes the event that a webhook gets: its body and each of its headers (6)', () => {
    const post = document.webhooks['inventory.changed']?.['post'];
    assert.ok(post);
    const [shopId, connectionId, eventId] = [newId(), newId(), newId()];
    const body = renderEvent({ shopId, connectionId, occurredAt: TEST_NOW });
    const validate = makeValidator();
    const { schema } = post.requestBody.content['application/json'] ?? {};
    assert.ok(schema);
    validate(schema, JSON.parse(String(body)));
    const url = 'https://app.example/hook';
    const [newest, previous] = [newWebhookSecret(), newWebhookSecret()].map(signingKeysOf);
    assert.ok(newest && previous);
    for (const keys of [[newest, previous], [newest]] as const) {
      const facts = { url, body, eventId, attempt: 12, keys, at: TEST_NOW };
      const { headers } = signRequest(facts);
      const named = Object.keys(headers).filter((name) => !UNDESCRIBED_HEADERS.includes(name));
      assert.deepEqual(
        post.parameters.map(({ name }) => name),
        named,
      );
      for (const parameter of post.parameters) {
        assert.equal(parameter.in, 'header');
        validate(parameter.schema, headers[parameter.name]);
      }
    }
  });

  it('the document names every scope that gives access to an endpoint', () => {
    const { security } = document.paths['/connection']?.['get'] ?? {};
    assert.deepEqual(security, [
      { oauth: ['purchase-boosts:read'] },
      { oauth: ['inventory:read'] },
    ]);
  });
});

describe('real responses against the OpenAPI document', () => {
  it('all real responses are documented, and every body matches its schema', async () => {
    await using base = await openTestDatabase();
    await using node = await startPartnerNode(base);
    const party = await seedParty(base.db);
    const { token } = await seedGrant(base.db, party);
    const [gameId, cardId, siteId] = [newId(), newId(), newId()];
    await base.db.query(insertTestGame, [gameId]);
    await base.db.query(insertTestCard, [cardId, gameId, '蒼天竜アルバ', '{"en":"Alba"}', '001']);
    const productId = newId();
    await base.db.query(insertTestProduct, [productId, gameId]);
    await base.db.transaction(async (tx) => {
      const place = { countryCode: 'JP', timezone: 'Asia/Tokyo' };
      const site = { code: 'main', name: '本店', kind: 'store' as const, ...place };
      await putSite(tx, party.shop.id, siteId, site, TEST_NOW);
      const shelf = { siteId, code: 'A', name: '棚', kind: 'shelf' as const };
      await putLocation(tx, party.shop.id, newId(), shelf, TEST_NOW);
      const card = {
        id: newId(),
        siteId,
        item: { kind: 'card' as const, cardId },
        priceMinor: 1200,
      };
      const box = { id: newId(), siteId, item: { kind: 'product' as const, productId } };
      for (const result of await putUnits(tx, party.shop, [card, box], TEST_NOW)) {
        assert.equal(result.kind, 'created');
      }
      const wanted = {
        priceMinor: 9_000,
        remainingQuantity: 3,
        note: '高価買取',
        startsAt: TEST_NOW,
      };
      const anyCard = { ...wanted, target: { kind: 'card' as const, cardId } };
      await putBoost(tx, party.shop, newId(), anyCard, TEST_NOW);
      const anyBox = { target: { kind: 'product' as const, productId }, priceMinor: 1 };
      await putBoost(tx, party.shop, newId(), anyBox, TEST_NOW);
    });
    const seen: number[] = [];
    const call = async (
      method: string,
      path: string,
      query: string,
      withToken: boolean,
      body?: string,
    ): Promise<void> => {
      const answer = await node.call(method, `${path}${query}`, {
        ...(withToken ? { token } : {}),
        ...(body === undefined ? {} : { body, headers: { 'content-type': 'application/json' } }),
      });
      seen.push(answer.status);
      checkAnswer(method, path, answer);
    };
    const past = node.cursors.encode(party.shop.id, { epoch: 1, seq: 99 });
    await call('GET', '/connection', '', false);
    await call('GET', '/connection', '', true);
    await call('POST', '/connection', '', true);
    await call('POST', '/connection', '', true);
    await call('POST', '/connection', '', true, '[]');
    await call('POST', '/connection', '', true, ' '.repeat(20_000));
    await call('GET', '/connection', '', true);
    await call('GET', '/purchase-boosts', '', true);
    await call('GET', '/purchase-boosts', '?include=all', true);
    await call('GET', '/inventory/sites', '', true);
    await call('GET', '/inventory/changes', '', true);
    await call('GET', '/inventory/changes', '?limit=0', true);
    await call('GET', '/inventory/changes', `?cursor=${past}`, true);
    await node.search.whenReady();
    await call('GET', '/cards', '?search=%20', true);
    await call('GET', '/cards', `?search=${cardId}&limit=1`, true);
    await call('GET', '/cards', '', true);
    checkAnswer('GET', '/cards/{id}', await node.call('GET', `/cards/${cardId}`, { token }));
    checkAnswer('GET', '/cards/{id}', await node.call('GET', `/cards/${newId()}`, { token }));
    const hook = '{"url":"https://app.example/hook"}';
    await call('PUT', '/webhook', '', true, hook);
    await call('GET', '/connection', '', true);
    await call('PUT', '/webhook', '', true, '{}');
    await call('PUT', '/webhook', '', true, hook.replace('https', 'http'));
    await call('PUT', '/webhook', '', true, ' '.repeat(20_000));
    await call('DELETE', '/webhook', '', true);
    await call('DELETE', '/webhook', '', true, ' '.repeat(20_000));
    await call('DELETE', '/connection', '', true);
    await call('DELETE', '/connection', '', true);
    assert.deepEqual(
      seen,
      [
        401, 403, 201, 200, 400, 413, 200, 200, 400, 200, 200, 400, 410, 200, 200, 400, 200, 200,
        400, 422, 413, 204, 413, 204, 403,
      ],
    );
  });

  it('the photo of a unit is documented: its bytes, 304 and its refusals', async () => {
    await using base = await openTestDatabase();
    await using stage = await openPhotoScene(base);
    const path = '/inventory/items/{id}/photos/{side}';
    assert.equal(
      (await stage.put(stage.unitId, 'front', await makePlainImage(40, 30, 'jpeg'))).status,
      201,
    );
    const call = async (
      at: string,
      token: string | null,
      headers: Readonly<Record<string, string>> = {},
    ): Promise<TestResponse> => {
      const asked = { headers, ...(token === null ? {} : { token }) };
      const answer = await stage.node.call('GET', `/inventory/items/${at}`, asked);
      checkAnswer('GET', path, answer);
      return answer;
    };
    const photo = `${stage.unitId}/photos/front`;
    const shown = await call(photo, stage.token);
    assert.deepEqual([shown.status, shown.headers.get('content-type')], [200, 'image/jpeg']);
    const etag = shown.headers.get('etag') ?? '';
    assert.equal((await call(photo, stage.token, { 'if-none-match': etag })).status, 304);
    assert.equal((await call(`${photo}?size=huge`, stage.token)).status, 400);
    assert.equal((await call(`${stage.unitId}/photos/back`, stage.token)).status, 404);
    assert.equal((await call(photo, null)).status, 401);
  });
});
