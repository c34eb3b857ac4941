import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Target, TargetApp, TargetMember, TargetShop } from '../target.ts';
import { catalogLines, COMMON_NAME, fullCard, inactiveCard } from './catalog.ts';
import { startControlServer } from './control-server.ts';
import { type Environment, freePort, runCommand, startProgram } from './program.ts';
import { ShopSystem } from './shop-system.ts';
import { SUITE_ENTRIES, type SeededStock, seedSecondShop, seedStock } from './stock.ts';

/** A seeded `cardport serve` and its description for the suite. */
export interface RunningTarget extends AsyncDisposable {
  readonly target: Target;
  /**
   * The address on which the process listens. The public address differs when a proxy is in front
   * of it.
   */
  readonly serviceUrl: string;
  close(): Promise<void>;
}

/** A running `cardport serve` with the settings to start another process on the same data. */
export interface ServeTarget extends RunningTarget {
  /** The environment variables of its process. */
  readonly environment: Environment;
}

export interface ServeTargetOptions {
  /**
   * The address that the suite calls: the address of a proxy that forwards everything to
   * `serviceUrl`.
   */
  readonly publicUrl?: string;
  /** `RATE_LIMITS`, for a run with more requests than the per-address limits allow. */
  readonly rateLimits?: string;
  /** An empty PostgreSQL database. Defaults to the packaged PostgreSQL. */
  readonly databaseUrl?: string;
}

const NAMES = {
  cursorParameter: 'cursor',
  limitParameter: 'limit',
  changesMember: 'changes',
  timestampHeader: 'X-Service-Timestamp',
  signatureHeader: 'X-Service-Signature',
} as const;
const ALL_SCOPES = 'openid profile offline_access purchase-boosts:read inventory:read';
const PASSWORD = 'a password of the conformance suite';

/**
 * Starts the real program on an empty folder, seeds it through commands and the Shop API, and
 * serves its controls.
 */
export async function startServeTarget(options: ServeTargetOptions = {}): Promise<ServeTarget> {
  await using stack = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), 'cardport-conformance-'));
  stack.defer(() => rmSync(folder, { recursive: true, force: true }));
  const port = await freePort();
  const serviceUrl = `http://127.0.0.1:${port}`;
  const publicUrl = options.publicUrl ?? serviceUrl;
  const environment: Environment = {
    PORT: String(port),
    PUBLIC_URL: publicUrl,
    DATA_DIR: folder,
    SECRET_KEY: 'the secret key of a conformance run, long enough',
    ALLOW_LOOPBACK_WEBHOOKS: 'true',
    DRAIN_NOTICE_SECONDS: '0',
    DRAIN_SECONDS: '2',
    LOG_LEVEL: 'error',
    ...(options.rateLimits === undefined ? {} : { RATE_LIMITS: options.rateLimits }),
    ...(options.databaseUrl === undefined ? {} : { DATABASE_URL: options.databaseUrl }),
  };
  const program = await startProgram(['serve'], environment, isReady);
  stack.defer(async () => await program.stop());
  const receiverUrl = `http://127.0.0.1:${await freePort()}/hook`;
  const seed = new Seed(environment, serviceUrl, receiverUrl);
  const [, first, second] = await Promise.all([
    runCommand(['catalog', 'import', '-'], environment, catalogLines()),
    seed.firstShop(),
    seed.secondShop(),
  ]);
  const [firstStock, secondStock] = await Promise.all([
    seedStock(first.system, SUITE_ENTRIES),
    seedSecondShop(second.system, SUITE_ENTRIES),
  ]);
  const shops = [
    { id: first.shop.id, system: first.system, changeable: firstStock.changeable },
    { id: second.shop.id, system: second.system, changeable: secondStock.changeable },
  ] as const;
  const control = await startControlServer({
    shops,
    setAppEnabled: async (clientId, isEnabled) => {
      await runCommand(['app', isEnabled ? 'enable' : 'disable', '--app', clientId], environment);
    },
    endConnection: async (clientId) => {
      for (const { system } of shops) await system.endConnections(clientId);
    },
    expireCursors: async () => void (await runCommand(['restored', '--yes'], environment)),
  });
  stack.defer(async () => await control.close());
  const owned = stack.move();
  return {
    target: {
      name: 'cardport serve',
      ...addressesOf(publicUrl),
      controlUrl: control.url,
      shops: [withStock(first.shop, firstStock), withStock(second.shop, secondStock)],
      catalog: { card: fullCard, inactiveCard, commonSearch: COMMON_NAME },
      webhook: {
        acceptableUrl: 'https://app.example/notices',
        receiverUrl,
        loopbackRedirectUri: new URL('/callback', receiverUrl).href,
      },
      names: NAMES,
    },
    serviceUrl,
    environment,
    close: async () => await owned.disposeAsync(),
    [Symbol.asyncDispose]: async () => await owned.disposeAsync(),
  };
}

/**
 * Starts another process on the same folder that sends no notices to loopback, as in production.
 * The test of 4.10, rule 1, needs it.
 */
export async function startServeWithoutLoopbackWebhooks({
  target,
  environment,
}: ServeTarget): Promise<RunningTarget> {
  const port = await freePort();
  const publicUrl = `http://127.0.0.1:${port}`;
  const settings = {
    ...environment,
    PORT: String(port),
    PUBLIC_URL: publicUrl,
    ALLOW_LOOPBACK_WEBHOOKS: 'false',
  };
  const program = await startProgram(['serve', '--no-delivery'], settings, isReady);
  const close = async (): Promise<void> => await program.stop();
  return {
    target: {
      ...target,
      ...addressesOf(publicUrl),
      name: `${target.name}, without deliveries to loopback`,
      webhook: { ...target.webhook, receiverUrl: null },
    },
    serviceUrl: publicUrl,
    close,
    [Symbol.asyncDispose]: close,
  };
}

function isReady(printed: string): boolean {
  return printed.includes('Cardport is ready at');
}

function addressesOf(publicUrl: string): Pick<Target, 'baseUrl' | 'authUrl' | 'metadataUrl'> {
  return {
    baseUrl: `${publicUrl}/partner/v1`,
    authUrl: `${publicUrl}/auth`,
    metadataUrl: `${publicUrl}/.well-known/oauth-protected-resource/partner/v1`,
  };
}

type UnstockedShop = Omit<TargetShop, 'stock' | 'boosts'>;

function withStock(shop: UnstockedShop, { stock, boosts }: SeededStock): TargetShop {
  return { ...shop, stock, boosts };
}

/** The shops, members, apps and keys, created by commands. */
class Seed {
  readonly #environment: Environment;
  readonly #serviceUrl: string;
  readonly #receiverUrl: string;

  constructor(environment: Environment, serviceUrl: string, receiverUrl: string) {
    this.#environment = environment;
    this.#serviceUrl = serviceUrl;
    this.#receiverUrl = receiverUrl;
  }

  async firstShop(): Promise<{ readonly shop: UnstockedShop; readonly system: ShopSystem }> {
    const slug = 'kumo';
    const name = 'カードショップ雲';
    const id = await this.#shop(slug, name);
    const [system, owner, clerk, main, spare, narrow] = await Promise.all([
      this.#system(slug),
      this.#member(slug, '雲野 花', 'hana', ['purchases.read', 'inventory.read']),
      this.#member(slug, '雲野 実', 'minoru', ['inventory.read']),
      this.#app(slug, 'Main', ALL_SCOPES),
      this.#app(slug, 'Spare', ALL_SCOPES),
      this.#app(slug, 'Narrow', 'offline_access purchase-boosts:read'),
    ]);
    const shop = { id, name, slug, members: { owner, clerk }, apps: { main, spare, narrow } };
    return { shop, system };
  }

  async secondShop(): Promise<{ readonly shop: UnstockedShop; readonly system: ShopSystem }> {
    const slug = 'nami';
    const name = 'Nami Cards';
    const id = await this.#shop(slug, name);
    const [system, owner, main] = await Promise.all([
      this.#system(slug),
      this.#member(slug, '波多野 渚', 'nagisa', ['purchases.read', 'inventory.read']),
      this.#app(slug, 'Mirror', ALL_SCOPES, 'https://mirror.example/callback'),
    ]);
    const members = { owner, clerk: null };
    return { shop: { id, name, slug, members, apps: { main, spare: null, narrow: null } }, system };
  }

  async #shop(slug: string, name: string): Promise<string> {
    const { id } = await runCommand(
      ['shop', 'add', '--slug', slug, '--name', name],
      this.#environment,
    );
    return String(id);
  }

  async #system(slug: string): Promise<ShopSystem> {
    const { key } = await runCommand(['key', 'add', '--shop', slug], this.#environment);
    return new ShopSystem(`${this.#serviceUrl}/shop/v1`, String(key));
  }

  async #member(
    slug: string,
    name: string,
    mailbox: string,
    permissions: readonly string[],
  ): Promise<TargetMember> {
    const email = `${mailbox}@${slug}.example`;
    // Every member in the suite approves apps, which needs a permission.
    const words = [...permissions, 'integrations.approve'].flatMap((permission) => [
      '--permission',
      permission,
    ]);
    const args = ['member', 'add', '--shop', slug, '--email', email, '--name', name, ...words];
    await runCommand([...args, '--password-stdin'], this.#environment, `${PASSWORD}\n`);
    return { email, password: PASSWORD, name };
  }

  async #app(
    slug: string,
    name: string,
    scope: string,
    redirectUri = 'https://app.example/callback',
  ): Promise<TargetApp> {
    const loopback = new URL('/callback', this.#receiverUrl).href;
    const created = await runCommand(
      ['app', 'add', '--shop', slug, '--name', name, '--scope', scope].concat([
        '--redirect-uri',
        redirectUri,
        '--redirect-uri',
        loopback,
      ]),
      this.#environment,
    );
    return {
      clientId: String(created['clientId']),
      clientSecret: String(created['clientSecret']),
      redirectUri,
      scopes: scope.split(' '),
    };
  }
}
