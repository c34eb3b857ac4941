import { QueuePace } from '../base/queue-pace.ts';

/** What is asked of a pool: who waits, and when a connection is given back. */
export interface WatchedPool {
  readonly waitingCount: number;
  on(event: 'release', listener: () => void): unknown;
}

export interface PoolLoadOptions {
  readonly clientsMax: number;
  /** Longest wait for a connection, in milliseconds. */
  readonly waitMsMax: number;
  /** A clock in milliseconds that never goes back. */
  readonly now?: () => number;
}

/** Knows how many connections of a pool were given back lately, and so who would wait for one in vain. */
export class PoolLoad {
  readonly #pool: WatchedPool;
  readonly #pace: QueuePace;

  constructor(pool: WatchedPool, { clientsMax, waitMsMax, now }: PoolLoadOptions) {
    this.#pool = pool;
    this.#pace = new QueuePace(
      { atOnce: clientsMax, waitMsMax },
      now ?? ((): number => performance.now()),
    );
    pool.on('release', () => this.#pace.end(pool.waitingCount));
  }

  /** Whether one more would wait for longer than is allowed, and is better told at once. Ask it of each that comes. */
  isHopeless(): boolean {
    return this.#pace.isHopeless(this.#pool.waitingCount);
  }
}
