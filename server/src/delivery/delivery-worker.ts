import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { Channel } from '../database/channel.ts';
import type { Database } from '../database/database.ts';
import type { AttemptError, WebhookSender } from '../webhooks/attempt.ts';
import type { WebhookSecrets } from '../webhooks/webhook-secrets.ts';

/** Metrics of attempts. */
export interface DeliveryMetrics {
  delivered(): void;
  failed(error: AttemptError): void;
  /** For first attempts: time from the commit of the newest change to the response headers. */
  receiptTime(milliseconds: number): void;
}

/** Settings that tests and the emulator change. */
export interface DeliveryOptions {
  /** Pause between two polls, in milliseconds; polls find what no commit announces. */
  readonly pollMs?: number;
  /** Duration of a lease in milliseconds, by the database's clock. */
  readonly leaseMs?: number;
  /** Minimum time between two attempts of a connection in milliseconds, by the database's clock. */
  readonly minIntervalMs?: number;
  /** Replaces `Math.random` for the jitter of retries. */
  readonly random?: () => number;
  /** While it returns true nothing is claimed. Called before every claim. */
  readonly isHeld?: () => boolean;
}

export interface DeliveryDeps {
  readonly db: Database;
  readonly channel: Channel;
  readonly clock: Clock;
  readonly log: Log;
  readonly secrets: Pick<WebhookSecrets, 'keyIds' | 'open'>;
  /** Closed by its owner, after the delivery. */
  readonly sender: WebhookSender;
  readonly onFault: (error: unknown) => void;
  readonly meters: DeliveryMetrics;
  readonly options?: DeliveryOptions;
}

/** State of this process's delivery, for metrics. */
export interface DeliveryState {
  /** Notices that this worker has found due and not claimed. */
  readonly due: number;
  /** Claimed notices: being sent, or waiting for their result to be recorded. */
  readonly inFlight: number;
  /** Age of the oldest of `due`; 0 when there is none. */
  readonly oldestDueSeconds: number;
  /**
   * Time since the database last answered a query for due webhooks: below 11 in normal operation.
   */
  readonly lastPollSeconds: number;
}

/** The worker that sends notices. Any number of workers may share a database. */
export interface DeliveryWorker {
  /** Queries the shop's webhooks now. */
  wake(shopId: string): void;
  readonly state: DeliveryState;
  /**
   * Stops claiming and waits for the notices in flight. After `deadlineMs` the remaining ones are
   * aborted and recorded as interrupted, so that another worker continues with them at once. Never
   * waits for an unavailable database.
   */
  close(deadlineMs: number): Promise<void>;
}
