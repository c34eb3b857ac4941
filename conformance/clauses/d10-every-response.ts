import { type HttpResponse, headerOf } from '../response.ts';
import type { Context } from '../context.ts';
import { type ConformanceTest, testFactory } from '../definition.ts';
import { callEndpoint, endpoints } from '../endpoints.ts';
import { expect, expectHeader, isObject, jsonOf } from '../expect.ts';

const test = testFactory('D10');

const JSON_TYPE = { 'Content-Type': 'application/json' };
/** One byte more than the maximum body. */
const TOO_LARGE = 'x'.repeat(16 * 1024 + 1);

/** Returns an error for each status, except those that need a fault of the service. */
async function everyError(context: Context): Promise<readonly HttpResponse[]> {
  const app = await context.sharedConnection();
  const narrow = await context.sharedConnection({
    app: context.narrowApp,
    changes: { scope: context.narrowApp.scopes.join(' ') },
  });
  const tooLarge = { headers: JSON_TYPE, body: TOO_LARGE };
  const wrongType = { headers: { 'Content-Type': 'text/plain' }, body: 'x' };
  return [
    await app.get('/cards'),
    await context.anonymous('GET', '/connection'),
    await narrow.get('/inventory/sites'),
    await app.get('/no-such-path'),
    await app.call('PATCH', '/connection'),
    await app.call('PUT', '/webhook', tooLarge),
    await app.call('PUT', '/webhook', wrongType),
    await app.put('/webhook', { url: 'http://other.example/' }),
  ];
}

/** Returns a response of every endpoint and some errors, from the connection of the spare app. */
async function everyResponse(context: Context): Promise<readonly HttpResponse[]> {
  const app = await context.connected({ app: context.spareApp });
  const answers: HttpResponse[] = [];
  for (const endpoint of endpoints) answers.push(await callEndpoint(context, app, endpoint));
  // The connection has just ended, so these calls are refused.
  return [...answers, await app.get('/inventory/sites'), await app.put('/webhook', {})];
}

export const tests: readonly ConformanceTest[] = [
  test(
    'help-everywhere',
    'every error, of any status, links to the explanation of its code',
    async (context) => {
      const answers = await everyError(context);
      const statuses = new Set(answers.map(({ status }) => status));
      expect(statuses.size === answers.length, 'an error of each status', [...statuses]);
      for (const response of answers) {
        const body = jsonOf(response);
        const code = String(isObject(body) ? body['error'] : null);
        expectHeader(response, 'link', new RegExp(`<[^>]+#${code}>;\\s*rel="help"`));
      }
    },
  ),

  test(
    'request-id-everywhere',
    'responses without a body, photos and responses of the authorization server have X-Request-Id too',
    async (context) => {
      const app = await context.connected({ app: context.spareApp });
      const { photo } = context.shop.stock;
      const path = `/inventory/items/${photo?.unitId}/photos/${photo?.sides[0]}`;
      const etag = headerOf(await app.get(path), 'etag') ?? '';
      for (const response of [
        await app.delete('/webhook'),
        await app.get(path, {}, { 'If-None-Match': etag }),
        await app.call('HEAD', path),
        await app.oauth.refresh('none'),
        await app.oauth.revoke('none'),
        await app.oauth.open(app.oauth.request()),
        await context.send({ method: 'GET', url: context.target.metadataUrl }),
      ]) {
        expectHeader(response, 'x-request-id', /./);
      }
    },
  ),

  test(
    'rate-headers-everywhere',
    'every response of every endpoint has RateLimit-Policy and RateLimit, and so has every error',
    async (context) => {
      for (const response of await everyResponse(context)) {
        expectHeader(response, 'ratelimit-policy', /"[a-z-]+";q=\d+/);
        expectHeader(response, 'ratelimit', /"[a-z-]+";r=\d+/);
      }
    },
  ),
];
