import type { Queryable, Transaction } from './database.ts';
import { statement } from './statement.ts';

/**
 * The topics that nodes announce to each other. The payload of `access`, `stock`, `boosts` and
 * `webhooks` is the id of a shop whose access, stock or buy boosts have changed, or whose webhooks
 * should be checked. The payload of `catalog` is the position of the newest change of the shared
 * catalog.
 */
export type Topic = 'access' | 'stock' | 'catalog' | 'boosts' | 'webhooks';

/**
 * Notifies every node of a change, including this node. Inside a transaction the notification is
 * sent with the commit, in commit order. A notification is only a hint, so consumers read the
 * tables.
 */
export async function announce(db: Queryable, topic: Topic, payload: string): Promise<void> {
  await db.query(sendNotification, [`${topic}:${payload}`]);
}

/**
 * Notifies every node of a change, for transactions that run often. After the commit this process
 * is notified immediately. The other nodes get one notification a few milliseconds later, for all
 * commits until then. The notification is not part of the transaction, because that would serialize
 * the commits of all writers (decision 0105). Notifications may be dropped, because they are only
 * hints.
 */
export function announceSoon(tx: Transaction, topic: Topic, payload: string): void {
  tx.announceSoon(`${topic}:${payload}`);
}

export const sendNotification = statement('send_notification', `select pg_notify('cardport', $1)`);

/** A connection that listens for notifications. Heartbeats that come back prove that it works. */
export interface Channel {
  subscribe(topic: Topic, handler: (payload: string) => void): void;
  /**
   * Calls `handler` whenever notifications may have been missed, so that it drops every cache. It
   * must also prevent that a query which began before this call, or before a payload arrived, fills
   * the cache with its older result.
   */
  onReset(handler: () => void): void;
  /**
   * Returns true while the newest heartbeat that came back was sent at most 1,000 ms ago. Because
   * notifications arrive in commit order, every notification before that heartbeat has arrived too,
   * so caches are at most that old.
   */
  isLive(): boolean;
  /**
   * Returns how long ago the newest heartbeat that came back was sent. Every commit before that has
   * been announced on this node. The age is at most 1,000 ms while `isLive` is true.
   */
  heartbeatAgeMs(): number;
  close(): Promise<void>;
}
