import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  CARD,
  FIRST_TOKENS,
  NOW,
  openTestApp,
  errorResponse,
  scriptedService,
  type ScriptedService,
  storeWith,
} from '../test/token-manager-scene.ts';
import { ApprovalNeededError } from './local-errors.ts';
import type { PartnerApp } from './partner-app.ts';
import type { StoredTokens, TokenStore } from './tokens.ts';

describe('an approval that has ended', () => {
  const DAY_MS = 86_400_000;
  const alive = { ...FIRST_TOKENS, accessExpiresAt: new Date(NOW + 10 * DAY_MS).toISOString() };

  /** Opens an app that gets this response to every API call, and records its calls. */
  async function refusing(
    answer: () => Response,
    kept: StoredTokens = alive,
  ): Promise<{ app: PartnerApp; store: TokenStore; service: ScriptedService; calls: string[] }> {
    const service = scriptedService();
    const store = await storeWith(kept);
    const calls: string[] = [];
    const app = openTestApp(service, store, {
      retry: { triesMax: 1 },
      fetch: async (url, init) => {
        calls.push(url.slice(url.lastIndexOf('/')));
        return url.endsWith('/token') ? await service.fetch(url, init) : answer();
      },
    });
    return { app, store, service, calls };
  }

  it('is checked once: later calls fail at once with the same error until new tokens are saved', async () => {
    let code = 'connection_revoked';
    const { app, store, service, calls } = await refusing(() =>
      code === '' ? Response.json(CARD) : errorResponse(code, 403),
    );
    await assert.rejects(app.shop().card(CARD.id), { name: 'ConnectionRevokedError' });
    const errors: unknown[] = [];
    for (let more = 0; more < 3; more++) {
      // Later calls fail in the same way after the access token has expired too.
      service.now += 6 * DAY_MS;
      await app
        .shop()
        .card(CARD.id)
        .catch((error: unknown) => errors.push(error));
    }
    assert.equal(calls.length, 1);
    const [error] = errors;
    assert.ok(error instanceof ApprovalNeededError);
    assert.ok(errors.every((one) => one === error));
    // Another process may have stored a new approval.
    code = '';
    const expires = new Date(service.now + DAY_MS).toISOString();
    await store.save('default', { ...alive, accessToken: 'cpa_new', accessExpiresAt: expires });
    await app.shop().card(CARD.id);
    assert.equal(calls.length, 2);
  });

  it('does not affect another key, or tokens saved in the meantime', async () => {
    const { app, store, calls } = await refusing(() => {
      void store.save('default', { ...alive, accessToken: 'cpa_new' });
      return errorResponse('connection_revoked', 403);
    });
    await store.save('other', alive);
    await assert.rejects(app.shop().card(CARD.id), { name: 'ConnectionRevokedError' });
    await assert.rejects(app.shop().card(CARD.id), { name: 'ConnectionRevokedError' });
    await assert.rejects(app.shop('other').card(CARD.id), { name: 'ConnectionRevokedError' });
    assert.equal(calls.length, 3);
  });

  it('is not assumed while the app is disabled or the member lacks a permission: every call is sent', async () => {
    for (const code of ['client_disabled', 'forbidden', 'insufficient_scope']) {
      const { app, calls } = await refusing(() => errorResponse(code, 403));
      await assert.rejects(app.shop().card(CARD.id), { code });
      await assert.rejects(app.shop().card(CARD.id), { code });
      assert.equal(calls.length, 2, code);
    }
  });

  it('without a refresh token has ended once the service refuses the access token', async () => {
    const kept = { ...alive, refreshToken: null };
    const { app, calls } = await refusing(() => errorResponse('invalid_token', 401), kept);
    for (let call = 0; call < 3; call++) {
      await assert.rejects(app.shop().card(CARD.id), { name: 'ApprovalNeededError' });
    }
    assert.equal(calls.length, 1);
    // The connection may still exist, but these tokens cannot end it.
    await assert.rejects(app.shop().disconnect(), { name: 'ApprovalNeededError' });
  });

  it('lets disconnect and revoke succeed and remove the stored tokens', async () => {
    for (const code of ['connection_revoked', 'invalid_token']) {
      const { app, store, service } = await refusing(() =>
        errorResponse(code, code === 'invalid_token' ? 401 : 403),
      );
      service.next = () => errorResponse('invalid_grant');
      await assert.rejects(app.shop().card(CARD.id), { needsApproval: true });
      await app.shop().disconnect();
      assert.equal(await store.load('default'), null, code);
      await app.shop().disconnect();
      await app.shop().revoke();
    }
  });

  it('is not assumed if the client is refused: disconnect throws and keeps the tokens', async () => {
    for (const error of ['invalid_client', 'unauthorized_client']) {
      const { app, store, service } = await refusing(() => errorResponse('invalid_token', 401));
      service.next = () => errorResponse(error, 401);
      await assert.rejects(app.shop().disconnect(), { code: error });
      assert.notEqual(await store.load('default'), null);
    }
  });
});
