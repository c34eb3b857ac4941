import type { Config } from '../config/config.ts';
import { type InfrastructureOptions, openInfrastructure, serveMetrics } from './infrastructure.ts';
import { type WebhookDelivery, startWebhookDelivery } from './webhook-delivery.ts';
import { startWebhookJobs } from './webhook-jobs.ts';

/** A look is due every 10 s at least: beyond three of them the database does not answer, and `/readyz` is 503. */
const LAST_LOOK_SECONDS_MAX = 30;

export interface Deliverer extends AsyncDisposable {
  /** Where `/metrics` is, with `/livez` and `/readyz` beside it; or null. */
  readonly metricsUrl: string | null;
  /** Finishes the attempts under way within `DRAIN_SECONDS`, breaks off the others, and ends. Returns how many it broke off. */
  close(): Promise<number>;
}

/**
 * Starts the delivery of notices alone: database, migrations, channel, metrics.
 *
 * @throws SchemaIsNewer, or the error of a metrics port that is taken
 */
export async function startDeliverer(
  config: Config,
  options: InfrastructureOptions = {},
): Promise<Deliverer> {
  await using stack = new AsyncDisposableStack();
  const infrastructure = await openInfrastructure(stack, config, options);
  let sending: WebhookDelivery | null = null;
  let isDraining = false;
  const isReady = (): boolean =>
    !isDraining &&
    sending !== null &&
    sending.state.lastLookSeconds <= LAST_LOOK_SECONDS_MAX &&
    infrastructure.findClockFault() === null;
  const metricsUrl = await serveMetrics(stack, config, infrastructure.metrics, isReady);
  const jobs = startWebhookJobs(infrastructure);
  stack.defer(async () => {
    await Promise.all(jobs.map(async (job) => await job.stop()));
  });
  let cut = 0;
  const started = startWebhookDelivery(infrastructure);
  sending = started;
  stack.defer(async () => {
    isDraining = true;
    cut = await started.close(config.drainSeconds * 1_000);
  });
  const running = stack.move();
  const close = async (): Promise<number> => {
    await running.disposeAsync();
    return cut;
  };
  return { metricsUrl, close, [Symbol.asyncDispose]: async () => void (await close()) };
}
