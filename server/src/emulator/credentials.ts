import type { Scope } from '../apps/scope.ts';
import { SCOPES } from '../apps/scope.ts';
import { demoId } from '../demo/seeded-random.ts';
import { PERMISSIONS, type Permission } from '../shops/permission.ts';

/** Ten times the usual: a test suite sends more requests in a second than an app in a minute. */
export const RATE_LIMIT = { perMinute: 60_000, burst: 10_000 } as const;

export const PASSWORD = 'emulated password';

/** The redirect URIs of every app: those of the example app and of common development servers. */
export const REDIRECT_URIS = [
  'http://127.0.0.1:8090/callback',
  'http://localhost:3000/callback',
  'http://127.0.0.1:3000/callback',
] as const;

export interface FixedMember {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly permissions: readonly Permission[];
}

/** An app with fixed credentials. The secret is public and works only in emulators. */
export interface FixedApp {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly sharesCost: boolean;
}

export interface FixedShop {
  readonly id: string;
  readonly slug: string;
  readonly name: string;
  readonly currency: 'JPY';
  readonly keyId: string;
  /** `csk_` and 43 letters and digits, the format of keys without a shop id (decision 0007). */
  readonly shopKey: string;
  /** The members of the shop. A call that names no member uses the first one. */
  readonly members: readonly [FixedMember, ...FixedMember[]];
  readonly apps: readonly [FixedApp, ...FixedApp[]];
}

/** The number of characters after the prefix of a Shop API key. */
const KEY_LETTERS = 43;

/**
 * The shops with which every emulator starts. They are always the same, so that tests and docs can
 * contain these values (decision 0150). They are never written to another database, because `seed`
 * accepts only a `TemporaryDatabase` and the functions of other modules generate random values.
 */
export const FIXED_SHOPS: readonly [FixedShop, FixedShop] = [
  {
    id: demoId('emulated shop'),
    slug: 'emulated',
    name: 'ほしぞらカード',
    currency: 'JPY',
    keyId: demoId('emulated key'),
    shopKey: `csk_${'emulated'.padEnd(KEY_LETTERS, '0')}`,
    members: [
      {
        id: demoId('emulated owner'),
        email: 'owner@emulated.example',
        name: '星野 はな',
        permissions: PERMISSIONS,
      },
      {
        id: demoId('emulated clerk'),
        email: 'clerk@emulated.example',
        name: '朝倉 みなと',
        permissions: ['inventory.read', 'inventory.write', 'integrations.approve'],
      },
    ],
    apps: [
      {
        clientId: 'app_emulated',
        clientSecret: 'cps_emulated',
        name: 'Price Board',
        scopes: SCOPES,
        sharesCost: false,
      },
      {
        clientId: 'app_emulatedboosts',
        clientSecret: 'cps_emulatedboosts',
        name: 'Boost Poster',
        scopes: ['purchase-boosts:read'],
        sharesCost: false,
      },
      {
        clientId: 'app_emulatedtwo',
        clientSecret: 'cps_emulatedtwo',
        name: 'Stock Mirror',
        scopes: SCOPES,
        sharesCost: false,
      },
    ],
  },
  {
    id: demoId('second shop'),
    slug: 'second',
    name: 'つきかげカード',
    currency: 'JPY',
    keyId: demoId('second key'),
    shopKey: `csk_${'second'.padEnd(KEY_LETTERS, '0')}`,
    members: [
      {
        id: demoId('second owner'),
        email: 'owner@second.example',
        name: '月岡 れん',
        permissions: PERMISSIONS,
      },
    ],
    apps: [
      {
        clientId: 'app_second',
        clientSecret: 'cps_second',
        name: 'Price Board',
        scopes: SCOPES,
        sharesCost: false,
      },
    ],
  },
];

export interface EmulatedApp {
  readonly shop: FixedShop;
  readonly app: FixedApp;
}

export const FIXED_APPS: readonly EmulatedApp[] = FIXED_SHOPS.flatMap((shop) =>
  shop.apps.map((app) => ({ shop, app })),
);

/** The app that a call uses if the call names no app. */
export const FIRST_APP: EmulatedApp = { shop: FIXED_SHOPS[0], app: FIXED_SHOPS[0].apps[0] };
