import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openPartnerApp } from './partner-app.ts';
import { memoryTokenStore, type TokenStore } from './tokens.ts';

const REDIRECT = 'https://app.example/callback';
const OPTIONS = {
  baseUrl: 'https://cards.example/partner/v1',
  clientId: 'app_1',
  clientSecret: 'cps_1',
  redirectUri: REDIRECT,
  tokens: memoryTokenStore(),
  // The call continues in the background after the abort; this makes it end soon.
  timeoutMs: 1_000,
  retry: { triesMax: 1 },
};
const TOKENS = {
  access_token: 'cpa_1',
  refresh_token: 'cpr_1',
  token_type: 'Bearer',
  expires_in: 900,
};

async function never(): Promise<never> {
  return await new Promise<never>(() => undefined);
}

/** Aborts the call while it runs, and expects the signal's reason. */
async function endsWithSignal(call: (signal: AbortSignal) => Promise<unknown>): Promise<void> {
  const controller = new AbortController();
  const calling = call(controller.signal);
  await new Promise(setImmediate);
  const reason = new Error('enough');
  controller.abort(reason);
  await assert.rejects(calling, reason);
}

describe('the exchange of a code', () => {
  it('the exchange is retried for the lifetime of the code, which is shorter than the retries of other calls', async () => {
    let [now, asked] = [Date.parse('2026-06-01T12:00:00.000Z'), 0];
    const app = openPartnerApp({
      ...OPTIONS,
      authUrl: 'https://cards.example/auth',
      retry: { firstDelayMs: 1, delayMsMax: 1 },
      now: () => now,
      fetch: async () => {
        asked++;
        now += 30_001;
        throw new TypeError('fetch failed');
      },
    });
    const { pending } = await app.beginAuthorization();
    const callback = `${REDIRECT}?code=c&state=${pending.state}`;
    await assert.rejects(app.completeAuthorization(callback, pending), {
      code: 'connection_failed',
    });
    assert.equal(asked, 2);
  });
});

describe('a signal', { timeout: 10_000 }, () => {
  it('a signal aborts the start of an approval during discovery', async () => {
    const app = openPartnerApp({ ...OPTIONS, fetch: never });
    await endsWithSignal(async (signal) => await app.beginAuthorization({ signal }));
  });

  it('a signal aborts the completion of an approval at each of its waits', async () => {
    const known = { ...OPTIONS, authUrl: 'https://cards.example/auth' };
    const stuck: TokenStore = { ...memoryTokenStore(), save: never };
    for (const app of [
      openPartnerApp({ ...OPTIONS, fetch: never }),
      openPartnerApp({ ...known, fetch: never }),
      openPartnerApp({ ...known, tokens: stuck, fetch: async () => Response.json(TOKENS) }),
    ]) {
      const { pending } = await openPartnerApp(known).beginAuthorization();
      const callback = `${REDIRECT}?code=c&state=${pending.state}`;
      await endsWithSignal(async (signal) => {
        return await app.completeAuthorization(callback, pending, 'default', { signal });
      });
    }
  });

  it('a signal aborts a call and a revocation whose store or service does not respond', async () => {
    const stuck: TokenStore = { ...memoryTokenStore(), load: never };
    const app = openPartnerApp({ ...OPTIONS, tokens: stuck });
    await endsWithSignal(async (signal) => await app.shop().sites({ signal }));
    await endsWithSignal(async (signal) => await app.shop().revoke({ signal }));
    const tokens = memoryTokenStore();
    const accessExpiresAt = '2099-01-01T00:00:00.000Z';
    const kept = { accessToken: 'cpa_1', accessExpiresAt, refreshToken: 'cpr_1', scope: 's' };
    await tokens.save('default', kept);
    const mute = openPartnerApp({ ...OPTIONS, tokens, fetch: never });
    await endsWithSignal(async (signal) => await mute.shop().revoke({ signal }));
    assert.deepEqual(await tokens.load('default'), kept);
  });
});
