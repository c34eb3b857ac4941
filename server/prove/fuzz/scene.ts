import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type App, findApp, registerApp, setAppEnabled } from '../../src/apps/app.ts';
import { type Scope, SCOPES } from '../../src/apps/scope.ts';
import { systemClock } from '../../src/base/clock.ts';
import { openDemo } from '../../src/demo/open-demo.ts';
import { findAccountByEmail } from '../../src/shops/account.ts';
import { OPERATOR } from '../../src/shops/audit.ts';
import { addMember, findMember, setMember } from '../../src/shops/member.ts';
import { DUMMY_HASH } from '../../src/shops/password.ts';
import { type Permission, PERMISSIONS } from '../../src/shops/permission.ts';
import { startSession } from '../../src/shops/session.ts';
import type { Shop } from '../../src/shops/shop.ts';
import { createShopKey, listShopKeys, removeShopKey } from '../../src/shops/shop-key.ts';
import { type HookReceiver, startHookReceiver } from '../../test/hook-receiver.ts';
import { decodeMail } from '../../test/mails.ts';
import { seedShop } from '../../test/service.ts';
import type { TestDatabase } from '../../test/test-database.ts';
import { Random } from './random.ts';

/**
 * The users of the service: one with all permissions, one at the counter, one without permissions,
 * one of another shop.
 */
export const PEOPLE = ['owner', 'clerk', 'bare', 'stranger'] as const;
export type Person = (typeof PEOPLE)[number];

const PERMISSIONS_OF: Readonly<Record<Exclude<Person, 'stranger'>, readonly Permission[]>> = {
  owner: PERMISSIONS,
  clerk: ['purchases.read', 'purchases.write', 'inventory.read', 'inventory.write'],
  bare: [],
};

/** The scopes that each app may request. */
export const SCOPES_OF = {
  all: SCOPES,
  stock: ['offline_access', 'inventory:read'],
  boosts: ['offline_access', 'purchase-boosts:read'],
  brief: ['openid', 'inventory:read'],
} as const satisfies Readonly<Record<string, readonly Scope[]>>;

export type AppName = keyof typeof SCOPES_OF;
export const APP_NAMES: readonly AppName[] = ['all', 'stock', 'boosts', 'brief'];

/** An app with its secret. */
export interface Client {
  readonly clientId: string;
  readonly secret: string;
  readonly scopes: readonly Scope[];
}

type Part = 'base' | 'folder' | 'receiver' | 'shop' | 'password' | 'accounts' | 'strangersKey';
type SceneParts = Pick<Scene, Part>;

/** The maximum number of mails with links that cases open. */
const MAILS_MAX = 12;
/**
 * The maximum number of keys that the run adds to the shop; further keys are removed. A shop can
 * have 50 keys.
 */
const KEYS_MAX = 20;

/**
 * The demo shop with people and apps of every kind. The scene recreates what cases remove (a
 * permission, an app, a key, a session) through the domain's functions.
 */
export class Scene implements AsyncDisposable {
  readonly base: TestDatabase;
  readonly folder: string;
  readonly receiver: HookReceiver;
  readonly shop: Shop;
  readonly password: string;
  readonly accounts: Readonly<Record<Person, { readonly id: string; readonly email: string }>>;
  readonly clients = new Map<AppName, Client>();
  shopKey = '';
  /** A key of another shop. The cases do not write to that shop. */
  readonly strangersKey: string;

  private constructor(made: SceneParts) {
    this.base = made.base;
    this.folder = made.folder;
    this.receiver = made.receiver;
    this.shop = made.shop;
    this.password = made.password;
    this.accounts = made.accounts;
    this.strangersKey = made.strangersKey;
  }

  static async open(base: TestDatabase): Promise<Scene> {
    const folder = mkdtempSync(join(tmpdir(), 'cardport-fuzz-'));
    const receiver = await startHookReceiver();
    const { db } = base;
    const demo = await openDemo(db, systemClock, folder, () => undefined);
    if (demo.kind !== 'demo') throw new Error(demo.reason);
    const { shop, credentials } = demo;
    const accountOf = async (email: string): Promise<{ id: string; email: string }> => {
      const account = await findAccountByEmail(db, email);
      if (account === undefined) throw new Error(`no account has the address ${email}`);
      return { id: account.id, email };
    };
    const bare = 'kei@demo.example';
    await db.transaction(async (tx) => {
      const person = { email: bare, name: '森 けい', permissions: [], passwordHash: DUMMY_HASH };
      await addMember(tx, shop.id, person, new Date(), OPERATOR);
    });
    const stranger = await seedShop(base, { slug: 'elsewhere' });
    const accounts = {
      owner: await accountOf(credentials.email),
      clerk: await accountOf('ren@demo.example'),
      bare: await accountOf(bare),
      stranger: await accountOf(stranger.email),
    };
    const { password } = credentials;
    const strangersKey = stranger.shopKey;
    const scene = new Scene({ base, folder, receiver, shop, password, accounts, strangersKey });
    await scene.restore(new Random('scene'));
    await scene.renewKey();
    return scene;
  }

  get redirectUri(): string {
    return new URL('/callback', this.receiver.url).href;
  }

  /** Strings that must not appear in any log or report. */
  get secrets(): readonly string[] {
    return [this.shopKey, this.password, ...[...this.clients.values()].map(({ secret }) => secret)];
  }

  /** The folder of the mails that the service sends. */
  get mails(): string {
    return join(this.folder, 'mail');
  }

  /** The paths of invitation links in the latest mails. */
  get invitations(): readonly string[] {
    const names = existsSync(this.mails) ? readdirSync(this.mails).filter(isMail) : [];
    const latest = names.toSorted().slice(-MAILS_MAX);
    return latest.flatMap((name) => {
      const text = decodeMail(readFileSync(join(this.mails, name), 'utf8'));
      return /\/console\/invitations\/\w+/.exec(text) ?? [];
    });
  }

  /** Starts a session of a person and returns the secret of its cookie. */
  async signIn(person: Person): Promise<string> {
    await this.#restoreMember(person);
    const { secret } = await startSession(this.base.db, this.accounts[person].id, new Date());
    return secret;
  }

  /** Creates a new key of the shop, and removes excess keys. */
  async renewKey(): Promise<void> {
    const { shop } = this;
    await this.base.db.transaction(async (tx) => {
      const now = new Date();
      const keys = await listShopKeys(tx, shop.id);
      for (const { id } of keys.slice(KEYS_MAX)) {
        await removeShopKey(tx, shop.id, id, now, OPERATOR);
      }
      const made = await createShopKey(tx, shop.id, 'fuzz', now, OPERATOR);
      if (made.kind !== 'created') throw new Error(`no key: ${made.kind}`);
      this.shopKey = made.key;
    });
  }

  client(name: AppName): Client {
    const client = this.clients.get(name);
    if (client === undefined) throw new Error(`no app ${name}`);
    return client;
  }

  /** Registers a new app in place of one that no longer works. */
  async renewClient(name: AppName): Promise<void> {
    const scopes = SCOPES_OF[name];
    const registered = await this.base.db.transaction(async (tx) => {
      const app = {
        name: `Fuzz ${name}`,
        contactEmail: null,
        redirectUris: [this.redirectUri],
        scopes,
        sharesCost: name === 'all',
      };
      return await registerApp(tx, this.shop.id, app, new Date(), OPERATOR);
    });
    if (registered.kind !== 'registered') throw new Error(registered.reason);
    const { clientId } = registered.app;
    this.clients.set(name, { clientId, secret: registered.secret, scopes });
  }

  /**
   * Restores the permissions and apps that cases have removed, and chooses how the webhook receiver
   * responds from now on.
   */
  async restore(random: Random): Promise<void> {
    this.receiver.respondWith(
      random.pick([204, 204, 204, 500, 302, 410]),
      random.pick([0, 0, 300]),
    );
    for (const person of PEOPLE) await this.#restoreMember(person);
    for (const name of APP_NAMES) await this.#restoreApp(name);
  }

  async #restoreMember(person: Person): Promise<void> {
    if (person === 'stranger') return;
    const { db } = this.base;
    const permissions = PERMISSIONS_OF[person];
    const accountId = this.accounts[person].id;
    const member = await findMember(db, this.shop.id, accountId);
    if (member?.isActive === true && isSameSet(member.permissions, permissions)) return;
    const change = { permissions, isActive: true };
    await db.transaction(
      async (tx) => await setMember(tx, this.shop.id, accountId, change, new Date(), OPERATOR),
    );
  }

  async #restoreApp(name: AppName): Promise<void> {
    const { db } = this.base;
    const client = this.clients.get(name);
    const app = client === undefined ? undefined : await findApp(db, client.clientId);
    if (app === undefined || app.removedAt !== null) {
      await this.renewClient(name);
      return;
    }
    if (!this.#isAsRegistered(name, app)) await this.renewClient(name);
    else if (!app.isEnabled) {
      await db.transaction(
        async (tx) => await setAppEnabled(tx, app.clientId, true, new Date(), OPERATOR),
      );
    }
  }

  #isAsRegistered(name: AppName, { scopes, redirectUris }: App): boolean {
    return isSameSet(scopes, SCOPES_OF[name]) && redirectUris.includes(this.redirectUri);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.receiver[Symbol.asyncDispose]();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

function isMail(name: string): boolean {
  return name.endsWith('.eml');
}

function isSameSet(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((each) => b.includes(each));
}
