import type { PartnerAppOptions } from '../src/app-options.ts';
import { openPartnerApp, type PartnerApp } from '../src/partner-app.ts';
import type { FetchAnswer, FetchInit } from '../src/platform.ts';
import { memoryTokenStore, type StoredTokens, type TokenStore } from '../src/tokens.ts';

export const SECRET = 'cps_the_secret';
export const FIRST_TOKENS: StoredTokens = {
  accessToken: 'cpa_0',
  accessExpiresAt: '2026-06-01T12:00:00.000Z',
  refreshToken: 'cpr_0',
  scope: 'offline_access inventory:read',
};
export const OPTIONS = {
  baseUrl: 'https://cards.example/partner/v1',
  authUrl: 'https://cards.example/auth',
  clientId: 'app_1',
  clientSecret: SECRET,
  redirectUri: 'https://app.example/callback',
  retry: { firstDelayMs: 1, delayMsMax: 1 },
};
export const NOW = Date.parse(FIRST_TOKENS.accessExpiresAt);
export const CARD = { id: '3d1f2c8e-6f53-4d59-9a35-0c9f2f7f3a11', name: 'x' };

/** A minimal service that rotates tokens. A test sets its responses and reads its requests. */
export interface ScriptedService {
  readonly asked: { readonly token: string; readonly key: string; readonly body: string }[];
  /** Called for each token request. Undefined issues the next tokens. */
  next: (count: number) => Response | Error | undefined;
  now: number;
  rotations: number;
  expiresIn: number;
  readonly fetch: (url: string, init: FetchInit) => Promise<FetchAnswer>;
  rotate(): object;
}

export function scriptedService(): ScriptedService {
  const service: ScriptedService = {
    asked: [],
    next: () => undefined,
    now: NOW,
    rotations: 0,
    expiresIn: 900,
    fetch: async (url: string, init: FetchInit): Promise<FetchAnswer> => {
      if (!url.endsWith('/oauth2/token')) return Response.json(CARD);
      const body = new URLSearchParams(init.body);
      service.asked.push({
        token: body.get('refresh_token') ?? '',
        key: init.headers['idempotency-key'] ?? '',
        body: init.body ?? '',
      });
      const told = service.next(service.asked.length);
      if (told instanceof Error) throw told;
      return told ?? Response.json(service.rotate());
    },
    rotate: () => {
      service.rotations++;
      return {
        access_token: `cpa_${service.rotations}`,
        refresh_token: `cpr_${service.rotations}`,
        token_type: 'Bearer',
        expires_in: service.expiresIn,
        scope: FIRST_TOKENS.scope,
      };
    },
  };
  return service;
}

/** Creates a store with the tokens of an approval. */
export async function storeWith(tokens: StoredTokens = FIRST_TOKENS): Promise<TokenStore> {
  const store = memoryTokenStore();
  await store.save('default', tokens);
  return store;
}

/** Opens an app that uses this service and this clock. */
export function openTestApp(
  service: ScriptedService,
  tokens: TokenStore,
  changes: Partial<PartnerAppOptions> = {},
): PartnerApp {
  return openPartnerApp({
    ...OPTIONS,
    tokens,
    fetch: service.fetch,
    now: () => service.now,
    ...changes,
  });
}

export function errorResponse(error: string, status = 400): Response {
  return Response.json({ error }, { status });
}

export const networkError = new TypeError('fetch failed');
