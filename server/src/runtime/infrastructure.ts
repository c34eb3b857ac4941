import { type Clock, useAsDateNow } from '../base/clock.ts';
import { type Log, openLog } from '../base/log.ts';
import { onPause } from '../base/process-pauses.ts';
import type { OpenedTracing } from '../base/tracing.ts';
import { VERSION } from '../base/version.ts';
import type { Config } from '../config/config.ts';
import type { Channel } from '../database/channel.ts';
import { FolderNotice } from '../database/data-folder.ts';
import type { Database } from '../database/database.ts';
import { type ClockReading, DatabaseClock } from '../database/database-clock.ts';
import { waitForDatabase } from '../database/database-wait.ts';
import { OutageLog } from '../database/outage-log.ts';
import { ClusterUnusable } from '../database/packaged/cluster.ts';
import { ServerMessage } from '../database/packaged/server-process.ts';
import { watchWorkers } from '../database/citus-nodes.ts';
import { migrate } from '../database/migrate.ts';
import { openChannel } from '../database/open-channel.ts';
import { Metrics, startMetricsServer } from '../http/metrics.ts';
import { DiskSpace } from './disk-space.ts';
import { openTracing } from './open-tracing.ts';
import { traceDatabase } from '../database/traced-database.ts';
import { RestoreWatch } from './restore-watch.ts';
import { openConfiguredDatabase, type OpenedDatabase } from './configured-database.ts';
import { WebhookSecrets } from '../webhooks/webhook-secrets.ts';

/** What every process uses, whether it serves requests, sends deliveries, or both. */
export interface Infrastructure {
  readonly config: Config;
  readonly clock: Clock;
  readonly findClockProblem: () => string | null;
  readonly log: Log;
  readonly onFault: (error: unknown) => void;
  readonly outages: OutageLog;
  /** Problems of all nodes, which `/readyz` shows publicly. */
  readonly findWarnings: () => Promise<readonly string[]>;
  readonly retryWhileUnreachable: <T>(step: () => Promise<T>) => Promise<T>;
  readonly store: Omit<OpenedDatabase, typeof Symbol.asyncDispose>;
  readonly db: Database;
  readonly restores: RestoreWatch;
  readonly channel: Channel;
  readonly metrics: Metrics;
  /** Null if no traces are sent. Close it after everything that creates spans. */
  readonly tracing: OpenedTracing | null;
  readonly webhookSecrets: WebhookSecrets;
}

export interface InfrastructureOptions {
  /** Replaces the database's clock in tests and in the emulator. */
  readonly clock?: Clock;
  /**
   * Makes `Date.now` return the database's time, because oidc-provider can use no other clock. It
   * affects the whole process, so set it only in a process that does nothing else.
   */
  readonly setsDateNow?: boolean;
  readonly log?: Log;
  /** An open, migrated database that tests pass instead of the configured database. */
  readonly store?: Infrastructure['store'];
  readonly onProgress?: (sentence: string) => void;
}

/**
 * `stack` closes what this opens. Migrates the database, and waits while it is unreachable.
 *
 * @throws FolderUnusable, NoPackagedPostgresql, NoPrimary, SchemaIsNewer
 */
export async function openInfrastructure(
  stack: AsyncDisposableStack,
  config: Config,
  options: InfrastructureOptions,
): Promise<Infrastructure> {
  let tracing: OpenedTracing | null = null;
  const findTrace = config.tracing.isOn ? { findTrace: () => tracing?.current ?? null } : {};
  const log =
    options.log ??
    stack.adopt(openLog({ level: config.logLevel, ...findTrace }), (opened) => opened.close());
  stack.use(logPauses(log));
  const outages = new OutageLog({ log, place: describeDatabase(config) });
  const onFault = (error: unknown): void => logFault(log, outages, error);
  const onDatabaseFault = (error: unknown): void => {
    if (!outages.recordConnectionFailure(error)) onFault(error);
  };
  const { onProgress = (): void => undefined } = options;
  tracing = await openTracing(config.tracing, log, onProgress);
  const opened =
    options.store ??
    stack.use(await openOwnDatabase(config, onProgress, { onDatabaseFault, outages }));
  const store = tracing === null ? opened : { ...opened, db: traceDatabase(opened.db, tracing) };
  const retryWhileUnreachable: Infrastructure['retryWhileUnreachable'] = async (step) =>
    await waitForDatabase(step, { seconds: config.databaseWaitSeconds, onProgress });
  if (options.store === undefined) {
    onProgress('checking the database schema, and updating it if needed');
    const { workerProblems } = await retryWhileUnreachable(async () => await migrate(store.engine));
    if (workerProblems !== null) {
      const record = (problems: readonly string[]): void => outages.recordWorkers(problems);
      record(workerProblems);
      stack.adopt(watchWorkers(store.engine, record, onFault), async (job) => await job.stop());
    }
  }
  const databaseClock = new DatabaseClock({ log });
  await retryWhileUnreachable(async () => await databaseClock.read(store.db));
  if (options.setsDateNow === true) stack.use(useAsDateNow(databaseClock));
  const onTime = (reading: ClockReading): void => {
    databaseClock.addReading(reading);
    outages.recordAnswer();
  };
  const channel = stack.adopt(
    await retryWhileUnreachable(
      async () => await openChannel(store.engine, { onFault: onDatabaseFault, onTime }),
    ),
    async (opened) => await opened.close(),
  );
  const metrics = new Metrics();
  addBuildInfo(metrics);
  const diskSpace = new DiskSpace(config);
  diskSpace.addGauge(metrics);
  metrics.addGauge(
    'cardport_clock_skew_seconds',
    'How far the clock of this machine is ahead of the database clock, which Cardport uses.',
    () => databaseClock.machineSkewSeconds,
  );
  addDatabaseMetrics(metrics, store.db, outages);
  const previousKey = config.secretKeyPrevious?.reveal() ?? null;
  const clock = options.clock ?? databaseClock;
  return {
    config,
    clock,
    findClockProblem: () => (options.clock === undefined ? databaseClock.problem : null),
    log,
    onFault,
    outages,
    findWarnings: async () => [...outages.warnings, ...(await diskSpace.findProblems())],
    retryWhileUnreachable,
    store,
    db: store.db,
    restores: new RestoreWatch({ store, clock, log, config }),
    channel,
    metrics,
    tracing,
    webhookSecrets: new WebhookSecrets(store.secretKey, previousKey),
  };
}

function logPauses(log: Log): Disposable {
  return onPause((milliseconds) => {
    const seconds = Math.round(milliseconds / 100) / 10;
    const reason = 'it was stopped, or its machine was suspended or overloaded';
    log.warn({ seconds }, `this process was paused for ${seconds} s: ${reason}`);
  });
}

async function openOwnDatabase(
  config: Config,
  onProgress: (sentence: string) => void,
  handlers: { readonly onDatabaseFault: (error: unknown) => void; readonly outages: OutageLog },
): Promise<OpenedDatabase> {
  onProgress('opening the database');
  return await openConfiguredDatabase(config, handlers.onDatabaseFault, (error) =>
    handlers.outages.recordRefusedWrite(error),
  );
}

function addBuildInfo(metrics: Metrics): void {
  const labels = { version: VERSION, node: process.versions.node };
  const help = 'Always 1. The labels describe the running version.';
  metrics.addLabelledGauge('cardport_build_info', help, Object.keys(labels), () => [
    { labels, value: 1 },
  ]);
}

/** Logs a database outage only once, and any other error every time, with its stack. */
function logFault(log: Log, outages: OutageLog, error: unknown): void {
  if (error instanceof ServerMessage || error instanceof ClusterUnusable) {
    log.error({ reason: error.message }, 'the packaged PostgreSQL reports an error');
  } else if (error instanceof FolderNotice) {
    log.warn({ reason: error.message }, 'a notice about DATA_DIR');
  } else if (!outages.recordJobFailure(error)) {
    log.error({ error }, 'an internal error in background work');
  }
}

function describeDatabase({ store }: Config): string {
  if (store.kind === 'packaged') return `DATA_DIR ${store.folder}`;
  const [, hosts = ''] = /^\w+:\/\/(?:[^/]*@)?([^/?]*)/.exec(store.url.reveal()) ?? [];
  return `DATABASE_URL ${hosts}`.trimEnd();
}

function addDatabaseMetrics(metrics: Metrics, db: Database, outages: OutageLog): void {
  metrics.addReadCounter(
    'cardport_database_writes_refused_total',
    'Writes that the database refused because its disk is full.',
    () => outages.refusedWrites,
  );
  const add = (name: keyof ReturnType<Database['poolState']>, help: string): void =>
    metrics.addGauge(`cardport_database_pool_${name}`, help, () => db.poolState()[name]);
  add('clients', 'Connections in the pool.');
  add('idle', 'Idle connections in the pool.');
  add('waiting', 'Callers waiting for a connection.');
}

/** With `isReady`, also serves health checks. Returns the URL, or null without a metrics port. */
export async function serveMetrics(
  stack: AsyncDisposableStack,
  { metrics: address }: Config,
  metrics: Metrics,
  isReady?: () => boolean,
): Promise<string | null> {
  if (address === null) return null;
  const server = await startMetricsServer(metrics, address, isReady);
  stack.defer(async () => await server.close());
  return `${urlOf(address.host, server.port)}/metrics`;
}

export function urlOf(host: string, port: number): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
