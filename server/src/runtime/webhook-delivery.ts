import type { Infrastructure } from './infrastructure.ts';
import type { Metrics } from '../http/metrics.ts';
import { ATTEMPT_ERRORS, type WebhookSender } from '../webhooks/attempt.ts';
import type {
  DeliveryWorker,
  DeliveryMetrics,
  DeliveryState,
} from '../delivery/delivery-worker.ts';
import { startDeliveryWorker } from '../delivery/delivery-loop.ts';
import { openGuardedSender } from '../delivery/guarded-sender.ts';
import { traceSender } from '../delivery/traced-sender.ts';

export interface WebhookDelivery {
  readonly state: DeliveryState;
  /** Waits up to `deadlineMs` for running attempts. Returns how many it then aborted. */
  close(deadlineMs: number): Promise<number>;
}

export interface DeliveryInterceptors {
  /** While this returns true, no delivery starts, and due deliveries wait. */
  readonly isHeld: () => boolean;
  readonly wrapSender: (sender: WebhookSender) => WebhookSender;
}

export function startWebhookDelivery(
  infrastructure: Infrastructure,
  interceptors?: DeliveryInterceptors,
): WebhookDelivery {
  const { config, clock, log, onFault, db, channel, metrics, tracing } = infrastructure;
  const { webhookSecrets: secrets } = infrastructure;
  const opened = openGuardedSender({ allowsLoopback: config.allowsLoopbackWebhooks });
  const guarded = tracing === null ? opened : traceSender(opened, tracing);
  const sender = countAborted(interceptors?.wrapSender(guarded) ?? guarded);
  const meters = addMeters(metrics);
  const options = interceptors === undefined ? {} : { isHeld: interceptors.isHeld };
  const delivery = startDeliveryWorker({
    db,
    channel,
    clock,
    log,
    secrets,
    sender,
    onFault,
    meters,
    options,
  });
  addGauges(metrics, delivery);
  return {
    get state() {
      return delivery.state;
    },
    close: async (deadlineMs) => {
      await delivery.close(deadlineMs);
      await sender.close();
      return sender.aborted;
    },
  };
}

/** Counts the attempts that were aborted because the process stops. */
function countAborted(sender: WebhookSender): WebhookSender & { readonly aborted: number } {
  let aborted = 0;
  return {
    get aborted() {
      return aborted;
    },
    send: async (notice, signal) => {
      const result = await sender.send(notice, signal);
      if (signal.aborted && result.kind === 'failed' && result.error === 'interrupted') aborted++;
      return result;
    },
    close: async () => await sender.close(),
  };
}

function addMeters(metrics: Metrics): DeliveryMetrics {
  const delivered = metrics.addCounter(
    'cardport_webhook_deliveries_total',
    'Events that receivers have acknowledged.',
  );
  const errors = { name: 'error', values: ATTEMPT_ERRORS };
  const failed = metrics.addCounter(
    'cardport_webhook_failures_total',
    'Failed delivery attempts by reason; "interrupted" is not a failure of the receiver.',
    errors,
  );
  const receiptTime = metrics.addDuration(
    'cardport_webhook_commit_to_receipt_seconds',
    'Time from the commit of the newest change in an event to the receiver’s response to its first attempt.',
  );
  return { delivered: () => delivered(), failed: (error) => failed(error), receiptTime };
}

function addGauges(metrics: Metrics, delivery: DeliveryWorker): void {
  const add = (name: string, key: keyof DeliveryState, help: string): void =>
    metrics.addGauge(name, help, () => delivery.state[key]);
  add('cardport_webhook_due', 'due', 'Due deliveries that this process has found but not started.');
  add('cardport_webhook_in_flight', 'inFlight', 'Deliveries in progress in this process.');
  add(
    'cardport_webhook_oldest_due_seconds',
    'oldestDueSeconds',
    'How long the oldest due delivery has been due.',
  );
  add(
    'cardport_webhook_last_look_seconds',
    'lastPollSeconds',
    'Time since the database last reported due deliveries.',
  );
}
