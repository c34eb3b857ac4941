import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { makeProbes, type Probe } from '../../test/malformed-http.ts';
import {
  type PartnerNode,
  seedGrant,
  seedParty,
  startPartnerNode,
  TEST_PUBLIC_URL,
} from '../../test/partner.ts';
import { exchangeRaw, type RawResponse, readResponses } from '../../test/raw-socket.ts';
import { openTestDatabase, type TestDatabase } from '../../test/test-database.ts';

/** The error codes that are allowed for each status (decision 0008). */
const CODES: ReadonlyMap<number, readonly string[]> = new Map([
  [400, ['invalid_request']],
  [401, ['invalid_token']],
  [403, ['forbidden']],
  [404, ['not_found']],
  [405, ['method_not_allowed']],
  [408, ['invalid_request']],
  [413, ['payload_too_large']],
  [415, ['unsupported_media_type']],
  [417, ['invalid_request']],
  [431, ['invalid_request']],
]);

function checkResponse(name: string, response: RawResponse, isHead: boolean): void {
  const { status, headers, body } = response;
  assert.equal(headers.get('cache-control'), 'no-store', name);
  assert.match(headers.get('x-request-id') ?? '', /^[0-9a-z]{18}$/, name);
  assert.equal(headers.get('x-content-type-options'), 'nosniff', name);
  if (status === 405) assert.ok(headers.has('allow'), name);
  if (status < 300) {
    assert.ok(!headers.has('link'), name);
    return;
  }
  const bodies = CODES.get(status)?.map((code) => `{"error":"${code}"}`);
  assert.ok(bodies, `${name}: ${status} ${body}`);
  assert.equal(headers.get('content-type'), 'application/json; charset=utf-8', name);
  if (isHead) return;
  assert.ok(bodies.includes(body), `${name}: ${status} ${body}`);
  // Every error has a help link (decision 0008).
  const code = /\w+(?="\}$)/.exec(body)?.[0];
  const link = `<${TEST_PUBLIC_URL}/docs/errors#${code}>; rel="help"`;
  assert.equal(headers.get('link'), link, name);
}

/** Some probes wait for a timeout of the server, so several run concurrently. */
const PROBES_AT_ONCE = 16;

const LIVE = 'GET /livez HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';

describe('malformed HTTP over a raw socket (decision 0008)', () => {
  let base: TestDatabase;
  let node: PartnerNode;
  before(async () => {
    base = await openTestDatabase();
    const timeouts = { headersMs: 400, requestMs: 400, checkMs: 50 };
    node = await startPartnerNode(base, { timeouts });
  });
  after(async () => {
    await node[Symbol.asyncDispose]();
    await base.close();
  });

  async function checkAlive(): Promise<void> {
    const [live] = readResponses(await exchangeRaw(node.port, LIVE));
    assert.equal(live?.status, 200);
  }

  async function checkProbe(probe: Probe): Promise<void> {
    const isHead = probe.isHead === true;
    const responses = readResponses(await exchangeRaw(node.port, probe.bytes), () => isHead);
    for (const response of responses) checkResponse(probe.name, response, isHead);
    assert.notEqual(responses.length, 0, probe.name);
    // Send the probe again as a client that does not wait. Its responses must be correct too.
    const hasty = readResponses(await exchangeRaw(node.port, probe.bytes, 'at_once'), () => isHead);
    for (const response of hasty) checkResponse(probe.name, response, isHead);
  }

  it('more than 200 malformed requests get only documented error bodies, and the server survives', async () => {
    const probes = makeProbes();
    assert.ok(probes.length >= 200, String(probes.length));
    for (let start = 0; start < probes.length; start += PROBES_AT_ONCE) {
      await Promise.all(probes.slice(start, start + PROBES_AT_ONCE).map(checkProbe));
    }
    await checkAlive();
  });

  it('a request line without a version (HTTP/0.9) gets a 400', async () => {
    for (const line of ['GET /partner/v1/connection', 'GET /livez', 'GET /console']) {
      const [response] = readResponses(await exchangeRaw(node.port, `${line}\r\n\r\n`));
      assert.equal(response?.status, 400, line);
      assert.equal(response.body, '{"error":"invalid_request"}');
    }
  });

  it('a request that is sent only in part gets a 408 with exactly the documented body', async () => {
    const halves = [
      'GET /livez HTTP/1.1\r\n',
      'GET /livez HTTP/1.1\r\nHost: x\r\nAccept',
      'POST /partner/v1/connection HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n',
      'G',
    ];
    for (const half of halves) {
      const bytes = await exchangeRaw(node.port, half, 'never');
      const [response, ...others] = readResponses(bytes);
      assert.equal(others.length, 0);
      assert.equal(response?.status, 408, half);
      assert.equal(response.body, '{"error":"invalid_request"}');
      checkResponse(half, response, false);
    }
    await checkAlive();
  });

  it('a request of an authorized caller with only part of the body gets a 408 and has no effect', async () => {
    const { token } = await seedGrant(base.db, await seedParty(base.db));
    const head = `POST /partner/v1/connection HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n`;
    for (const rest of [
      'Content-Length: 10\r\n\r\n{',
      'Transfer-Encoding: chunked\r\n\r\n5\r\n{',
    ]) {
      const bytes = await exchangeRaw(node.port, `${head}${rest}`, 'never');
      const [response] = readResponses(bytes);
      assert.equal(response?.status, 408, rest);
      checkResponse(rest, response, false);
    }
    // Send a request, and disconnect before the end of the body.
    await exchangeRaw(node.port, `${head}Content-Length: 10\r\n\r\n{`, 'at_once');
    assert.equal((await node.call('GET', '/connection', { token })).status, 403);
    await checkAlive();
  });

  it('the connection is closed if the request is refused before its body has arrived', async () => {
    const body = 'x'.repeat(20_000);
    for (const method of ['POST', 'DELETE', 'GET']) {
      const request = `${method} /partner/v1/connection HTTP/1.1\r\nHost: x\r\nContent-Length: 20000\r\n\r\n`;
      // Never send the body, but keep the connection open.
      const bytes = await exchangeRaw(node.port, request, 'never');
      const [response] = readResponses(bytes);
      assert.equal(response?.status, 401, method);
      assert.equal(response.headers.get('connection'), 'close');
      const [whole] = readResponses(await exchangeRaw(node.port, `${request}${body}`));
      assert.equal(whole?.status, 401, method);
    }
  });
});
