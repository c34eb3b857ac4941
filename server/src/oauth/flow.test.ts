import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
// oxlint-disable-next-line import/no-namespace -- imported as in its documentation
import * as oauth from 'oauth4webapi';
// oxlint-disable-next-line import/no-namespace -- imported as in its documentation
import * as openid from 'openid-client';
import { ALL_SCOPES, AppClient, signInOn } from '../../test/app-client.ts';
import { formTo, PlainBrowser, CONSENT } from '../../test/plain-browser.ts';
import { seedShop, startTestService, type TestService } from '../../test/service.ts';
import { openTestDatabase, type TestDatabase } from '../../test/test-database.ts';

/** Both libraries refuse http unless this option is set. The tests run on loopback. */
// oxlint-disable-next-line typescript/no-deprecated -- deprecated only as a warning; the tests run on loopback
const insecure = { [oauth.allowInsecureRequests]: true };

describe('the authorization code flow with unmodified client libraries (spec 5.3)', () => {
  let base: TestDatabase;
  let service: TestService;
  before(async () => {
    base = await openTestDatabase();
    service = await startTestService(base);
  });
  after(async () => {
    await service.close();
    await base.close();
  });

  it('openid-client can discover, be approved with plain forms, connect, refresh and revoke', async () => {
    const seeded = await seedShop(base);
    const config = await openid.discovery(
      new URL(service.authUrl),
      seeded.app.clientId,
      undefined,
      openid.ClientSecretBasic(seeded.clientSecret),
      // oxlint-disable-next-line typescript/no-deprecated -- deprecated only as a warning; the tests run on loopback
      { algorithm: 'oauth2', execute: [openid.allowInsecureRequests] },
    );
    // The client also checks the signature of the id_token with the published key.
    openid.enableNonRepudiationChecks(config);
    const verifier = openid.randomPKCECodeVerifier();
    const state = openid.randomState();
    const nonce = openid.randomNonce();
    const address = openid.buildAuthorizationUrl(config, {
      redirect_uri: seeded.redirectUri,
      scope: ALL_SCOPES,
      state,
      nonce,
      code_challenge: await openid.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      resource: service.partnerUrl,
    });
    const browser = new PlainBrowser(service.url);
    const page = await signInOn(browser, address.href, seeded);
    const { url } = await browser.submit(page, formTo(page, CONSENT, { decision: 'allow' }));
    const tokens = await openid.authorizationCodeGrant(
      config,
      new URL(url),
      {
        pkceCodeVerifier: verifier,
        expectedState: state,
        expectedNonce: nonce,
        idTokenExpected: true,
      },
      { resource: service.partnerUrl },
    );
    assert.match(tokens.access_token, /^cpa_[A-Za-z0-9]{65}$/);
    assert.match(tokens.refresh_token ?? '', /^cpr_[A-Za-z0-9]{89}$/);
    assert.equal(tokens.expires_in, 900);
    assert.equal(tokens.scope, ALL_SCOPES);
    assert.deepEqual(
      { sub: tokens.claims()?.sub, name: tokens.claims()?.['name'] },
      { sub: seeded.member.account.id, name: seeded.member.account.name },
    );
    const app = new AppClient(service, seeded);
    assert.equal((await app.call('POST', '/connection', tokens.access_token)).status, 201);

    const next = await openid.refreshTokenGrant(config, tokens.refresh_token ?? '', {
      resource: service.partnerUrl,
    });
    assert.notEqual(next.refresh_token, tokens.refresh_token);
    assert.equal((await app.call('GET', '/connection', next.access_token)).status, 200);
    assert.equal((await app.call('GET', '/connection', tokens.access_token)).status, 200);

    await openid.tokenRevocation(config, next.refresh_token ?? '');
    assert.equal((await app.call('GET', '/connection', next.access_token)).status, 401);
  });

  it('oauth4webapi can read both metadata documents, be approved with plain forms, and refresh', async () => {
    const seeded = await seedShop(base);
    const resource = new URL(service.partnerUrl);
    const found = await oauth.processResourceDiscoveryResponse(
      resource,
      await oauth.resourceDiscoveryRequest(resource, insecure),
    );
    const issuer = new URL(found.authorization_servers?.[0] ?? '');
    const server = await oauth.processDiscoveryResponse(
      issuer,
      await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...insecure }),
    );
    const client: oauth.Client = { client_id: seeded.app.clientId };
    const authentication = oauth.ClientSecretBasic(seeded.clientSecret);
    const verifier = oauth.generateRandomCodeVerifier();
    const state = oauth.generateRandomState();
    const address = new URL(server.authorization_endpoint ?? '');
    for (const [name, value] of Object.entries({
      response_type: 'code',
      client_id: client.client_id,
      redirect_uri: seeded.redirectUri,
      scope: ALL_SCOPES,
      state,
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      resource: resource.href,
    })) {
      address.searchParams.set(name, value);
    }
    const browser = new PlainBrowser(service.url);
    const page = await signInOn(browser, address.href, seeded);
    const { url } = await browser.submit(page, formTo(page, CONSENT, { decision: 'allow' }));
    const parameters = oauth.validateAuthResponse(server, client, new URL(url), state);
    const answer = await oauth.authorizationCodeGrantRequest(
      server,
      client,
      authentication,
      parameters,
      seeded.redirectUri,
      verifier,
      { additionalParameters: { resource: resource.href }, ...insecure },
    );
    const tokens = await oauth.processAuthorizationCodeResponse(server, client, answer);
    assert.equal(tokens.token_type, 'bearer');
    const refreshed = await oauth.processRefreshTokenResponse(
      server,
      client,
      await oauth.refreshTokenGrantRequest(
        server,
        client,
        authentication,
        tokens.refresh_token ?? '',
        { additionalParameters: { resource: resource.href }, ...insecure },
      ),
    );
    assert.equal(refreshed.scope, ALL_SCOPES);
    const called = await oauth.protectedResourceRequest(
      refreshed.access_token,
      'POST',
      new URL(`${service.partnerUrl}/connection`),
      new Headers(),
      null,
      insecure,
    );
    assert.equal(called.status, 201);
    const revoked = await oauth.revocationRequest(
      server,
      client,
      authentication,
      refreshed.access_token,
      insecure,
    );
    await oauth.processRevocationResponse(revoked);
    assert.equal(
      (await new AppClient(service, seeded).call('GET', '/connection', refreshed.access_token))
        .status,
      401,
    );
  });

  it('the id_token has no name if profile was not requested', async () => {
    const app = new AppClient(service, await seedShop(base));
    const { id_token: token = '' } = await app.tokens({ scope: 'openid inventory:read' });
    const payload = Buffer.from(token.split('.')[1] ?? '', 'base64url').toString();
    assert.equal(payload.includes('"name"'), false);
    assert.equal(payload.includes(app.seeded.member.account.id), true);
  });

  it('both metadata documents have exactly the expected members', async () => {
    const { authUrl, url, partnerUrl } = service;
    const plain = await fetch(`${authUrl}/.well-known/oauth-authorization-server`);
    const inserted = await fetch(`${url}/.well-known/oauth-authorization-server/auth`);
    const text = await plain.text();
    assert.equal(text, await inserted.text());
    assert.deepEqual(JSON.parse(text), {
      issuer: authUrl,
      authorization_endpoint: `${authUrl}/oauth2/authorize`,
      token_endpoint: `${authUrl}/oauth2/token`,
      revocation_endpoint: `${authUrl}/oauth2/revoke`,
      jwks_uri: `${authUrl}/oauth2/jwks`,
      scopes_supported: ALL_SCOPES.split(' '),
      response_types_supported: ['code'],
      response_modes_supported: ['query'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      token_endpoint_auth_methods_supported: ['client_secret_basic'],
      revocation_endpoint_auth_methods_supported: ['client_secret_basic'],
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
    });
    const resource = await fetch(`${url}/.well-known/oauth-protected-resource/partner/v1`);
    assert.deepEqual(await resource.json(), {
      resource: partnerUrl,
      authorization_servers: [authUrl],
      scopes_supported: ['purchase-boosts:read', 'inventory:read'],
      bearer_methods_supported: ['header'],
    });
    for (const answer of [plain, inserted, resource]) {
      assert.equal(answer.headers.get('cache-control'), 'no-store');
      assert.match(answer.headers.get('x-request-id') ?? '', /^[a-z0-9]{10,}$/);
    }
  });
});
