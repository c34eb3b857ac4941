import type pg from 'pg';

/** How much the latest use of a connection weighs in what one is thought to take: the last 16 or so tell it. */
const LATEST_WEIGHT = 1 / 16;

/** What is asked of a pool: who waits, and when a connection is taken and given back. */
export interface WatchedPool {
  readonly waitingCount: number;
  on(event: 'acquire', listener: (client: pg.PoolClient) => void): unknown;
  on(event: 'release', listener: (error: Error, client: pg.PoolClient) => void): unknown;
}

export interface PoolLoadOptions {
  readonly clientsMax: number;
  /** Longest wait for a connection, in milliseconds. */
  readonly waitMsMax: number;
  /** A clock in milliseconds that never goes back. */
  readonly now?: () => number;
}

/** Knows how long connections of a pool are used lately, and so who would wait for one in vain. */
export class PoolLoad {
  readonly #pool: WatchedPool;
  readonly #options: PoolLoadOptions;
  readonly #takenAtMs = new WeakMap<pg.PoolClient, number>();
  #useMs = 0;

  constructor(pool: WatchedPool, options: PoolLoadOptions) {
    this.#pool = pool;
    this.#options = options;
    const now = options.now ?? ((): number => performance.now());
    pool.on('acquire', (client) => void this.#takenAtMs.set(client, now()));
    pool.on('release', (_error, client) => {
      const usedMs = now() - (this.#takenAtMs.get(client) ?? now());
      this.#useMs += (usedMs - this.#useMs) * LATEST_WEIGHT;
    });
  }

  /**
   * Whether one more would wait for longer than is allowed, by how long connections were used lately: better it is told at
   * once. While nobody waits it never is, so that a slow minute is not remembered.
   */
  isHopeless(): boolean {
    const { clientsMax, waitMsMax } = this.#options;
    const waiting = this.#pool.waitingCount;
    return waiting > 0 && ((waiting + 1) * this.#useMs) / clientsMax > waitMsMax;
  }
}
