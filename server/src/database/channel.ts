import type { Queryable, Transaction } from './database.ts';
import { statement } from './statement.ts';

/**
 * The topics of the notifications that nodes send each other. The payload of `catalog` is the
 * position of the newest change of the shared catalog. The payload of every other topic is a shop's
 * id. `webhooks` means that the shop's webhooks should be checked.
 */
export type Topic = 'access' | 'stock' | 'catalog' | 'boosts' | 'webhooks';

/**
 * Notifies every node of a change, including this node. In a transaction, the notification is sent
 * with the commit, in commit order. Notifications are hints: consumers read the tables.
 */
export async function announce(db: Queryable, topic: Topic, payload: string): Promise<void> {
  await db.query(sendNotification, [`${topic}:${payload}`]);
}

/**
 * Notifies every node of a change. Frequent transactions use this function, because `announce`
 * would serialize the commits of all writers (decision 0105). This process is notified right after
 * the commit. The other nodes get one notification for all commits within a few milliseconds, which
 * may be lost.
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
  /**
   * How long ago the newest heartbeat that came back was sent; at most 1,000 ms while `isLive`.
   * Every commit before that heartbeat has been announced on this node.
   */
  heartbeatAgeMs(): number;
  close(): Promise<void>;
}
