import assert from 'node:assert/strict';
import { after, afterEach, before } from 'node:test';
import type { PartnerAppOptions } from '../src/app-options.ts';
import { openPartnerApp, type PartnerApp } from '../src/partner-app.ts';
import type { Shop } from '../src/shop.ts';
import { memoryTokenStore, type StoredTokens, type TokenStore } from '../src/tokens.ts';
import { type RunningEmulator, startEmulator } from './running-emulator.ts';

/** The path of the token endpoint. */
export const TOKEN = '/auth/oauth2/token';
/** Retries as often as always, without the waits. */
export const QUICK = { firstDelayMs: 1, delayMsMax: 5 };
const LONG_AGO = new Date(0).toISOString();

/** The emulator of a test file, and apps that it knows. */
export interface EmulatorScene {
  readonly emulator: Pick<RunningEmulator, 'baseUrl' | 'authUrl' | 'tell'>;
  readonly openApp: (changes?: Partial<PartnerAppOptions>) => PartnerApp;
  /** An app that the shop's owner has approved. */
  readonly approve: (app: PartnerApp) => Promise<Shop>;
  readonly allow: (authorizationUrl: string, decision?: string) => Promise<string>;
}

/** Starts one emulator for the whole file that calls it, and clears its faults after each test. */
export function openEmulatorScene(): EmulatorScene {
  let running: RunningEmulator;
  before(async () => {
    running = await startEmulator();
  });
  after(async () => await running[Symbol.asyncDispose]());
  afterEach(async () => void (await running.tell('faults/clear')));

  const emulator: EmulatorScene['emulator'] = {
    get baseUrl() {
      return running.baseUrl;
    },
    get authUrl() {
      return running.authUrl;
    },
    tell: async (path, body) => await running.tell(path, body),
  };
  const allow: EmulatorScene['allow'] = async (authorizationUrl, decision = 'allow') => {
    const { redirectUrl } = await emulator.tell('approvals', { authorizationUrl, decision });
    return String(redirectUrl);
  };
  return {
    emulator,
    openApp: (changes = {}) =>
      openPartnerApp({
        baseUrl: emulator.baseUrl,
        clientId: 'app_emulated',
        clientSecret: 'cps_emulated',
        redirectUri: 'http://127.0.0.1:8090/callback',
        tokens: memoryTokenStore(),
        retry: QUICK,
        ...changes,
      }),
    approve: async (app) => {
      const { url, pending } = await app.beginAuthorization();
      return (await app.completeAuthorization(await allow(url), pending)).shop;
    },
    allow,
  };
}

/** The tokens that a store holds for the shop. */
export async function kept(store: TokenStore): Promise<StoredTokens> {
  const tokens = await store.load('default');
  assert.ok(tokens !== null && tokens !== undefined);
  return tokens;
}

/** Makes the next call refresh: the access token counts as ended. */
export async function end(store: TokenStore): Promise<void> {
  await store.save('default', { ...(await kept(store)), accessExpiresAt: LONG_AGO });
}
