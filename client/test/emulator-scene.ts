import assert from 'node:assert/strict';
import { after, afterEach, before } from 'node:test';
import type { PartnerAppOptions } from '../src/app-options.ts';
import { openPartnerApp, type PartnerApp } from '../src/partner-app.ts';
import type { Shop } from '../src/shop.ts';
import { memoryTokenStore, type StoredTokens, type TokenStore } from '../src/tokens.ts';
import { type RunningEmulator, startEmulator } from './running-emulator.ts';

export const TOKEN_PATH = '/auth/oauth2/token';
/** The default number of retries, with hardly any delay. */
export const QUICK = { firstDelayMs: 1, delayMsMax: 5 };
const LONG_AGO = new Date(0).toISOString();

let running: RunningEmulator | null = null;
let pendingUsers = 0;

/**
 * Gives a `describe` a reset emulator, and clears its faults after each test. All suites in one
 * process share one emulator, because starting it takes 4 s of CPU time.
 */
export function useEmulator(): void {
  pendingUsers++;
  before(async () => {
    if (running === null) running = await startEmulator();
    else await running.tell('reset');
  });
  afterEach(async () => void (await emulator.tell('faults/clear')));
  after(async () => {
    if (--pendingUsers > 0) return;
    await running?.[Symbol.asyncDispose]();
    running = null;
  });
}

function started(): RunningEmulator {
  if (running === null) throw new Error('call useEmulator() in the describe');
  return running;
}

/** The emulator of a `describe` that called {@link useEmulator}. */
export const emulator: Pick<RunningEmulator, 'baseUrl' | 'authUrl' | 'tell'> = {
  get baseUrl() {
    return started().baseUrl;
  },
  get authUrl() {
    return started().authUrl;
  },
  tell: async (path, body) => await started().tell(path, body),
};

/** Opens an app that is registered in the emulator. */
export function openApp(changes: Partial<PartnerAppOptions> = {}): PartnerApp {
  return openPartnerApp({
    baseUrl: emulator.baseUrl,
    clientId: 'app_emulated',
    clientSecret: 'cps_emulated',
    redirectUri: 'http://127.0.0.1:8090/callback',
    tokens: memoryTokenStore(),
    retry: QUICK,
    ...changes,
  });
}

/** Decides as the shop's owner. Returns the callback address. */
export async function decideApproval(
  authorizationUrl: string,
  decision = 'allow',
): Promise<string> {
  const { redirectUrl } = await emulator.tell('approvals', { authorizationUrl, decision });
  return String(redirectUrl);
}

/** Approves the app as the shop's owner. */
export async function approve(app: PartnerApp): Promise<Shop> {
  const { url, pending } = await app.beginAuthorization();
  return (await app.completeAuthorization(await decideApproval(url), pending)).shop;
}

/** Returns the stored tokens of the shop. */
export async function storedTokens(store: TokenStore): Promise<StoredTokens> {
  const tokens = await store.load('default');
  assert.ok(tokens !== null && tokens !== undefined);
  return tokens;
}

/** Moves the access token's expiry into the past, so that the next call refreshes the token. */
export async function expireAccessToken(store: TokenStore): Promise<void> {
  await store.save('default', { ...(await storedTokens(store)), accessExpiresAt: LONG_AGO });
}
