import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { Channel } from '../database/channel.ts';
import type { Database } from '../database/database.ts';
import type { AttemptError, NoticeSender } from '../webhooks/attempt.ts';
import type { WebhookSecrets } from '../webhooks/webhook-secrets.ts';

/** What metrics are told of attempts. */
export interface DeliveryMeters {
  delivered(): void;
  failed(error: AttemptError): void;
  /** From the commit of the newest change to the answer's headers, of first attempts. */
  receipt(milliseconds: number): void;
}

/** What a test changes, and the emulator. */
export interface DeliveryOptions {
  /** Between two looks at what no commit wakes anybody for, in milliseconds. */
  readonly pollMs?: number;
  /** How long a claim holds, in milliseconds, by the database's clock. */
  readonly leaseMs?: number;
  /** Between two attempts of a connection, in milliseconds, by the database's clock. */
  readonly paceMs?: number;
  /** In place of `Math.random`, for the jitter of retries. */
  readonly random?: () => number;
  /** While it is true nothing is claimed: what is due waits. Looked at with every look. */
  readonly isHeld?: () => boolean;
}

/** What the delivery of notices works with. */
export interface DeliveryDeps {
  readonly db: Database;
  readonly channel: Channel;
  readonly clock: Clock;
  readonly log: Log;
  readonly secrets: Pick<WebhookSecrets, 'keyIds' | 'open'>;
  /** Stays its owner's to close, after the delivery. */
  readonly sender: NoticeSender;
  readonly onFault: (error: unknown) => void;
  readonly meters: DeliveryMeters;
  readonly options?: DeliveryOptions;
}

/** What metrics show of the delivery of this process. */
export interface DeliveryState {
  /** Notices that this worker has seen to be due and has not claimed. */
  readonly due: number;
  /** Notices that are claimed: sent, or their result recorded. */
  readonly inFlight: number;
  /** Since the oldest of `due` was first seen; 0 when none is due. */
  readonly oldestDueSeconds: number;
  /** Since the database last answered this worker's look at what is due: below 11 in health. */
  readonly lastLookSeconds: number;
}

/** The worker that sends notices. Any number of them may share a database. */
export interface Delivery {
  /** Looks at a shop's webhooks now. */
  wake(shopId: string): void;
  readonly state: DeliveryState;
  /**
   * Claims nothing more and waits for what is in flight; what is still there after `deadlineMs` is broken off and
   * recorded as interrupted, so that another worker goes on with it at once. Never waits for a database that is away.
   */
  close(deadlineMs: number): Promise<void>;
}
