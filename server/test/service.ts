import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type App, registerApp } from '../src/apps/app.ts';
import { type Scope, SCOPES } from '../src/apps/scope.ts';
import type { Clock } from '../src/base/clock.ts';
import { type Log, silentLog } from '../src/base/log.ts';
import { type Config, readConfig } from '../src/config/config.ts';
import type { Database } from '../src/database/database.ts';
import { type Service, startService } from '../src/runtime/service.ts';
import { addMember, type Member } from '../src/shops/member.ts';
import { type Permission, PERMISSIONS } from '../src/shops/permission.ts';
import { createShopKey } from '../src/shops/shop-key.ts';
import { createShop, type Shop } from '../src/shops/shop.ts';
import type { TestDatabase } from './test-database.ts';
import { OPERATOR } from '../src/shops/audit.ts';

/** The real service on a free port of 127.0.0.1. */
export interface TestService extends Service {
  /** `{base_url}` of the Partner API. */
  readonly partnerUrl: string;
  /** `{auth_url}` of the authorization server. */
  readonly authUrl: string;
  /** The base of the Shop API. */
  readonly shopUrl: string;
}

/** The settings of one test service that differ from those of the others. */
export interface TestServiceOverrides {
  readonly clock?: Clock;
  readonly log?: Log;
  readonly secretKey?: string;
  /** Whether the service delivers webhooks. Defaults to the default of `serve`. */
  readonly delivers?: boolean;
  /** Environment variables to change. All others have the tests' defaults. */
  readonly environment?: Readonly<Record<string, string>>;
}

/**
 * The `SECRET_KEY` of all test services, so that two services on one database can read each other's
 * cookies, as two nodes do.
 */
export const TEST_SECRET_KEY = 'a secret key of tests, 32 characters or more';

/** The photo folder of all services in this process. The service creates the folder. */
const PHOTOS = join(tmpdir(), `cardport-tests-${process.pid}`);
/** The mail folder of all services in this process, which `mailsTo` reads. */
export const MAIL_FOLDER = join(tmpdir(), `cardport-tests-${process.pid}-mail`);
process.once('exit', () => {
  for (const folder of [PHOTOS, MAIL_FOLDER]) rmSync(folder, { recursive: true, force: true });
});

/**
 * Returns the settings of a test service: a free port, a short drain, and by default no rate
 * limits.
 */
export function testConfig(environment: Readonly<Record<string, string>> = {}): Config {
  const result = readConfig({
    PORT: '0',
    SECRET_KEY: TEST_SECRET_KEY,
    RATE_LIMITS: 'off',
    LOG_LEVEL: 'silent',
    DRAIN_NOTICE_SECONDS: '0',
    DRAIN_SECONDS: '5',
    PHOTO_STORE: PHOTOS,
    MAIL_URL: MAIL_FOLDER,
    ...environment,
  });
  if (result.kind === 'invalid') throw new Error(result.problems.join('; '));
  return result.config;
}

export async function startTestService(
  base: TestDatabase,
  {
    clock,
    log,
    environment,
    secretKey = TEST_SECRET_KEY,
    delivers = false,
  }: TestServiceOverrides = {},
): Promise<TestService> {
  const store = { engine: base.engine, db: base.db, secretKey };
  const service = await startService(testConfig(environment), {
    ...(clock === undefined ? {} : { clock }),
    log: log ?? silentLog(),
    store,
    delivers,
  });
  const { publicUrl } = service;
  return {
    ...service,
    partnerUrl: `${publicUrl}/partner/v1`,
    authUrl: `${publicUrl}/auth`,
    shopUrl: `${publicUrl}/shop/v1`,
  };
}

export interface SeededShop {
  readonly shop: Shop;
  readonly member: Member;
  readonly email: string;
  readonly password: string;
  readonly app: App;
  readonly clientSecret: string;
  readonly redirectUri: string;
  readonly shopKey: string;
}

export interface SeedOverrides {
  readonly slug?: string;
  readonly name?: string;
  readonly email?: string;
  readonly permissions?: readonly Permission[];
  readonly scopes?: readonly Scope[];
  readonly redirectUris?: readonly string[];
  readonly sharesCost?: boolean;
  readonly now?: Date;
}

let seeds = 0;
const PASSWORD = 'correct horse battery staple';
/** A password hash with minimal parameters, so that verifying does not take the usual 30 ms. */
const PASSWORD_HASH =
  '$argon2id$v=19$m=8,t=1,p=1$c2FsdCBvZiB0ZXN0cyAxNg$MmSxW98MGLoBHXHDm1UkfqNAk6uyLNGZ21OvVZWvYZw';

/** Creates a shop with a member, an app and a Shop API key. */
export async function seedShop(
  { db }: { readonly db: Database },
  overrides: SeedOverrides = {},
): Promise<SeededShop> {
  const now = overrides.now ?? new Date();
  const slug = overrides.slug ?? `shop-${++seeds}`;
  const name = overrides.name ?? 'Kumo Cards';
  const email = overrides.email ?? `hana@${slug}.example`;
  const redirectUris = overrides.redirectUris ?? ['https://app.example/callback'];
  return await db.transaction(async (tx) => {
    const shop = expect(await createShop(tx, { name, slug, currency: 'JPY' }, now), 'created');
    const person = {
      email,
      name: '雲野 花',
      permissions: overrides.permissions ?? PERMISSIONS,
      passwordHash: PASSWORD_HASH,
    };
    const added = expect(await addMember(tx, shop.shop.id, person, now, OPERATOR), 'added');
    const newApp = {
      name: 'Stock Mirror',
      contactEmail: 'developer@app.example',
      redirectUris,
      scopes: overrides.scopes ?? SCOPES,
      sharesCost: overrides.sharesCost ?? false,
    };
    const registered = expect(
      await registerApp(tx, shop.shop.id, newApp, now, OPERATOR),
      'registered',
    );
    const key = expect(await createShopKey(tx, shop.shop.id, 'till', now, OPERATOR), 'created');
    return {
      shop: shop.shop,
      member: added.member,
      email,
      password: PASSWORD,
      app: registered.app,
      clientSecret: registered.secret,
      redirectUri: redirectUris[0] ?? '',
      shopKey: key.key,
    };
  });
}

function expect<Result extends { readonly kind: string }, Kind extends Result['kind']>(
  result: Result,
  kind: Kind,
): Extract<Result, { readonly kind: Kind }> {
  if (!isOfKind(result, kind)) throw new Error(`seeding failed: ${JSON.stringify(result)}`);
  return result;
}

function isOfKind<Result extends { readonly kind: string }, Kind extends Result['kind']>(
  result: Result,
  kind: Kind,
): result is Extract<Result, { readonly kind: Kind }> {
  return result.kind === kind;
}
