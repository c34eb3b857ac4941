/** A place in the queue, from before the attempt is counted until its password was checked. */
export interface Place {
  readonly network: string;
}

export interface CheckQueueOptions {
  /** Checks that run at once. */
  readonly runningMax: number;
  /** Places that are taken and do not run. */
  readonly waitingMax: number;
}

/** How waiting ended: it is this place's turn, another network needed the place, or its caller has gone. */
export type Turn = 'now' | 'evicted' | 'gone';

interface Held extends Place {
  state: 'reserved' | 'waiting' | 'running' | 'evicted';
  settle: (turn: Turn) => void;
}

/**
 * A bounded queue that is fair by network: networks take turns, and when it is full, a newcomer from a network that
 * holds less takes the youngest place of the one that holds most. Alone, a network may have all of it.
 */
export class CheckQueue {
  readonly #runningMax: number;
  readonly #waitingMax: number;
  /** Places that do not run, oldest first, by network; the order of the networks is the order of their turns. */
  readonly #held = new Map<string, Held[]>();
  #heldCount = 0;
  #running = 0;

  constructor({ runningMax, waitingMax }: CheckQueueOptions) {
    this.#runningMax = runningMax;
    this.#waitingMax = waitingMax;
  }

  /** Places that are taken and do not run: never more than `waitingMax`. */
  get heldCount(): number {
    return this.#heldCount;
  }

  /** Takes a place, at once; undefined when the queue is full and no network holds two more than this one. */
  reserve(network: string): Place | undefined {
    if (this.#heldCount >= this.#waitingMax && !this.#evictFor(network)) return undefined;
    const place: Held = { network, state: 'reserved', settle: () => undefined };
    const places = this.#held.get(network) ?? [];
    places.push(place);
    this.#held.set(network, places);
    this.#heldCount++;
    return place;
  }

  /** Waits until it is the place's turn. After `now` comes `release`; before, `release` gives the place up. */
  async wait(place: Place, signal: AbortSignal): Promise<Turn> {
    const held = this.#find(place);
    if (held === undefined) return 'evicted';
    if (signal.aborted) {
      this.#remove(held);
      return 'gone';
    }
    if (this.#running < this.#runningMax) {
      this.#run(held);
      return 'now';
    }
    held.state = 'waiting';
    const leave = (): void => {
      this.#remove(held);
      held.settle('gone');
    };
    signal.addEventListener('abort', leave, { once: true });
    const turn = await new Promise<Turn>((resolve) => (held.settle = resolve));
    signal.removeEventListener('abort', leave);
    return turn;
  }

  /** Gives a place back that had its turn, or never waited for one. */
  release(place: Place, turn: Turn | null): void {
    if (turn === 'now') {
      this.#running--;
      this.#admit();
      return;
    }
    const held = this.#find(place);
    if (held !== undefined) this.#remove(held);
  }

  #find(place: Place): Held | undefined {
    return this.#held.get(place.network)?.find((held) => held === place);
  }

  #run(held: Held): void {
    this.#remove(held);
    held.state = 'running';
    this.#running++;
  }

  /** Gives the free check to the network whose turn it is, and puts that network last. */
  #admit(): void {
    for (const [network, places] of this.#held) {
      const next = places.find(({ state }) => state === 'waiting');
      if (next === undefined) continue;
      this.#run(next);
      if (places.length > 0) {
        this.#held.delete(network);
        this.#held.set(network, places);
      }
      next.settle('now');
      return;
    }
  }

  #evictFor(network: string): boolean {
    const [largest] = [...this.#held.values()].toSorted((a, b) => b.length - a.length);
    const own = this.#held.get(network)?.length ?? 0;
    const youngest = largest?.at(-1);
    if (largest === undefined || youngest === undefined || largest.length < own + 2) return false;
    this.#remove(youngest);
    youngest.state = 'evicted';
    youngest.settle('evicted');
    return true;
  }

  #remove(held: Held): void {
    const places = this.#held.get(held.network) ?? [];
    const index = places.indexOf(held);
    if (index === -1) return;
    places.splice(index, 1);
    this.#heldCount--;
    if (places.length === 0) this.#held.delete(held.network);
  }
}
