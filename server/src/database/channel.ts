import type { Queryable, Transaction } from './database.ts';
import { statement } from './statement.ts';

/**
 * The payload of `catalog` is the position of the newest catalog change, and that of each other
 * topic a shop's id. `webhooks` means that the shop's webhooks should be checked.
 */
export type Topic = 'access' | 'stock' | 'catalog' | 'boosts' | 'webhooks';

/** Notifies all nodes, in commit order. It is only a hint: the consumers read the tables. */
export async function announce(db: Queryable, topic: Topic, payload: string): Promise<void> {
  await db.query(sendNotification, [`${topic}:${payload}`]);
}

/**
 * For frequent transactions, because `announce` would serialize the commits of all writers
 * (decision 0105). This process is notified right after the commit. The others get one notification
 * for all commits of a few milliseconds, which may be lost.
 */
export function announceSoon(tx: Transaction, topic: Topic, payload: string): void {
  tx.announceSoon(`${topic}:${payload}`);
}

export const sendNotification = statement('send_notification', `select pg_notify('cardport', $1)`);

/** A listening connection, which sends itself heartbeats to prove that it works. */
export interface Channel {
  subscribe(topic: Topic, handler: (payload: string) => void): void;
  /**
   * Calls `handler` whenever notifications may have been missed, so that it clears its cache. The
   * result of a query that began before this call, or before a notification, must not be cached.
   */
  onReset(handler: () => void): void;
  /**
   * True while the newest heartbeat that came back was sent at most 1,000 ms ago. Notifications
   * arrive in commit order, so every earlier one has arrived too: caches are at most that old.
   */
  isLive(): boolean;
  /** The age of the newest returned heartbeat. All commits before it have been announced here. */
  heartbeatAgeMs(): number;
  close(): Promise<void>;
}
