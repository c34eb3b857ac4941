import { type Periodic, periodically } from '../base/periodic.ts';
import { openMailer } from '../mail/open-mailer.ts';
import { sendHealthMails } from './health-mails.ts';
import type { Infrastructure } from './infrastructure.ts';
import { cleanUpAttempts } from '../webhooks/attempt-clean-up.ts';
import { removeEndedWebhooks } from '../webhooks/end-connection.ts';
import { countFailingWebhooks } from '../webhooks/failing-webhooks.ts';
import {
  countOutdatedSecrets,
  deleteExpiredSecrets,
  type OutdatedSecrets,
  resealWebhookSecrets,
} from '../webhooks/secret-rotation.ts';

/** The interval of the deletions, so that an expired secret is deleted within a minute. */
const HOUSEKEEPING_EVERY_MS = 60_000;
/**
 * The interval of counting the failing webhooks: that at which metrics are read. The count scans
 * the index of retries, which has thousands of entries at most.
 */
const COUNT_EVERY_MS = 15_000;

type Work = (signal: AbortSignal) => Promise<unknown>;

/**
 * Starts the jobs that maintain the webhook tables. They run in every process, also in those that
 * send no deliveries. They delete the secrets of ended connections, former secrets and old
 * attempts, re-encrypt secrets stored under the previous key, count the failing webhooks, and mail
 * the members whose apps stop.
 */
export function startWebhookJobs(infrastructure: Infrastructure): Periodic[] {
  const { config, db, clock, log, onFault } = infrastructure;
  const mail = openMailer(config.mail, clock);
  const { publicUrl } = config;
  const every = (work: Work, everyMs: number = HOUSEKEEPING_EVERY_MS): Periodic =>
    periodically(everyMs, work, onFault);
  const sealing = every(maintainSecrets(infrastructure));
  const counting = every(countFailing(infrastructure), COUNT_EVERY_MS);
  // Run these two immediately, because a node whose keys cannot decrypt the stored secrets must
  // report that on start.
  for (const job of [sealing, counting]) job.wake();
  return [
    sealing,
    counting,
    every(async (signal) => await removeEndedWebhooks(db, clock.now(), signal)),
    every(async (signal) => await cleanUpAttempts(db, clock.now(), signal)),
    every(async (signal) => await deleteExpiredSecrets(db, clock.now(), signal)),
    every(async (signal) => await sendHealthMails({ db, clock, log, mail, publicUrl }, signal)),
  ];
}

function countFailing({ db, metrics }: Infrastructure): () => Promise<void> {
  let failing = Number.NaN;
  const help = 'Webhooks of all shops whose last attempt failed, counted every 15 s.';
  metrics.addGauge('cardport_webhook_failing', help, () => failing);
  return async () => {
    failing = await countFailingWebhooks(db);
  };
}

function maintainSecrets({
  db,
  log,
  metrics,
  webhookSecrets,
}: Infrastructure): (signal: AbortSignal) => Promise<void> {
  // NaN means not counted yet; it is not zero.
  let counts: OutdatedSecrets = { underPrevious: Number.NaN, unreadable: Number.NaN };
  let loggedUnreadable = 0;
  metrics.addGauge(
    'cardport_webhook_secrets_under_previous_key',
    'Webhooks whose secrets were encrypted with SECRET_KEY_PREVIOUS when the last re-encryption run started.',
    () => counts.underPrevious,
  );
  metrics.addGauge(
    'cardport_webhook_secrets_unreadable',
    'Webhooks whose secret this process cannot decrypt. Their deliveries wait.',
    () => counts.unreadable,
  );
  return async (signal) => {
    // Count before re-encrypting, so that every run shows a node that still encrypts under the
    // former key.
    counts = await countOutdatedSecrets(db, webhookSecrets);
    await resealWebhookSecrets(db, webhookSecrets, signal);
    const { unreadable } = counts;
    if (unreadable !== loggedUnreadable && unreadable > 0) {
      log.warn(
        { webhooks: unreadable },
        'the secrets of some webhooks cannot be decrypted with SECRET_KEY or SECRET_KEY_PREVIOUS: they are not notified of changes',
      );
    }
    loggedUnreadable = unreadable;
  };
}
