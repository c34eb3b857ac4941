import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { discover, discoverOnce } from './discovery.ts';
import { openTransport } from './transport.ts';

const BASE = 'https://cards.example/partner/v1';
const AUTH = 'https://cards.example/auth';
const RESOURCE = { resource: BASE, authorization_servers: [AUTH] };
const SERVER = {
  issuer: AUTH,
  authorization_endpoint: `${AUTH}/oauth2/authorize`,
  token_endpoint: `${AUTH}/oauth2/token`,
  revocation_endpoint: `${AUTH}/oauth2/revoke`,
  code_challenge_methods_supported: ['S256'],
  authorization_response_iss_parameter_supported: true,
};

/**
 * Runs discovery with these changes to the two metadata documents. Returns the result or the error.
 */
async function find(
  resource: object = {},
  server: object = {},
  baseUrl: string = BASE,
): Promise<unknown> {
  const transport = openTransport({
    docsUrl: 'https://cards.example/docs/errors',
    fetch: async (url) => {
      const document = url.includes('protected-resource')
        ? { ...RESOURCE, ...resource }
        : { ...SERVER, ...server };
      const { origin } = new URL(baseUrl);
      const isKnown =
        url === `${origin}/.well-known/oauth-protected-resource/partner/v1` ||
        url === `${origin}/auth/.well-known/oauth-authorization-server`;
      const text = JSON.stringify(document).replaceAll('https://cards.example/', `${origin}/`);
      return new Response(text, { status: isKnown ? 200 : 404 });
    },
  });
  return await discover(transport, baseUrl).catch((error: unknown) => String(error));
}

describe('the discovery of the authorization server (RFC 9728, RFC 8414)', () => {
  it('if there is no metadata, the error says what baseUrl must look like', async () => {
    const found = await find({}, {}, 'https://cards.example');
    assert.match(String(found), /no Partner API at https:\/\/cards\.example: .* \/partner\/v1/);
  });

  it('discovery reads the endpoints from the metadata of the resource and of the server', async () => {
    assert.deepEqual(await find(), {
      issuer: AUTH,
      authorizationEndpoint: `${AUTH}/oauth2/authorize`,
      tokenEndpoint: `${AUTH}/oauth2/token`,
      revocationEndpoint: `${AUTH}/oauth2/revoke`,
      sendsIssuer: true,
    });
  });

  it('discovery refuses metadata that names another issuer', async () => {
    assert.match(String(await find({ resource: 'https://evil.example' })), /another address/);
    assert.match(
      String(await find({}, { issuer: 'https://evil.example' })),
      /names another issuer/,
    );
  });

  it('discovery refuses a server without S256', async () => {
    for (const methods of [undefined, [], ['plain'], 'S256']) {
      const changed = { code_challenge_methods_supported: methods };
      assert.match(String(await find({}, changed)), /S256/);
    }
  });

  it('discovery refuses addresses without https, because the client secret is sent to them', async () => {
    const bad = ['http://cards.example/auth/token', 'javascript:alert(1)', 'no address', 7];
    for (const address of bad) {
      for (const member of ['authorization_endpoint', 'token_endpoint', 'revocation_endpoint']) {
        assert.match(String(await find({}, { [member]: address })), /MalformedAnswerError/);
      }
      assert.match(
        String(await find({ authorization_servers: [address] })),
        /MalformedAnswerError/,
      );
    }
    assert.match(String(await find({ authorization_servers: [] })), /MalformedAnswerError/);
  });

  it('discovery refuses addresses with http on other hosts, a password or a query, even if baseUrl is on loopback', async () => {
    const local = 'http://127.0.0.1:8085/partner/v1';
    assert.equal(typeof (await find({}, {}, local)), 'object');
    const bad = [
      'http://cards.example.net/auth/token',
      'http://127.0.0.1.example.net/token',
      'https://me:cps_hidden@cards.example.net/token',
      'https://cards.example.net/token?x=cps_hidden',
      'https://cards.example.net/token#x',
    ];
    for (const address of bad) {
      for (const member of ['authorization_endpoint', 'token_endpoint', 'revocation_endpoint']) {
        const said = String(await find({}, { [member]: address }, local));
        assert.match(said, /MalformedAnswerError.*must/u);
        assert.equal(said.includes('hidden'), false);
      }
    }
    const https = { token_endpoint: 'https://cards.example.net/token' };
    assert.equal(typeof (await find({}, https, local)), 'object');
    const inward = { token_endpoint: 'http://127.0.0.1:1/token' };
    assert.match(String(await find({}, inward)), /must use https, because baseUrl does/u);
  });
});

describe('a pending discovery', () => {
  it('one discovery serves all concurrent callers, and its failure is cached for five seconds', async () => {
    let [now, asked, status] = [0, 0, 404];
    let headers = {};
    const transport = openTransport({
      docsUrl: 'https://cards.example/docs/errors',
      retry: { triesMax: 1 },
      now: () => now,
      fetch: async (url) => {
        asked++;
        const found = url.includes('protected-resource') ? RESOURCE : SERVER;
        return Response.json(status === 200 ? found : {}, { status, headers });
      },
    });
    const find = discoverOnce(transport, BASE);
    const errors = await Promise.all(
      [find, find, find].map(async (one) => await one().catch(String)),
    );
    assert.deepEqual([new Set(errors).size, asked], [1, 1]);
    now = 4_999;
    await assert.rejects(find(), { name: 'MalformedAnswerError' });
    assert.equal(asked, 1);
    now = 5_000;
    [status, headers] = [503, { 'retry-after': '60' }];
    await assert.rejects(find(), { status: 503 });
    now = 64_999;
    await assert.rejects(find(), { status: 503 });
    assert.equal(asked, 2);
    [now, status] = [65_000, 200];
    assert.equal((await find()).issuer, AUTH);
    await find();
    assert.equal(asked, 4);
  });
});
