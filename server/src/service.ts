import { createServer } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { registerReference } from './api/reference.ts';
import { registerPartnerApi } from './api/routes.ts';
import { type Clock, systemClock } from './base/clock.ts';
import { deriveKey } from './base/keys.ts';
import { type Log, openLog } from './base/log.ts';
import { type Periodic, periodically } from './base/periodic.ts';
import { BoostLists } from './boosts/boost-lists.ts';
import { CardSearch, type CardSearchOptions } from './catalog/search/card-search.ts';
import type { IndexNews, IndexState } from './catalog/search/index-keeper.ts';
import type { CommandContext } from './cli/command.ts';
import { openControlServer } from './cli/control-server.ts';
import type { Config } from './config.ts';
import type { Channel } from './database/channel.ts';
import type { Database } from './database/database.ts';
import { migrate } from './database/migrate.ts';
import { selectNewestMigration } from './database/schema-version.ts';
import { openChannel } from './database/open-channel.ts';
import { isDatabaseUnavailable } from './database/unavailable.ts';
import { AccessCache } from './grants/access-cache.ts';
import { Drain, drainServer } from './http/drain.ts';
import { registerHealth } from './http/health.ts';
import { Metrics, startMetricsServer } from './http/metrics.ts';
import { createHttpServer } from './http/server.ts';
import { openCursors } from './inventory/cursors.ts';
import { restampUnits } from './inventory/restamp.ts';
import { countStalePhotos, removeStalePhotos } from './inventory/stale-photo.ts';
import { cleanUpSignIns } from './oauth/clean-up.ts';
import { mountAuthorizationServer } from './oauth/mount.ts';
import { checkPictureStore, openPictureStore } from './pictures/open-store.ts';
import { PictureQueue } from './pictures/picture-queue.ts';
import type { PictureStore } from './pictures/picture-store.ts';
import { registerShopApi } from './shop-api/routes.ts';
import { openStore, type OpenStore } from './store.ts';
import { FeedReads } from './webhooks/feed-reads.ts';
import { WebhookSecrets } from './webhooks/webhook-secrets.ts';
import { registerWelcome } from './welcome.ts';

/** The running service. */
export interface Service extends AsyncDisposable {
  /** `PUBLIC_URL`. */
  readonly publicUrl: string;
  /** Where it listens: `http://host:port`. */
  readonly url: string;
  /** Where `/metrics` is, or null. */
  readonly metricsUrl: string | null;
  readonly db: Database;
  readonly search: CardSearch;
  /** What commands that run inside the service work with. */
  readonly context: CommandContext;
  /** Drains and ends. Returns false when requests or commands had to be cut at the deadline. */
  close(): Promise<boolean>;
}

export interface ServiceOptions {
  readonly clock?: Clock;
  readonly log?: Log;
  /** A database that is open and migrated already, instead of the one that the settings name (tests). */
  readonly store?: Omit<OpenStore, typeof Symbol.asyncDispose>;
  /** The embedded engine has ended by itself: the process must end too. */
  readonly onDeath?: (error: Error) => void;
  /** Told what happens while the service starts. */
  readonly onProgress?: (sentence: string) => void;
}

/** Expired rows are nobody's any more; they only cost room. */
const CLEANUP_EVERY_MS = 60_000;
/** How long a changed catalog entry may take to reach the units that show it; a look costs three short statements. */
const RESTAMP_EVERY_MS = 2_000;

/**
 * Starts the whole service: database, migrations, faces, commands, periodic work, ports. What was started is closed
 * again when a later step fails.
 *
 * @throws FolderInUse, SchemaIsNewer, or the error of a port that is taken
 */
export async function startService(given: Config, options: ServiceOptions = {}): Promise<Service> {
  await using stack = new AsyncDisposableStack();
  const config = await settlePort(given);
  const clock = options.clock ?? systemClock;
  const log =
    options.log ?? stack.adopt(openLog({ level: config.logLevel }), (opened) => opened.close());
  const onFault = (error: unknown): void => log.error({ error }, 'a fault that no request sees');
  const store = options.store ?? (await openOwnStore(stack, config, options, onFault));
  const { db, secretKey } = store;
  const channel = stack.adopt(
    await openChannel(store.engine, { onFault }),
    async (opened) => await opened.close(),
  );
  const context: CommandContext = { db, clock, publicUrl: config.publicUrl, secretKey };
  const metrics = new Metrics();
  const search = stack.use(openSearch({ db, channel, metrics, log, onFault }));
  const feedReads = stack.adopt(
    new FeedReads({ db, clock, onFault }),
    async (opened) => await opened.close(),
  );
  const pictures = stack.adopt(
    await openPictureStore(config.photoStore),
    async (opened) => await opened.close(),
  );
  await checkPictureStore(pictures, config.photoStore, log);
  const parts = { config, store, channel, search, feedReads, pictures, clock, log, metrics };
  const { app, drain } = await buildServer(parts);
  const deadlineMs = config.drainSeconds * 1_000;
  const control =
    options.store === undefined && config.store.kind === 'embedded'
      ? stack.adopt(
          await openControlServer(config.store.folder, context, onFault),
          async (opened) => void (await opened.close(deadlineMs)),
        )
      : null;
  const jobs = startJobs({ db, channel, pictures, clock, metrics }, onFault);
  stack.defer(async () => {
    await Promise.all(jobs.map(async (job) => await job.stop()));
  });
  const metricsUrl = await startMetrics(stack, config, metrics);
  let isClean = true;
  stack.defer(async () => {
    // A port that was taken has nobody who could be given notice.
    const noticeMs = app.server.listening ? config.drainNoticeSeconds * 1_000 : 0;
    const drained = await Promise.all([
      drainServer(app, drain, { notice: wait(noticeMs), deadlineMs }),
      control?.close(deadlineMs) ?? true,
    ]);
    isClean = drained.every((isWhole) => isWhole);
  });
  await app.listen({ port: config.port, host: config.host });
  const running = stack.move();
  const close = async (): Promise<boolean> => {
    await running.disposeAsync();
    return isClean;
  };
  return {
    publicUrl: config.publicUrl,
    url: urlOf(config.host, config.port),
    metricsUrl,
    db,
    search,
    context,
    close,
    [Symbol.asyncDispose]: async () => void (await close()),
  };
}

async function openOwnStore(
  stack: AsyncDisposableStack,
  config: Config,
  { onDeath, onProgress }: ServiceOptions,
  onFault: (error: unknown) => void,
): Promise<OpenStore> {
  onProgress?.('opening the database');
  const store = stack.use(await openStore(config, { onFault, onDeath: onDeath ?? onFault }));
  onProgress?.('bringing the schema up to date');
  await migrate(store.engine);
  return store;
}

interface Parts {
  readonly config: Config;
  readonly store: Pick<OpenStore, 'engine' | 'db' | 'secretKey'>;
  readonly channel: Channel;
  readonly search: CardSearch;
  readonly feedReads: FeedReads;
  readonly pictures: PictureStore;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
}

async function buildServer({
  config,
  store,
  channel,
  search,
  feedReads,
  pictures,
  clock,
  log,
  metrics,
}: Parts): Promise<{ readonly app: FastifyInstance; readonly drain: Drain }> {
  const { db, secretKey } = store;
  const { publicUrl, rateLimits } = config;
  const drain = new Drain();
  addPoolGauges(metrics, db);
  const app = createHttpServer({
    log,
    drain,
    publicUrl,
    metrics,
    trustProxy: config.trustProxy,
    isUnavailable: isDatabaseUnavailable,
  });
  const check = async (): Promise<void> => {
    if (!search.isReady) throw new Error('the search index is being built');
    await db.one(selectNewestMigration);
  };
  registerHealth(app, { drain, check });
  registerWelcome(app, publicUrl);
  registerReference(app, publicUrl);
  const accesses = new AccessCache(db, channel, clock);
  const cursors = await openCursors(db, deriveKey(secretKey, 'cursor'), clock.now());
  const boosts = new BoostLists(db, channel, clock);
  const works = { db, clock, log, pictures, publicUrl, rateLimits };
  const webhookSecrets = new WebhookSecrets(secretKey, config.secretKeyPrevious?.reveal() ?? null);
  const { allowsLoopbackWebhooks } = config;
  const hooks = { feedReads, webhookSecrets, allowsLoopbackWebhooks };
  await registerPartnerApi(app, { ...works, ...hooks, accesses, cursors, boosts, search });
  const isUnavailable = isDatabaseUnavailable;
  const pictureQueue = new PictureQueue();
  addPhotoGauges(metrics, pictures, pictureQueue);
  await registerShopApi(app, { ...works, pictureQueue, isUnavailable });
  await mountAuthorizationServer(app, {
    db,
    clock,
    publicUrl,
    secretKey,
    refreshReplay: config.refreshReplay,
    rateLimits,
    onFault: (error, requestId) => log.error({ error, requestId }, 'a token request failed'),
  });
  return { app, drain };
}

/** Opens the search of the catalog, which begins to build its index, with what metrics show of it. */
function openSearch({
  metrics,
  log,
  ...options
}: Pick<CardSearchOptions, 'db' | 'channel' | 'onFault'> & {
  readonly metrics: Metrics;
  readonly log: Log;
}): CardSearch {
  const help = 'Searches of the card catalog.';
  const onSearched = metrics.addDuration('card_search_duration_seconds', help);
  const onNews = (news: IndexNews): void => tellOfIndex(log, news);
  const search = new CardSearch({ ...options, onSearched, onNews });
  const add = (name: string, key: keyof IndexState, text: string): void =>
    metrics.addGauge(`card_search_${name}`, text, () => search.state[key]);
  add('index_cards', 'cards', 'Cards of the search index when it was built.');
  add('changed_cards', 'changedCards', 'Cards that have changed since the index was built.');
  add('lag_seconds', 'lagSeconds', 'Time since the index was last seen to hold every change.');
  add('index_builds', 'builds', 'Search indexes that were built.');
  add('index_failures', 'failures', 'Builds that failed, and index threads that ended.');
  return search;
}

function tellOfIndex(log: Log, news: IndexNews): void {
  if (news.kind === 'lost') {
    log.warn({}, 'the search index is lost, another is built');
    return;
  }
  const { cards, seconds } = news;
  const again = news.kind === 'rebuilt' ? ' anew' : '';
  log.info({ cards, seconds }, `the search index was built${again}`);
}

function addPoolGauges(metrics: Metrics, db: Database): void {
  const add = (name: keyof ReturnType<Database['poolState']>, help: string): void =>
    metrics.addGauge(`database_pool_${name}`, help, () => db.poolState()[name]);
  add('clients', 'Connections of the pool.');
  add('idle', 'Connections of the pool that nobody uses.');
  add('waiting', 'Callers that wait for a connection.');
}

function addPhotoGauges(metrics: Metrics, pictures: PictureStore, queue: PictureQueue): void {
  const add = (name: string, help: string, read: () => number): void =>
    metrics.addGauge(`photo_${name}`, help, read);
  add('reads_open', 'Photos that are being sent.', () => pictures.openReads);
  add('reads_waiting', 'Reads of photos that wait for their turn.', () => pictures.waitingReads);
  add('uploads_decoding', 'Pictures that are being decoded.', () => queue.decoding);
  add('uploads_waiting', 'Pictures that wait to be decoded.', () => queue.waiting);
}

function startJobs(
  {
    db,
    channel,
    pictures,
    clock,
    metrics,
  }: Pick<Parts, 'channel' | 'pictures' | 'clock' | 'metrics'> & { db: Database },
  onFault: (error: unknown) => void,
): Periodic[] {
  const restamping = periodically(
    RESTAMP_EVERY_MS,
    async (signal) => await restampUnits(db, clock, signal),
    onFault,
  );
  // A changed entry reaches its units at once; the pause is for what a lost notification would leave behind.
  db.onAnnounced((topic) => {
    if (topic === 'catalog') restamping.wake();
  });
  channel.subscribe('catalog', () => restamping.wake());
  let stalePhotos = 0;
  const help =
    'Pictures that no unit shows and that should have left the store by the last clean-up.';
  metrics.addGauge('photo_stale', help, () => stalePhotos);
  return [
    restamping,
    periodically(
      CLEANUP_EVERY_MS,
      async (signal) => await cleanUpSignIns(db, clock.now(), signal),
      onFault,
    ),
    periodically(
      CLEANUP_EVERY_MS,
      async (signal) => {
        try {
          await removeStalePhotos(db, pictures, clock.now(), signal);
        } finally {
          stalePhotos = await countStalePhotos(db, clock.now());
        }
      },
      onFault,
    ),
  ];
}

/** Serves metrics where the settings say so; returns where. */
async function startMetrics(
  stack: AsyncDisposableStack,
  { metrics: address }: Config,
  metrics: Metrics,
): Promise<string | null> {
  if (address === null) return null;
  const server = await startMetricsServer(metrics, address);
  stack.defer(async () => await server.close());
  return `${urlOf(address.host, server.port)}/metrics`;
}

/** Every address that the service tells of holds its port, so that a free one is looked for before anything is built. */
async function settlePort(config: Config): Promise<Config> {
  if (config.port !== 0) return config;
  const port = await findFreePort(config.host);
  const publicUrl = config.isPublicUrlGiven ? config.publicUrl : `http://127.0.0.1:${port}`;
  return { ...config, port, publicUrl };
}

async function findFreePort(host: string): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, host, resolve);
  });
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

function urlOf(host: string, port: number): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
