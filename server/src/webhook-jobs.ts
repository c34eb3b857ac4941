import { type Periodic, periodically } from './base/periodic.ts';
import type { Groundwork } from './groundwork.ts';
import { cleanUpAttempts } from './webhooks/attempt-clean-up.ts';
import { removeEndedWebhooks } from './webhooks/ended-webhooks.ts';
import {
  countKeptSecrets,
  forgetPreviousSecrets,
  type KeptSecrets,
  resealWebhookSecrets,
} from './webhooks/kept-secrets.ts';

/** Nobody waits for any of it: secrets that have had their day go within a minute. */
const HOUSEKEEPING_EVERY_MS = 60_000;

/**
 * Starts what keeps the tables of webhooks in order, on every process whether it sends notices or not: the secrets of ended
 * connections and those before the newest go, what lies under the previous key is sealed anew, old attempts go.
 */
export function startWebhookJobs(ground: Groundwork): Periodic[] {
  const { db, clock, onFault } = ground;
  const every = (work: (signal: AbortSignal) => Promise<unknown>): Periodic =>
    periodically(HOUSEKEEPING_EVERY_MS, work, onFault);
  const sealing = every(keepSecrets(ground));
  // At once: a node whose keys do not open what is kept must say so when it starts.
  sealing.wake();
  return [
    sealing,
    every(async (signal) => await removeEndedWebhooks(db, clock.now(), signal)),
    every(async (signal) => await cleanUpAttempts(db, clock.now(), signal)),
    every(async (signal) => await forgetPreviousSecrets(db, clock.now(), signal)),
  ];
}

function keepSecrets({
  db,
  log,
  metrics,
  webhookSecrets,
}: Groundwork): (signal: AbortSignal) => Promise<void> {
  // Nobody may take "not counted yet" for 0.
  let kept: KeptSecrets = { underPrevious: Number.NaN, unreadable: Number.NaN };
  let toldUnreadable = 0;
  metrics.addGauge(
    'webhook_secrets_under_previous_key',
    'Webhooks whose secrets lay under SECRET_KEY_PREVIOUS when the last round began, which seals them anew.',
    () => kept.underPrevious,
  );
  metrics.addGauge(
    'webhook_secrets_unreadable',
    'Webhooks whose secret no key of this process opens: their notices wait.',
    () => kept.unreadable,
  );
  return async (signal) => {
    // Before they are sealed anew: a node that still seals under the former key shows in every round.
    kept = await countKeptSecrets(db, webhookSecrets);
    await resealWebhookSecrets(db, webhookSecrets, signal);
    const { unreadable } = kept;
    if (unreadable !== toldUnreadable && unreadable > 0) {
      log.warn(
        { webhooks: unreadable },
        'neither SECRET_KEY nor SECRET_KEY_PREVIOUS opens the secrets of some webhooks: they are not told of changes',
      );
    }
    toldUnreadable = unreadable;
  };
}
