import { type PeriodicWork, runPeriodically } from '../base/periodic.ts';
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

/** Expired secrets are deleted within this time. */
const HOUSEKEEPING_EVERY_MS = 60_000;
/** The usual scrape interval. The count scans an index that has at most thousands of entries. */
const COUNT_EVERY_MS = 15_000;

type Work = (signal: AbortSignal) => Promise<unknown>;

/** Every process runs these jobs, including processes that send no events. */
export function startWebhookJobs(infrastructure: Infrastructure): PeriodicWork[] {
  const { config, db, clock, log, onFault } = infrastructure;
  const mail = openMailer(config.mail, clock);
  const { publicUrl } = config;
  const every = (work: Work, everyMs: number = HOUSEKEEPING_EVERY_MS): PeriodicWork =>
    runPeriodically(everyMs, work, onFault);
  const sealing = every(maintainSecrets(infrastructure));
  const counting = every(countFailing(infrastructure), COUNT_EVERY_MS);
  // Do not wait for the first interval: a node without the keys to decrypt secrets must say so now.
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
  const help = 'Webhooks whose last attempt failed, in all shops, counted every 15 s.';
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
    // Count before re-encrypting, so that the metric shows if a node still uses the previous key.
    counts = await countOutdatedSecrets(db, webhookSecrets);
    await resealWebhookSecrets(db, webhookSecrets, signal);
    const { unreadable } = counts;
    if (unreadable !== loggedUnreadable && unreadable > 0) {
      log.warn(
        { webhooks: unreadable },
        'the secrets of some webhooks cannot be decrypted with SECRET_KEY or SECRET_KEY_PREVIOUS: they get no events from this process',
      );
    }
    loggedUnreadable = unreadable;
  };
}
