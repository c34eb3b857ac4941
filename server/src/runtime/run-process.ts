import { flushCompileCache } from 'node:module';
import { describeError, errorCodeOf } from '../base/describe-error.ts';
import type { Config } from '../config/config.ts';
import { DatabaseBusy } from '../database/database.ts';
import { isDatabaseUnreachable } from '../database/errors.ts';
import { NoPrimary } from '../database/hosts.ts';
import { NoPackagedPostgresql } from '../database/packaged/binaries.ts';
import { ClusterUnusable } from '../database/packaged/cluster.ts';
import { FolderUnusable } from '../database/data-folder.ts';
import { SchemaIsNewer } from '../database/migrate.ts';
import { ReadOnlyServer } from '../database/read-only.ts';
import { StoreUnusable } from '../images/image-store.ts';
import type { Service } from './service.ts';
import { watchForStop } from './stop-signal.ts';

export interface ProcessOutput {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
}

export interface ExitResult {
  readonly code: 0 | 1;
  /** The aborted work, as text for the log. Null if nothing was aborted. */
  readonly aborted: string | null;
}

export interface ProcessLifecycle<Process> {
  readonly start: (hooks: StartHooks) => Promise<Process>;
  /** Resolves with the ready line, or with null if `stopped` resolves first. */
  readonly waitUntilReady: (running: Process, stopped: Promise<unknown>) => Promise<string | null>;
  /** How the process drains, as text for the log, such as "finishing the requests in progress". */
  readonly draining: string;
  readonly end: (running: Process) => Promise<ExitResult>;
}

export interface StartHooks {
  readonly onProgress: (sentence: string) => void;
}

export interface ServeOptions {
  /** False if other processes send the webhook deliveries. */
  readonly delivers?: boolean;
  readonly whenReady?: (service: Service) => Promise<void>;
}

/**
 * Starts the service, prints the ready line, and runs until SIGTERM, SIGINT, or the exit of npm if
 * npm started it. The service then drains. A second signal ends the process immediately.
 *
 * @returns the exit code: 0 if all requests in flight were answered, 1 if requests were aborted
 * @throws Error with the reason if the service cannot start
 */
export async function runService(
  config: Config,
  output: ProcessOutput,
  { delivers = true, whenReady = async (): Promise<void> => undefined }: ServeOptions = {},
): Promise<number> {
  return await runUntilStopped(config, output, {
    start: async (hooks) => {
      const { startService } = await import('./service.ts');
      return await startService(config, { delivers, setsDateNow: true, ...hooks });
    },
    waitUntilReady: async (service, stopped) => {
      await whenReady(service);
      // Requests are answered already, but `/readyz` is 503 until the search index is loaded.
      const isReady = service.search.whenCurrent().then(
        () => true,
        () => true,
      );
      const hasBecomeReady = await Promise.race([isReady, stopped.then(() => false)]);
      return hasBecomeReady ? `Cardport is ready at ${service.publicUrl}` : null;
    },
    draining: 'finishing the requests in progress',
    end: async (service) =>
      (await service.close())
        ? { code: 0, aborted: null }
        : { code: 1, aborted: 'requests were aborted at the deadline' },
  });
}

/**
 * Runs a process that only delivers webhooks. It starts and stops like `runService`.
 *
 * @returns the exit code 0
 * @throws Error with the reason if the process cannot start
 */
export async function runDeliveryWorker(config: Config, output: ProcessOutput): Promise<number> {
  return await runUntilStopped(config, output, {
    start: async (hooks) => {
      const { startDeliveryWorker } = await import('./delivery-worker.ts');
      return await startDeliveryWorker(config, { setsDateNow: true, ...hooks });
    },
    waitUntilReady: async ({ metricsUrl }) =>
      `Cardport delivers webhooks${metricsUrl === null ? '' : `; metrics at ${metricsUrl}`}`,
    draining: 'finishing the deliveries in progress',
    end: async (worker) => {
      const aborted = await worker.close();
      if (aborted === 0) return { code: 0, aborted: null };
      const notices = aborted === 1 ? 'delivery was' : 'deliveries were';
      return {
        code: 0,
        aborted: `${aborted} ${notices} aborted at the deadline and will be retried`,
      };
    },
  });
}

/**
 * Prints the ready line, waits for the stop signal, and returns the exit code.
 *
 * @throws Error with the reason if the process cannot start
 */
export async function runUntilStopped<Process>(
  config: Config,
  { out, err }: ProcessOutput,
  { start, waitUntilReady, draining, end }: ProcessLifecycle<Process>,
): Promise<number> {
  const { stopped, release } = watchForStop(config.isStartedByNpm);
  let isStarting = true;
  void stopped.then((reason) => {
    if (!isStarting) return;
    err(`cardport: ${reason}: stopped before it was ready\n`);
    // Exit immediately, because no request was answered yet.
    process.exit(0);
  });
  const onProgress = (sentence: string): void => err(`cardport: ${sentence}\n`);
  const started = await start({ onProgress }).then(
    (running) => ({ running }),
    (error: unknown) => ({ reason: describeStartFailure(error, config) }),
  );
  isStarting = false;
  if ('reason' in started) {
    release();
    throw new Error(started.reason);
  }
  const { running } = started;
  try {
    const readyLine = await waitUntilReady(running, stopped);
    // Store the compile cache now, because a crash would lose it. This takes 1 ms if nothing
    // changed.
    flushCompileCache();
    if (readyLine !== null) out(`${readyLine}\n`);
    const reason = await stopped;
    err(`cardport: ${reason}: ${draining}\n`);
  } catch (error) {
    await end(running);
    throw error;
  }
  const { code, aborted } = await end(running);
  err(aborted === null ? 'cardport: stopped\n' : `cardport: stopped; ${aborted}\n`);
  return code;
}

function describeStartFailure(thrown: unknown, { host, port, metrics }: Config): string {
  const error = thrown instanceof DatabaseBusy ? (thrown.cause ?? thrown) : thrown;
  const selfExplanatory = [
    ClusterUnusable,
    FolderUnusable,
    NoPackagedPostgresql,
    NoPrimary,
    ReadOnlyServer,
    SchemaIsNewer,
    StoreUnusable,
  ];
  if (error instanceof Error && selfExplanatory.some((kind) => error instanceof kind)) {
    return error.message;
  }
  if (error instanceof Error && 'code' in error) {
    const isMetrics = metrics !== null && 'port' in error && error.port === metrics.port;
    const name = isMetrics ? 'METRICS_PORT' : 'PORT';
    const where = isMetrics ? `${metrics.host}:${metrics.port}` : `${host}:${port}`;
    if (error.code === 'EADDRINUSE') {
      return `${where} is used by another program: stop it, or choose another ${name}`;
    }
    if (error.code === 'EACCES' && 'syscall' in error && error.syscall === 'listen') {
      return `this user is not allowed to listen on ${where}: choose another ${name}`;
    }
  }
  // The message of a system or database error is enough; any other error is printed with its stack.
  if (errorCodeOf(error) !== '') return describeError(error);
  if (isDatabaseUnreachable(error)) return `the database is unavailable: ${describeError(error)}`;
  if (error instanceof Error && errorCodeOf(error.cause) !== '') return describeError(error);
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
