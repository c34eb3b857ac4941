import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { Channel } from '../database/channel.ts';
import type { Database } from '../database/database.ts';
import type { AttemptError, WebhookSender } from '../webhooks/attempt.ts';
import type { WebhookSecrets } from '../webhooks/webhook-secrets.ts';

export interface DeliveryMetrics {
  delivered(): void;
  failed(error: AttemptError): void;
  /** For a first attempt: the time from the commit of its newest change to the response. */
  receiptTime(milliseconds: number): void;
}

/** For tests and the emulator. The database's clock measures the durations, except `pollMs`. */
export interface DeliveryOptions {
  readonly pollMs?: number;
  readonly leaseMs?: number;
  readonly minIntervalMs?: number;
  /** Replaces `Math.random` for the jitter of retries. */
  readonly random?: () => number;
  /** The worker claims nothing while this function returns true. */
  readonly isHeld?: () => boolean;
}

export interface DeliveryDeps {
  readonly db: Database;
  readonly channel: Channel;
  readonly clock: Clock;
  readonly log: Log;
  readonly secrets: Pick<WebhookSecrets, 'keyIds' | 'signingKeys'>;
  /** Sends the requests. The caller closes it after it has closed the delivery worker. */
  readonly sender: WebhookSender;
  readonly onFault: (error: unknown) => void;
  readonly meters: DeliveryMetrics;
  readonly options?: DeliveryOptions;
}

export interface DeliveryState {
  /** The number of deliveries that this worker has found due and not claimed. */
  readonly due: number;
  /** The number of deliveries that this worker is sending, or claims to send them. */
  readonly inFlight: number;
  /** The age of the oldest delivery in `due`; 0 when there is none. */
  readonly oldestDueSeconds: number;
  /** Seconds since the database last answered a query for due webhooks; normally below 11. */
  readonly lastPollSeconds: number;
}

export interface DeliveryWorker {
  wake(shopId: string): void;
  readonly state: DeliveryState;
  /**
   * Stops claiming and waits for the deliveries in flight. Those that remain after `deadlineMs` are
   * recorded as interrupted, so that another worker continues with them immediately. Never waits
   * for an unavailable database.
   */
  close(deadlineMs: number): Promise<void>;
}
