import { headerOf } from '../response.ts';
import { type ConformanceTest, testFactory } from '../definition.ts';
import { endpoints } from '../endpoints.ts';
import { connection } from '../resources.ts';
import { expectBody, expect, expectError, expectHeader, expectStatus } from '../expect.ts';

const test = testFactory('D10');

/** The maximum size of a request body of the Partner API. */
const BODY_BYTES_MAX = 16 * 1024;

export const tests: readonly ConformanceTest[] = [
  test(
    'unknown-route',
    'an unknown path gets 404 not_found, with or without a token',
    async (context) => {
      const app = await context.sharedConnection();
      for (const path of ['', '/', '/card', '/inventory', '/connection/', '/inventory/items/x']) {
        expectError(await app.get(path), 404, 'not_found');
        expectError(await context.anonymous('GET', path), 404, 'not_found');
      }
    },
  ),

  test(
    'method',
    'an unsupported method gets 405 method_not_allowed with Allow',
    async (context) => {
      const app = await context.sharedConnection();
      for (const path of new Set(endpoints.map((endpoint) => endpoint.path(context)))) {
        const response = await app.call('PATCH', path);
        expectError(response, 405, 'method_not_allowed');
        const allowed = (headerOf(response, 'allow') ?? '').split(/,\s*/);
        for (const { method } of endpoints.filter((endpoint) => endpoint.path(context) === path)) {
          expect(allowed.includes(method), `${method} in Allow`, allowed);
        }
      }
    },
  ),

  test('too-large', 'a body of more than 16 KiB gets 413 payload_too_large', async (context) => {
    const app = await context.sharedConnection();
    const headers = { 'Content-Type': 'application/json' };
    const response = await app.call('PUT', '/webhook', {
      headers,
      body: 'x'.repeat(BODY_BYTES_MAX + 1),
    });
    expectError(response, 413, 'payload_too_large');
    const fits = await app.call('PUT', '/webhook', { headers, body: 'x'.repeat(BODY_BYTES_MAX) });
    expectError(fits, 400, 'invalid_request');
  }),

  test('media-type', 'a body that is not JSON gets 415 unsupported_media_type', async (context) => {
    const app = await context.sharedConnection();
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/jsonx']) {
      const more = {
        headers: { 'Content-Type': type },
        body: '{"url":"https://app.example/hook"}',
      };
      expectError(await app.call('PUT', '/webhook', more), 415, 'unsupported_media_type');
    }
  }),

  test('request-id', 'every response has a different X-Request-Id', async (context) => {
    const app = await context.sharedConnection();
    const ids = new Set<string>();
    for (const response of [
      await app.get('/connection'),
      await app.get('/no-such'),
      await context.anonymous('GET', '/cards'),
    ]) {
      ids.add(headerOf(response, 'x-request-id') ?? '');
    }
    expect(ids.size === 3 && !ids.has(''), 'three different X-Request-Id', [...ids]);
  }),

  test('rate-headers', 'every API response has RateLimit-Policy and RateLimit', async (context) => {
    const app = await context.sharedConnection();
    for (const response of [
      await app.get('/connection'),
      await app.get('/cards', { search: 'a' }),
      await app.get('/cards'),
    ]) {
      expectHeader(response, 'ratelimit-policy', /"[a-z-]+";q=\d+/);
      expectHeader(response, 'ratelimit', /"[a-z-]+";r=\d+/);
    }
  }),

  test(
    'version-needed',
    'a path without the version segment, or with another version, gets 404',
    async (context) => {
      const { baseUrl } = context.target;
      const app = await context.sharedConnection();
      const headers = { Authorization: `Bearer ${app.tokens.accessToken}` };
      for (const base of [baseUrl.replace(/\/v1$/, ''), baseUrl.replace(/v1$/, 'v2')]) {
        const response = await context.send({ method: 'GET', url: `${base}/connection`, headers });
        expectStatus(response, 404);
      }
    },
  ),

  test('head-and-get-body', 'the body of a GET request is ignored', async (context) => {
    const app = await context.sharedConnection();
    const response = await app.call('GET', '/connection', { body: 'nothing' });
    expectBody(response, 200, connection);
  }),

  test('json-type', 'a JSON response has the content type application/json', async (context) => {
    const app = await context.sharedConnection();
    const read = await app.get('/connection');
    expectBody(read, 200, connection);
    const refused = await app.get('/cards');
    expectStatus(refused, 400);
    for (const response of [read, refused]) {
      expectHeader(response, 'content-type', /^application\/json(; ?charset=utf-8)?$/i);
    }
  }),

  test('help', 'an error has a Link with rel="help" to its explanation', async (context) => {
    const app = await context.sharedConnection();
    expectHeader(await app.get('/cards'), 'link', /<[^>]+#invalid_request>;\s*rel="help"/);
  }),
];
