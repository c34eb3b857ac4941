import type { Config } from '../config/config.ts';
import { type InfrastructureOptions, openInfrastructure, serveMetrics } from './infrastructure.ts';
import { type WebhookDelivery, startWebhookDelivery } from './webhook-delivery.ts';
import { startWebhookJobs } from './webhook-jobs.ts';

/** The worker polls at least every 10 s. After three missed polls `/readyz` responds with 503. */
const LAST_POLL_SECONDS_MAX = 30;

export interface DeliveryWorker extends AsyncDisposable {
  /** The same port serves `/livez` and `/readyz`. Null if no metrics port is configured. */
  readonly metricsUrl: string | null;
  /** Waits up to `DRAIN_SECONDS` for running attempts. Returns how many it then aborted. */
  close(): Promise<number>;
}

/**
 * Starts webhook delivery without the HTTP APIs.
 *
 * @throws SchemaIsNewer, or the error of a metrics port that is in use
 */
export async function startDeliveryWorker(
  config: Config,
  options: InfrastructureOptions = {},
): Promise<DeliveryWorker> {
  await using stack = new AsyncDisposableStack();
  const infrastructure = await openInfrastructure(stack, config, options);
  const drainTimeoutMs = config.drainSeconds * 1_000;
  let drainsSinceMs = performance.now();
  stack.defer(async () => {
    const passedMs = performance.now() - drainsSinceMs;
    await infrastructure.tracing?.close(Math.max(drainTimeoutMs - passedMs, 0));
  });
  let delivery: WebhookDelivery | null = null;
  let isDraining = false;
  const isReady = (): boolean =>
    !isDraining &&
    delivery !== null &&
    delivery.state.lastPollSeconds <= LAST_POLL_SECONDS_MAX &&
    infrastructure.findClockProblem() === null;
  const metricsUrl = await serveMetrics(stack, config, infrastructure.metrics, isReady);
  const jobs = startWebhookJobs(infrastructure);
  stack.defer(async () => {
    await Promise.all(jobs.map(async (job) => await job.stop()));
  });
  let aborted = 0;
  const started = startWebhookDelivery(infrastructure);
  delivery = started;
  stack.defer(async () => {
    isDraining = true;
    drainsSinceMs = performance.now();
    aborted = await started.close(drainTimeoutMs);
  });
  const running = stack.move();
  const close = async (): Promise<number> => {
    await running.disposeAsync();
    return aborted;
  };
  return { metricsUrl, close, [Symbol.asyncDispose]: async () => void (await close()) };
}
