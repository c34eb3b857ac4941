import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { exchangeRaw, readResponses } from '../../test/raw-socket.ts';
import { startTestService } from '../../test/service.ts';
import { openTestDatabase } from '../../test/test-database.ts';

/** Paths of all parts of the service, including unknown paths. */
const PATHS = [
  '/',
  '/livez',
  '/readyz',
  '/docs',
  '/docs/nothing',
  '/docs/reference',
  '/openapi/partner-v1.json',
  '/openapi/shop-v1.json',
  '/asyncapi/partner-v1.json',
  '/partner/v1/connection',
  '/partner/v1/purchase-boosts',
  '/partner/v1/inventory/changes',
  '/partner/v1/cards',
  '/partner/v1/cards/1',
  '/partner/v1/inventory/items/1/photos/front',
  '/partner/v1/webhook',
  '/partner/v1/nothing',
  '/shop/v1/sites/1',
  '/shop/v1/units/batch',
  '/shop/v1/units/1/status',
  '/shop/v1/units/1/photos/front',
  '/shop/v1/boosts/1/pause',
  '/shop/v1/boosts/1/purchases/1',
  '/shop/v1/connections/1',
  '/shop/v1/connections/1/attempts',
  '/shop/v1/connections/1/notice',
  '/shop/v1/nothing',
  '/sign-in',
  '/auth/oauth2/authorize',
  '/auth/oauth2/token',
  '/auth/oauth2/revoke',
  '/auth/oauth2/jwks',
  '/auth/.well-known/oauth-authorization-server',
  '/.well-known/oauth-authorization-server/auth',
  '/.well-known/oauth-protected-resource/partner/v1',
  '/auth/nothing',
];
const METHODS = [
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
  'PROPFIND',
  'QUERY',
  'TRACE',
];
const QUERIES = [
  '?%00=%00',
  '?a=1&a=2',
  '?client_id=%00&scope=%00',
  '?client_id=a&client_id=b',
  '?resource=x&resource=y',
  '?__proto__=1',
  '?client_id[]=1',
  '?search=%FF&search[]=1',
  '?%ff=%ff',
  '?client_id=%ED%A0%80',
  '%zz',
];
const BODIES = [
  'a=%00',
  'grant_type=refresh_token&refresh_token=%00',
  'token=%00',
  '%',
  'a=b&a=c',
  '\0\0',
  '{',
  'x'.repeat(20_000),
];
const TYPES = [
  'application/x-www-form-urlencoded',
  'application/json',
  'application/x-ndjson',
  ';;;',
];
const AUTHORIZATIONS = [
  '',
  'Authorization: Basic \xff\r\n',
  'Authorization: Basic AAAA\r\n',
  'Authorization: Bearer csk_\r\n',
];
/** The number of concurrent requests. */
const AT_ONCE = 32;

function makeRequests(): readonly string[] {
  return PATHS.flatMap((path) => [
    ...METHODS.map((method) => `${method} ${path} HTTP/1.1\r\nHost: x\r\n\r\n`),
    ...QUERIES.map((query) => `GET ${path}${query} HTTP/1.1\r\nHost: x\r\n\r\n`),
    ...BODIES.flatMap((body, index) =>
      TYPES.map((type, turn) => {
        const authorization = AUTHORIZATIONS[(index + turn) % AUTHORIZATIONS.length] ?? '';
        const length = `Content-Length: ${body.length}\r\n`;
        return `POST ${path} HTTP/1.1\r\nHost: x\r\n${authorization}Content-Type: ${type}\r\n${length}\r\n${body}`;
      }),
    ),
    `POST ${path} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n`,
  ]);
}

describe('the whole service over a raw socket (decision 0008)', () => {
  it('every method on every path is answered without a 5xx and with the constant headers', async () => {
    await using base = await openTestDatabase();
    await using service = await startTestService(base);
    const port = Number(new URL(service.url).port);
    const requests = makeRequests();
    const check = async (request: string): Promise<void> => {
      const name = request.slice(0, 300);
      const isHead = request.startsWith('HEAD');
      const responses = readResponses(await exchangeRaw(port, request), () => isHead);
      assert.notEqual(responses.length, 0, name);
      for (const { status, headers, body } of responses) {
        assert.ok(status < 500, `${status} ${body} to ${name}`);
        assert.equal(headers.get('cache-control'), 'no-store', name);
        assert.equal(headers.get('x-content-type-options'), 'nosniff', name);
        assert.match(headers.get('x-request-id') ?? '', /^[0-9a-z]{18}$/, name);
        const code = /^\{"error":"(\w+)"/.exec(body)?.[1];
        if (code === undefined) continue;
        const link = `<${service.publicUrl}/docs/errors#${code}>; rel="help"`;
        assert.equal(headers.get('link'), link, name);
      }
    };
    for (let start = 0; start < requests.length; start += AT_ONCE) {
      await Promise.all(requests.slice(start, start + AT_ONCE).map(check));
    }
    const [live] = readResponses(await exchangeRaw(port, 'GET /livez HTTP/1.1\r\nHost: x\r\n\r\n'));
    assert.equal(live?.status, 200);
  });
});
