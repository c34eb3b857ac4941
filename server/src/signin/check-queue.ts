/** A place in the queue, held from before the attempt is counted until its password is checked. */
export interface Place {
  /** The groups that take turns, the widest first, each named by its full path. */
  readonly groups: readonly string[];
}

export interface CheckQueueOptions {
  /** Checks that run at once. */
  readonly runningMax: number;
  /**
   * Maximum places that are not running. Each step scans all of them, so keep it to some dozens.
   */
  readonly waitingMax: number;
}

/**
 * How waiting ended: this place's turn came, it was evicted for another group, or the caller
 * disconnected.
 */
export type Turn = 'now' | 'evicted' | 'gone';

interface Held extends Place {
  /** Ends the wait; null before it starts. */
  settle: ((turn: Turn) => void) | null;
}

/**
 * A bounded queue that is fair at every level: groups take turns, then the groups within each. When
 * the queue is full, a new place evicts the youngest place of the largest other group, at the
 * widest level where that group holds at least two more. With no other groups, one may fill the
 * queue.
 */
export class CheckQueue {
  readonly #runningMax: number;
  readonly #waitingMax: number;
  /** Oldest first. */
  #held: readonly Held[] = [];
  /** The order of groups that hold places: the lowest number is next. */
  readonly #turns = new Map<string, number>();
  #lastTurn = 0;
  #running = 0;

  constructor({ runningMax, waitingMax }: CheckQueueOptions) {
    this.#runningMax = runningMax;
    this.#waitingMax = waitingMax;
  }

  /** Places that are not running; at most `waitingMax`. */
  get heldCount(): number {
    return this.#held.length;
  }

  /**
   * Takes a place immediately; undefined when the queue is full and no other group holds two more
   * at any level. `path` names the groups that take turns, the widest first, for example the
   * `networkLevels` of an address.
   */
  reserve(path: readonly string[]): Place | undefined {
    const groups = path.map((_, level) => path.slice(0, level + 1).join('\n'));
    if (this.heldCount >= this.#waitingMax && !this.#evictFor(groups)) return undefined;
    const place: Held = { groups, settle: null };
    for (const group of groups) {
      if (!this.#turns.has(group)) this.#putLast(group);
    }
    this.#held = [...this.#held, place];
    return place;
  }

  /**
   * Waits for the place's turn. After `now`, call `release`; before, `release` gives up the place.
   */
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
    const turn = Promise.withResolvers<Turn>();
    held.settle = turn.resolve;
    const leave = (): void => {
      this.#remove(held);
      turn.resolve('gone');
    };
    signal.addEventListener('abort', leave, { once: true });
    const ended = await turn.promise;
    signal.removeEventListener('abort', leave);
    return ended;
  }

  /** Releases a place that had its turn or never waited. */
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
    return this.#held.find((held) => held === place);
  }

  #run(held: Held): void {
    this.#remove(held);
    this.#running++;
  }

  /** Starts the next place and moves its groups to the end at every level. */
  #admit(): void {
    const waiting = this.#held.filter(({ settle }) => settle !== null);
    const [next] = waiting.toSorted((a, b) => this.#compare(a, b));
    if (next === undefined) return;
    this.#run(next);
    for (const group of next.groups) {
      if (this.#turns.has(group)) this.#putLast(group);
    }
    next.settle?.('now');
  }

  /**
   * Orders places by the turns of their groups, the widest first; places of equal groups keep their
   * order.
   */
  #compare(a: Held, b: Held): number {
    const level = a.groups.findIndex((group, index) => group !== b.groups[index]);
    return this.#turnOf(a.groups[level]) - this.#turnOf(b.groups[level]);
  }

  #turnOf(group = ''): number {
    return this.#turns.get(group) ?? 0;
  }

  #putLast(group: string): void {
    this.#turns.set(group, ++this.#lastTurn);
  }

  #evictFor(groups: readonly string[]): boolean {
    for (const [level, own] of groups.entries()) {
      const beside = this.#held.filter((held) => isWithin(held, groups[level - 1]));
      const largest = this.#largest(beside, level);
      const ownCount = beside.filter((held) => isWithin(held, own)).length;
      if (largest.length >= ownCount + 2) {
        this.#evict(largest, level + 1);
        return true;
      }
      if (ownCount === 0) return false;
    }
    return false;
  }

  /** Evicts the youngest place of the largest group at every level from `level`. */
  #evict(places: readonly Held[], level: number): void {
    const youngest = places.at(-1);
    if (youngest === undefined) return;
    if (level < youngest.groups.length) {
      this.#evict(this.#largest(places, level), level + 1);
      return;
    }
    this.#remove(youngest);
    youngest.settle?.('evicted');
  }

  /** The places of the largest group. Among equally large groups, the one with the last turn. */
  #largest(places: readonly Held[], level: number): readonly Held[] {
    const byGroup = Map.groupBy(places, ({ groups }) => groups[level]);
    const [largest] = [...byGroup].toSorted(
      ([a, ofA], [b, ofB]) => ofB.length - ofA.length || this.#turnOf(b) - this.#turnOf(a),
    );
    return largest?.[1] ?? [];
  }

  #remove(held: Held): void {
    this.#held = this.#held.filter((each) => each !== held);
    for (const group of held.groups) {
      if (!this.#held.some((each) => isWithin(each, group))) this.#turns.delete(group);
    }
  }
}

/** Every place is within an undefined group. */
function isWithin({ groups }: Place, group: string | undefined): boolean {
  return group === undefined || groups.includes(group);
}
