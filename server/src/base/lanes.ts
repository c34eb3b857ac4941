import { QueuePace } from './queue-pace.ts';

/** How much work of one key runs and waits. */
export interface LaneBounds {
  /** Works of a key that run at once. */
  readonly atOnce: number;
  /** Works of a key that wait; one more is turned away at once. */
  readonly waitingMax: number;
  /** Longest wait, in milliseconds; beyond it a work is turned away, and at once when it is seen to come to more. */
  readonly waitMsMax: number;
}

/** A key's lane: how many of its works run, and who waits, the first to come first. */
interface Lane {
  running: number;
  readonly pace: QueuePace;
  readonly waiting: Set<(isTurn: boolean) => void>;
}

/**
 * Lets the works of one key through a few at a time, first come first served. Whoever waits holds nothing: so one key
 * cannot take everything that all of them share, such as pooled connections.
 */
export class Lanes {
  readonly #bounds: LaneBounds;
  readonly #lanes = new Map<string, Lane>();

  readonly #now: () => number;

  /** `now` is a clock in milliseconds that never goes back. */
  constructor(bounds: LaneBounds, now: () => number = () => performance.now()) {
    this.#bounds = bounds;
    this.#now = now;
  }

  /**
   * Runs `work` when it is its turn; undefined (and nothing is run) when too many wait already, when those before it
   * will take too long by how many ended lately, or when it waited too long.
   *
   * @param signal ends the wait, as when nobody wants the work any more; a work that runs is left alone
   */
  async take<T>(
    key: string,
    work: () => Promise<T>,
    signal?: AbortSignal,
  ): Promise<{ readonly value: T } | undefined> {
    if (signal?.aborted === true) return undefined;
    const lane = this.#lanes.get(key) ?? {
      running: 0,
      pace: new QueuePace(this.#bounds, this.#now),
      waiting: new Set(),
    };
    this.#lanes.set(key, lane);
    if (!(await this.#begin(lane, signal))) return undefined;
    try {
      return { value: await work() };
    } finally {
      this.#end(key, lane);
    }
  }

  async #begin(lane: Lane, signal: AbortSignal | undefined): Promise<boolean> {
    if (lane.running < this.#bounds.atOnce) {
      lane.running += 1;
      return true;
    }
    const { size } = lane.waiting;
    if (lane.pace.isHopeless(size) || size >= this.#bounds.waitingMax) return false;
    const turn = Promise.withResolvers<boolean>();
    lane.waiting.add(turn.resolve);
    const leave = (): void => {
      // One whose turn has come is no longer there: its place must be handed on by itself.
      if (lane.waiting.delete(turn.resolve)) turn.resolve(false);
    };
    const timer = setTimeout(leave, this.#bounds.waitMsMax);
    signal?.addEventListener('abort', leave, { once: true });
    const isTurn = await turn.promise;
    clearTimeout(timer);
    signal?.removeEventListener('abort', leave);
    return isTurn;
  }

  /** Hands the place on to the first that waits. */
  #end(key: string, lane: Lane): void {
    lane.pace.end(lane.waiting.size);
    const [next] = lane.waiting;
    if (next !== undefined) {
      lane.waiting.delete(next);
      next(true);
      return;
    }
    lane.running -= 1;
    if (lane.running === 0) this.#lanes.delete(key);
  }
}
