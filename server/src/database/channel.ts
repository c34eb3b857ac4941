import type { Queryable, Transaction } from './database.ts';
import { statement } from './statement.ts';

/**
 * What a node tells the others. The payload of `access`, `stock`, `boosts` and `webhooks` is a shop's id: its access, its
 * stock, its buy boosts have changed, its webhooks want to be looked at. That of `catalog` is the position of the newest
 * change of the shared catalog.
 */
export type Topic = 'access' | 'stock' | 'catalog' | 'boosts' | 'webhooks';

/**
 * Tells every node, itself included, that something changed. Inside a transaction it is sent with the commit, in the
 * order of the commits. A notification is a hint: the tables are the truth.
 */
export async function announce(db: Queryable, topic: Topic, payload: string): Promise<void> {
  await db.query(sendNotification, [`${topic}:${payload}`]);
}

/**
 * Tells every node, itself included, that a transaction which is frequent changed something. After the commit this
 * process is told at once; the other nodes by one notification a few milliseconds later, together with all that was
 * committed meanwhile. Until the commit is done nothing is sent: a notification inside it makes the commits of all
 * writers of the database take turns (decision 0105). A hint only, which may be dropped.
 */
export function announceSoon(tx: Transaction, topic: Topic, payload: string): void {
  tx.announceSoon(`${topic}:${payload}`);
}

export const sendNotification = statement('send_notification', `select pg_notify('cardport', $1)`);

/** A listening connection whose health is proven by heartbeats that come back on it. */
export interface Channel {
  subscribe(topic: Topic, handler: (payload: string) => void): void;
  /**
   * Calls `handler` whenever notifications may have been missed: every cache must be dropped. What was asked of the
   * database before the call (or before a payload came) and is answered after it must not be kept either.
   */
  onReset(handler: () => void): void;
  /**
   * True while a heartbeat that this node sent at most 1,000 ms ago has come back: the order of notifications is the
   * order of commits, so every earlier one has arrived, and what is cached is current.
   */
  isProven(): boolean;
  /**
   * How long ago the newest heartbeat that came back was sent, in milliseconds: what was committed earlier has been heard.
   * At most 1,000 while the channel is proven.
   */
  provenAgeMs(): number;
  close(): Promise<void>;
}
