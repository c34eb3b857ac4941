import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import { after, before, describe, it } from 'node:test';
// oxlint-disable-next-line import/no-namespace -- imported as in its documentation
import * as oauth from 'oauth4webapi';
// oxlint-disable-next-line import/no-namespace -- imported as in its documentation
import * as openid from 'openid-client';
import type { Locator, Page } from 'playwright-core';
import { ALL_SCOPES } from '../../test/app-client.ts';
import { CHROMIUM_PATH, type ChromiumOptions, withChromium } from '../../test/chromium.ts';
import {
  type SeededShop,
  seedShop,
  startTestService,
  type TestService,
} from '../../test/service.ts';
import { openTestDatabase, type TestDatabase } from '../../test/test-database.ts';

/** The web server of an app, which remembers the URLs that browsers were redirected to. */
interface AppServer {
  readonly origin: string;
  readonly arrived: string[];
  readonly server: Server;
}

describe(
  'the authorization code flow in Chromium (spec 5.3)',
  { skip: CHROMIUM_PATH === undefined },
  () => {
    let base: TestDatabase;
    let service: TestService;
    let app: AppServer;
    before(async () => {
      base = await openTestDatabase();
      service = await startTestService(base);
      app = await startApp();
    });
    after(async () => {
      app.server.closeAllConnections();
      app.server.close();
      await service.close();
      await base.close();
    });

    for (const [locale, isScripted] of [
      ['en-US', false],
      ['ja-JP', true],
    ] as const) {
      it(`the flow works with openid-client for Allow and Deny, in ${locale}, ${isScripted ? 'with' : 'without'} scripts`, async () => {
        const seeded = await seedShop(base, { redirectUris: [`${app.origin}/callback`] });
        const config = await openid.discovery(
          new URL(service.authUrl),
          seeded.app.clientId,
          undefined,
          openid.ClientSecretBasic(seeded.clientSecret),
          // oxlint-disable-next-line typescript/no-deprecated -- deprecated only as a warning; the tests run on loopback
          { algorithm: 'oauth2', execute: [openid.allowInsecureRequests] },
        );
        await withPage({ locale, hasScripts: isScripted }, async (page) => {
          const verifier = openid.randomPKCECodeVerifier();
          const state = openid.randomState();
          const address = openid.buildAuthorizationUrl(config, {
            redirect_uri: seeded.redirectUri,
            scope: ALL_SCOPES,
            state,
            code_challenge: await openid.calculatePKCECodeChallenge(verifier),
            code_challenge_method: 'S256',
            resource: service.partnerUrl,
          });
          await page.goto(address.href);
          await signIn(page, seeded);
          await decide(page, 'allow').click();
          await page.waitForURL(`${app.origin}/callback?**`);
          const tokens = await openid.authorizationCodeGrant(
            config,
            new URL(page.url()),
            { pkceCodeVerifier: verifier, expectedState: state, idTokenExpected: true },
            { resource: service.partnerUrl },
          );
          assert.equal(tokens.scope, ALL_SCOPES);
          // The member is already signed in, so the browser shows the consent page immediately.
          await page.goto(address.href);
          await decide(page, 'deny').click();
          await page.waitForURL(`${app.origin}/callback?**`);
          assert.equal(new URL(page.url()).searchParams.get('error'), 'access_denied');
        });
      });
    }

    it('the flow works with oauth4webapi after a wrong password, without scripts', async () => {
      const seeded = await seedShop(base, { redirectUris: [`${app.origin}/callback`] });
      const issuer = new URL(service.authUrl);
      // oxlint-disable-next-line typescript/no-deprecated -- deprecated only as a warning; the tests run on loopback
      const insecure = { [oauth.allowInsecureRequests]: true };
      const server = await oauth.processDiscoveryResponse(
        issuer,
        await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...insecure }),
      );
      const client: oauth.Client = { client_id: seeded.app.clientId };
      const verifier = oauth.generateRandomCodeVerifier();
      const address = new URL(server.authorization_endpoint ?? '');
      for (const [name, value] of Object.entries({
        response_type: 'code',
        client_id: client.client_id,
        redirect_uri: seeded.redirectUri,
        scope: 'offline_access inventory:read',
        state: 'a state',
        code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        resource: service.partnerUrl,
      })) {
        address.searchParams.set(name, value);
      }
      await withPage({ locale: 'en-US', hasScripts: false }, async (page) => {
        await page.goto(address.href);
        await signIn(page, { ...seeded, password: 'not it' });
        await page.getByRole('alert').waitFor();
        await signIn(page, seeded);
        await decide(page, 'allow').click();
        await page.waitForURL(`${app.origin}/callback?**`);
        const parameters = oauth.validateAuthResponse(
          server,
          client,
          new URL(page.url()),
          'a state',
        );
        const tokens = await oauth.processAuthorizationCodeResponse(
          server,
          client,
          await oauth.authorizationCodeGrantRequest(
            server,
            client,
            oauth.ClientSecretBasic(seeded.clientSecret),
            parameters,
            seeded.redirectUri,
            verifier,
            { additionalParameters: { resource: service.partnerUrl }, ...insecure },
          ),
        );
        assert.match(tokens.refresh_token ?? '', /^cpr_/);
      });
    });

    it('neither page causes a console error, in dark mode and on a phone', async () => {
      const seeded = await seedShop(base, { redirectUris: [`${app.origin}/callback`] });
      await withPage({ locale: 'en-US' }, async (page) => {
        const complaints: string[] = [];
        page.on('console', (message) => complaints.push(message.text()));
        page.on('pageerror', (error) => complaints.push(error.message));
        await page.emulateMedia({ colorScheme: 'dark' });
        await page.setViewportSize({ width: 320, height: 640 });
        await page.goto(authorizationUrl(service, seeded));
        await signIn(page, seeded);
        const allow = decide(page, 'allow');
        await allow.waitFor();
        const width = await page.locator('body').evaluate('document.documentElement.scrollWidth');
        assert.equal(width, 320);
        const ground = await page
          .locator('body')
          .evaluate('getComputedStyle(document.body).backgroundColor');
        assert.equal(ground, 'rgb(16, 19, 26)');
        await allow.click();
        await page.waitForURL(`${app.origin}/callback?**`);
        assert.deepEqual(complaints, []);
      });
    });
  },
);

async function signIn(
  page: Page,
  { email, password }: { readonly email: string; readonly password: string },
): Promise<void> {
  await page.locator('input[name="email"]').fill(email);
  await page.locator('input[name="password"]').fill(password);
  const form = page.locator('form', { has: page.locator('input[name="password"]') });
  await form.getByRole('button').click();
}

/** Finds the button of the consent form that sends `decision`. */
function decide(page: Page, decision: 'allow' | 'deny'): Locator {
  return page.getByRole('button').and(page.locator(`[name="decision"][value="${decision}"]`));
}

function authorizationUrl(service: TestService, seeded: SeededShop): string {
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: seeded.app.clientId,
    redirect_uri: seeded.redirectUri,
    scope: ALL_SCOPES,
    state: 's',
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    code_challenge_method: 'S256',
    resource: service.partnerUrl,
  });
  return `${service.authUrl}/oauth2/authorize?${query.toString()}`;
}

async function startApp(): Promise<AppServer> {
  const arrived: string[] = [];
  const server = createServer((request, response) => {
    arrived.push(request.url ?? '');
    response
      .setHeader('content-type', 'text/html')
      .end('<!doctype html><link rel="icon" href="data:,"><title>app</title>');
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return { origin: `http://127.0.0.1:${address.port}`, arrived, server };
}

async function withPage(
  options: Pick<ChromiumOptions, 'locale' | 'hasScripts'>,
  work: (page: Page) => Promise<void>,
): Promise<void> {
  await withChromium({ ...options, width: 1_280 }, async (context) => {
    await work(await context.newPage());
  });
}
