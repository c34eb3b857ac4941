import { setTimeout as pause } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { registerReference } from '../api/reference.ts';
import { registerPartnerApi } from '../api/routes.ts';
import { findFreePort } from '../base/free-port.ts';
import type { Clock } from '../base/clock.ts';
import { deriveKey } from '../base/keys.ts';
import type { Log } from '../base/log.ts';
import { type PeriodicWork, runPeriodically } from '../base/periodic.ts';
import { BoostListCache } from '../boosts/boost-list-cache.ts';
import { CardSearch, type CardSearchOptions } from '../catalog/card-search.ts';
import type { IndexEvent, IndexState } from '../catalog/index-keeper.ts';
import type { CommandContext } from '../cli/command.ts';
import type { Config } from '../config/config.ts';
import { assetPath } from '../console/assets.ts';
import { mountConsole } from '../console/mount.ts';
import type { ConsoleRoute } from '../console/routes.ts';
import type { Database } from '../database/database.ts';
import { selectNewestMigration } from '../database/schema-version.ts';
import { isDatabaseUnavailable } from '../database/unavailable.ts';
import { registerDocs } from '../docs/routes.ts';
import { AccessCache } from '../approvals/access-cache.ts';
import { RefreshTokens } from '../approvals/refresh-token.ts';
import {
  type Infrastructure,
  type InfrastructureOptions,
  openInfrastructure,
  serveMetrics,
  urlOf,
} from './infrastructure.ts';
import { Drain, drainServer } from '../http/drain.ts';
import { NotReady, registerHealth } from '../http/health.ts';
import type { Metrics } from '../http/metrics.ts';
import type { LoadShedderBounds } from '../http/load-shedder.ts';
import { createHttpServer } from '../http/server.ts';
import { openCursorCodec } from '../inventory/cursors.ts';
import { rerenderUnits } from '../inventory/rerender-units.ts';
import { removeOldMovements } from '../inventory/stock-figures.ts';
import { countStalePhotos, removeStalePhotos } from '../inventory/stale-photo.ts';
import { openMailer } from '../mail/open-mailer.ts';
import { deleteExpiredRows } from '../oauth/clean-up.ts';
import { cleanStockImports } from '../stock-file/stock-import.ts';
import { mountAuthorizationServer } from '../oauth/mount.ts';
import { countTokenErrors } from '../oauth/token-errors.ts';
import { checkImageStore, openImageStore } from '../images/open-image-store.ts';
import type { DecoderPool } from '../images/decoder-pool.ts';
import { DecodeQueue } from '../images/decode-queue.ts';
import type { ImageStore } from '../images/image-store.ts';
import type { DeliveryInterceptors, WebhookDelivery } from './webhook-delivery.ts';
import { registerShopApi } from '../shop-api/routes.ts';
import { createSignInServices, type SignInServices } from '../sign-in/services.ts';
import { startWebhookJobs } from './webhook-jobs.ts';
import { FeedReads } from '../connections/feed-reads.ts';
import { bringForwardRetries } from '../webhooks/bring-forward-retries.ts';
import { registerIndexPage } from './index-page.ts';
import { registerSecurityTxt } from './security-txt.ts';
import { watchLastBackup } from './watch-last-backup.ts';

export interface Service extends AsyncDisposable {
  readonly publicUrl: string;
  readonly url: string;
  readonly metricsUrl: string | null;
  readonly db: Database;
  readonly search: CardSearch;
  /** All routes of the console, which tests and benchmarks visit. */
  readonly consoleRoutes: readonly ConsoleRoute[];
  readonly decoders: DecoderPool;
  readonly context: CommandContext;
  /** Drains and stops the service. Returns false when requests were aborted at the deadline. */
  close(): Promise<boolean>;
}

export interface ServiceOptions extends InfrastructureOptions {
  /** False if other processes send the webhook deliveries. */
  readonly delivers?: boolean;
  readonly notices?: DeliveryInterceptors;
  readonly overload?: Partial<LoadShedderBounds>;
  /** Replaces the configured image store. It is closed with the service. */
  readonly images?: ImageStore;
}

/** How often expired rows are deleted. Expired rows have no effect but take space. */
const CLEANUP_EVERY_MS = 60_000;
/** How soon a node notices that the database was replaced, or that the operator has decided. */
const IDENTITY_CHECKED_EVERY_MS = 1_000;
/** A catalog change reaches its units within this time. Each check takes three short statements. */
const RERENDER_EVERY_MS = 2_000;

/**
 * If a step fails, everything already started is closed.
 *
 * @throws FolderUnusable, NoPackagedPostgresql, SchemaIsNewer, or the error of a port in use
 */
export async function startService(
  configured: Config,
  options: ServiceOptions = {},
): Promise<Service> {
  await using stack = new AsyncDisposableStack();
  const config = await choosePort(configured);
  const infrastructure = await openInfrastructure(stack, config, options);
  const { clock, log, onFault, store, db, channel, metrics, tracing } = infrastructure;
  const deadlineMs = config.drainSeconds * 1_000;
  // Requests, deliveries and the last traces share one deadline; the unfinished ones are aborted.
  let drainsSinceMs = performance.now();
  const remainingMs = (): number => Math.max(deadlineMs - (performance.now() - drainsSinceMs), 0);
  stack.defer(async () => await tracing?.close(remainingMs()));
  const { secretKey } = store;
  const { publicUrl, restoredTokenDays } = config;
  const { engine } = store;
  const context: CommandContext = { db, engine, clock, publicUrl, secretKey, restoredTokenDays };
  await infrastructure.retryWhileUnreachable(infrastructure.restores.check);
  const search = stack.use(openSearch({ db, channel, metrics, log, onFault }));
  const feedReads = stack.adopt(
    new FeedReads({
      db,
      clock,
      onFault,
      onReads: async (readers, now) => await bringForwardRetries(db, readers, now),
    }),
    async (opened) => await opened.close(),
  );
  const images = stack.adopt(
    options.images ?? (await openImageStore(config.photoStore)),
    async (opened) => await opened.close(),
  );
  await checkImageStore(images, config.photoStore, log);
  const decodeQueue = stack.adopt(new DecodeQueue(), (opened) => opened.decoders.close());
  const { app, drain, consoleRoutes, signIn } = await buildServer({
    ...infrastructure,
    search,
    feedReads,
    images,
    decodeQueue,
    overload: options.overload ?? {},
  });
  // Sign-in writes continue after the response, so wait for them before the database closes.
  stack.defer(async () => await signIn.reporter.settle());
  stack.defer(async () => await signIn.resets.settle());
  const jobs = [...startJobs({ ...infrastructure, images }), ...startWebhookJobs(infrastructure)];
  stack.defer(async () => {
    await Promise.all(jobs.map(async (job) => await job.stop()));
  });
  const metricsUrl = await serveMetrics(stack, config, metrics);
  let delivery: WebhookDelivery | null = null;
  stack.defer(async () => void (await delivery?.close(remainingMs())));
  let isClean = true;
  stack.defer(async () => {
    // If the start failed before the port was bound, the server has no clients to wait for.
    const noticeMs = app.server.listening ? config.drainNoticeSeconds * 1_000 : 0;
    drainsSinceMs = performance.now() + noticeMs;
    isClean = await drainServer(app, drain, { gracePeriod: pause(noticeMs), deadlineMs });
  });
  await app.listen({ port: config.port, host: config.host });
  // Start deliveries only now that the port is bound: a process that fails to start sends nothing.
  if (options.delivers !== false) {
    // Import delivery only when needed, because it loads an HTTP client.
    const { startWebhookDelivery } = await import('./webhook-delivery.ts');
    delivery = startWebhookDelivery(infrastructure, options.notices);
  }
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
    consoleRoutes,
    decoders: decodeQueue.decoders,
    context,
    close,
    [Symbol.asyncDispose]: async () => void (await close()),
  };
}

interface ServerDependencies extends Infrastructure {
  readonly search: CardSearch;
  readonly feedReads: FeedReads;
  readonly images: ImageStore;
  readonly decodeQueue: DecodeQueue;
  readonly overload: Partial<LoadShedderBounds>;
}

interface BuiltServer {
  readonly app: FastifyInstance;
  readonly drain: Drain;
  readonly consoleRoutes: readonly ConsoleRoute[];
  readonly signIn: SignInServices;
}

async function buildServer({
  config,
  retryWhileUnreachable,
  store,
  channel,
  search,
  feedReads,
  restores,
  images,
  decodeQueue,
  clock,
  findClockProblem,
  findWarnings,
  outages,
  log,
  metrics,
  tracing,
  webhookSecrets,
  overload,
}: ServerDependencies): Promise<BuiltServer> {
  const { db, secretKey } = store;
  const { publicUrl, rateLimits, allowsLoopbackWebhooks, shopUnitsMax } = config;
  const drain = new Drain();
  const { trustProxy } = config;
  const requests = { log, drain, publicUrl, metrics, tracing, trustProxy, outages, overload };
  const app = createHttpServer({ ...requests, isUnavailable: isDatabaseUnavailable });

  const check = async (): Promise<readonly string[]> => {
    requireReady(search, findClockProblem());
    await db.one(selectNewestMigration);
    return [...restores.warnings, ...(await findWarnings())];
  };
  registerHealth(app, { drain, check });
  registerPublicPages(app, publicUrl, clock);
  const accesses = new AccessCache(db, channel, clock);
  const cursorKey = deriveKey(secretKey, 'cursor');
  const cursors = await retryWhileUnreachable(
    async () => await openCursorCodec(db, cursorKey, clock.now()),
  );
  const boosts = new BoostListCache(db, channel, clock);
  const common = { db, clock, log, images, publicUrl, rateLimits, shopUnitsMax };
  const hooks = { feedReads, restores, webhookSecrets, allowsLoopbackWebhooks };
  await registerPartnerApi(app, { ...common, ...hooks, accesses, cursors, boosts, search });
  addPhotoGauges(metrics, images, decodeQueue);
  await registerShopApi(app, { ...common, decodeQueue, isUnavailable: isDatabaseUnavailable });
  const mail = openMailer(config.mail, clock);
  const signIn = createSignInServices({
    ...common,
    mail,
    secretKey,
    failuresPerMinute: rateLimits?.failures.perMinute ?? null,
    passkeyScript: () => assetPath('passkey.js'),
  });
  await retryWhileUnreachable(async () => await signIn.setup.isOpen());
  const consoleRoutes = await mountConsole(app, {
    ...common,
    signIn,
    mail,
    search,
    decodeQueue,
    allowsLoopbackWebhooks,
    isUnavailable: isDatabaseUnavailable,
  });
  const previousKey = config.secretKeyPrevious?.reveal() ?? null;
  await mountAuthorizationServer(app, {
    db,
    clock,
    publicUrl,
    secretKey,
    signIn,
    refreshReplay: config.refreshReplay,
    previousKey,
    refreshTokens: new RefreshTokens(secretKey, previousKey),
    restoredTokenDays: config.restoredTokenDays,
    isLossUndecided: restores.isLossUndecided,
    rateLimits,
    onFault: (error, requestId) => log.error({ error, requestId }, 'a token request failed'),
    onTokenError: countTokenErrors(metrics),
  });
  return { app, drain, consoleRoutes, signIn };
}

function requireReady(search: CardSearch, clockProblem: string | null): void {
  if (!search.isReady) throw new NotReady('the search index is being built');
  if (clockProblem !== null) throw new NotReady(clockProblem);
}

function registerPublicPages(app: FastifyInstance, publicUrl: string, clock: Clock): void {
  registerIndexPage(app, publicUrl);
  registerSecurityTxt(app, publicUrl, clock);
  registerReference(app, publicUrl);
  registerDocs(app);
}

function openSearch({
  metrics,
  log,
  ...options
}: Pick<CardSearchOptions, 'db' | 'channel' | 'onFault'> & {
  readonly metrics: Metrics;
  readonly log: Log;
}): CardSearch {
  const help = 'Searches of the card catalog.';
  const onSearched = metrics.addDuration('cardport_card_search_duration_seconds', help);
  const onEvent = (news: IndexEvent): void => logIndexEvent(log, news);
  const search = new CardSearch({ ...options, onSearched, onEvent });
  const add = (name: string, key: keyof IndexState, text: string): void =>
    metrics.addGauge(`cardport_card_search_${name}`, text, () => search.state[key]);
  add('index_cards', 'cards', 'Cards in the search index when it was built.');
  add('changed_cards', 'changedCards', 'Cards changed since the index was built.');
  add('lag_seconds', 'lagSeconds', 'Time since the index was last known to contain every change.');
  const count = (name: string, key: keyof IndexState, text: string): void =>
    metrics.addReadCounter(
      `cardport_card_search_index_${name}_total`,
      text,
      () => search.state[key],
    );
  count('builds', 'builds', 'Search index builds that succeeded.');
  count('failures', 'failures', 'Failed search index builds, and index threads that ended.');
  return search;
}

function logIndexEvent(log: Log, event: IndexEvent): void {
  if (event.kind === 'lost') {
    log.warn({}, 'the search index was lost; building another one');
    return;
  }
  const { cards, seconds } = event;
  log.info({ cards, seconds }, `the search index was ${event.kind}`);
}

function addPhotoGauges(metrics: Metrics, images: ImageStore, queue: DecodeQueue): void {
  const add = (name: string, help: string, read: () => number): void =>
    metrics.addGauge(`cardport_photo_${name}`, help, read);
  add('reads_open', 'Photos being sent.', () => images.openReads);
  add('reads_waiting', 'Photo reads that are waiting.', () => images.waitingReads);
  add('uploads_decoding', 'Images being decoded.', () => queue.running);
  add('uploads_waiting', 'Images waiting to be decoded.', () => queue.waiting);
}

function startJobs({
  db,
  channel,
  restores,
  images,
  clock,
  metrics,
  onFault,
}: Pick<
  ServerDependencies,
  'db' | 'channel' | 'restores' | 'images' | 'clock' | 'metrics' | 'onFault'
>): PeriodicWork[] {
  const rerendering = runPeriodically(
    RERENDER_EVERY_MS,
    async (signal) => await rerenderUnits(db, clock, signal),
    onFault,
  );
  // A catalog change wakes the job immediately. The interval covers lost notifications.
  db.onAnnouncement((topic) => {
    if (topic === 'catalog') rerendering.wake();
  });
  channel.subscribe('catalog', () => rerendering.wake());
  const checking = runPeriodically(IDENTITY_CHECKED_EVERY_MS, restores.check, onFault);
  channel.onReset(() => checking.wake());
  let stalePhotos = 0;
  const help = 'Unused images that the last clean-up should have removed from the store.';
  metrics.addGauge('cardport_photo_stale', help, () => stalePhotos);
  return [
    rerendering,
    checking,
    watchLastBackup(db, metrics, onFault),
    runPeriodically(
      CLEANUP_EVERY_MS,
      async (signal) => await deleteExpiredRows(db, clock.now(), signal, [cleanStockImports]),
      onFault,
    ),
    runPeriodically(
      CLEANUP_EVERY_MS,
      async (signal) => await removeOldMovements(db, clock.now(), signal),
      onFault,
    ),
    runPeriodically(
      CLEANUP_EVERY_MS,
      async (signal) => {
        try {
          await removeStalePhotos(db, images, clock.now(), signal);
        } finally {
          stalePhotos = await countStalePhotos(db, clock.now());
        }
      },
      onFault,
    ),
  ];
}

/** Replaces port 0 with a free port before anything else starts, because public URLs contain it. */
async function choosePort(config: Config): Promise<Config> {
  if (config.port !== 0) return config;
  const port = await findFreePort(config.host);
  const publicUrl = config.isPublicUrlGiven ? config.publicUrl : `http://127.0.0.1:${port}`;
  return { ...config, port, publicUrl };
}
