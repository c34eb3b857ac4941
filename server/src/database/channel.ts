import type { Queryable, Transaction } from './database.ts';
import { statement } from './statement.ts';

/**
 * What nodes announce to each other. The payload of `access`, `stock`, `boosts` and `webhooks` is a
 * shop id: its access, stock or buy boosts have changed, or its webhooks should be checked. The
 * payload of `catalog` is the position of the newest change of the shared catalog.
 */
export type Topic = 'access' | 'stock' | 'catalog' | 'boosts' | 'webhooks';

/**
 * Notifies every node, including this one, of a change. Inside a transaction it is sent with the
 * commit, in commit order. A notification is only a hint: consumers read the tables.
 */
export async function announce(db: Queryable, topic: Topic, payload: string): Promise<void> {
  await db.query(sendNotification, [`${topic}:${payload}`]);
}

/**
 * The same for frequent transactions. After the commit this process is notified at once; the other
 * nodes get one notification a few milliseconds later, for everything committed until then. Not
 * sent inside the transaction: that serializes the commits of all writers (decision 0105). Only a
 * hint, which may be dropped.
 */
export function announceSoon(tx: Transaction, topic: Topic, payload: string): void {
  tx.announceSoon(`${topic}:${payload}`);
}

export const sendNotification = statement('send_notification', `select pg_notify('cardport', $1)`);

/** A listening connection; returning heartbeats prove that it works. */
export interface Channel {
  subscribe(topic: Topic, handler: (payload: string) => void): void;
  /**
   * Calls `handler` when notifications may have been missed: every cache must be dropped. A result
   * that was requested before the call (or before a payload came) and arrives after it must not be
   * cached either.
   */
  onReset(handler: () => void): void;
  /**
   * True while a heartbeat that this node sent at most 1,000 ms ago has come back. Notifications
   * arrive in commit order, so every earlier one has arrived, and the caches are current.
   */
  isLive(): boolean;
  /** Every commit older than this has been announced here. At most 1,000 while `isLive`. */
  heartbeatAgeMs(): number;
  close(): Promise<void>;
}
