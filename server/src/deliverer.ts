import type { Config } from './config.ts';
import { type GroundworkOptions, openGroundwork, serveMetrics } from './groundwork.ts';
import { startNoticeSending } from './notice-sending.ts';
import { startWebhookJobs } from './webhook-jobs.ts';

/** A process that delivers notices and serves nothing but its metrics. */
export interface Deliverer extends AsyncDisposable {
  /** Where `/metrics` is, or null. */
  readonly metricsUrl: string | null;
  /** Finishes the attempts under way within `DRAIN_SECONDS`, breaks off the others, and ends. */
  close(): Promise<void>;
}

/**
 * Starts the delivery of notices alone: database, migrations, channel, metrics.
 *
 * @throws SchemaIsNewer, or the error of a metrics port that is taken
 */
export async function startDeliverer(
  config: Config,
  options: GroundworkOptions = {},
): Promise<Deliverer> {
  await using stack = new AsyncDisposableStack();
  const ground = await openGroundwork(stack, config, options);
  const metricsUrl = await serveMetrics(stack, config, ground.metrics);
  const jobs = startWebhookJobs(ground);
  stack.defer(async () => {
    await Promise.all(jobs.map(async (job) => await job.stop()));
  });
  const sending = startNoticeSending(ground);
  stack.defer(async () => await sending.close(config.drainSeconds * 1_000));
  const running = stack.move();
  const close = async (): Promise<void> => await running.disposeAsync();
  return { metricsUrl, close, [Symbol.asyncDispose]: close };
}
