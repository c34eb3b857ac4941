import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { Channel } from '../database/channel.ts';
import type { Database } from '../database/database.ts';
import type { AttemptError, WebhookSender } from '../webhooks/attempt.ts';
import type { WebhookSecrets } from '../webhooks/webhook-secrets.ts';

export interface DeliveryMetrics {
  delivered(): void;
  failed(error: AttemptError): void;
  /** For first attempts: time from the commit of the newest change to the response headers. */
  receiptTime(milliseconds: number): void;
}

/** Changed by tests and the emulator. Durations are by the database's clock, except `pollMs`. */
export interface DeliveryOptions {
  readonly pollMs?: number;
  readonly leaseMs?: number;
  /** Between two attempts of a connection. */
  readonly minIntervalMs?: number;
  /** Replaces `Math.random` for the jitter of retries. */
  readonly random?: () => number;
  /** While it returns true nothing is claimed. */
  readonly isHeld?: () => boolean;
}

export interface DeliveryDeps {
  readonly db: Database;
  readonly channel: Channel;
  readonly clock: Clock;
  readonly log: Log;
  readonly secrets: Pick<WebhookSecrets, 'keyIds' | 'open'>;
  /** Closed by its owner, after the delivery worker. */
  readonly sender: WebhookSender;
  readonly onFault: (error: unknown) => void;
  readonly meters: DeliveryMetrics;
  readonly options?: DeliveryOptions;
}

export interface DeliveryState {
  /** Deliveries that this worker has found due and not claimed. */
  readonly due: number;
  /** Claimed: being sent, or waiting for their result to be recorded. */
  readonly inFlight: number;
  /** Age of the oldest of `due`; 0 when there is none. */
  readonly oldestDueSeconds: number;
  /** Since the database last answered a query for due webhooks: below 11 in normal operation. */
  readonly lastPollSeconds: number;
}

/** Sends events. Any number of workers may share a database. */
export interface DeliveryWorker {
  wake(shopId: string): void;
  readonly state: DeliveryState;
  /**
   * Stops claiming and waits for the deliveries in flight. After `deadlineMs` the rest are aborted
   * and recorded as interrupted, so that another worker continues with them at once. Never waits
   * for an unavailable database.
   */
  close(deadlineMs: number): Promise<void>;
}
