/** A place in the queue, from before the attempt is counted until its password is checked. */
export interface Reservation {
  /** The groups that take turns, the widest first, each named by its full path. */
  readonly groups: readonly string[];
}

export interface CheckQueueOptions {
  readonly runningMax: number;
  /** Places that are not running. Each step scans all of them, so some dozens at most. */
  readonly waitingMax: number;
}

/** `now`: it is this place's turn. `evicted`: for another group. `gone`: disconnected. */
export type WaitResult = 'now' | 'evicted' | 'gone';

interface QueueEntry extends Reservation {
  /** Null before the wait starts. */
  settle: ((result: WaitResult) => void) | null;
}

/**
 * A bounded queue that is fair at every level: groups take turns, then the groups within each. When
 * the queue is full, a new place evicts the newest place of the largest other group, at the widest
 * level where that group holds at least two more.
 */
export class CheckQueue {
  readonly #runningMax: number;
  readonly #waitingMax: number;
  /** Oldest first. */
  #entries: readonly QueueEntry[] = [];
  /** Groups that hold places: the lowest number is next. */
  readonly #order = new Map<string, number>();
  #lastOrder = 0;
  #running = 0;

  constructor({ runningMax, waitingMax }: CheckQueueOptions) {
    this.#runningMax = runningMax;
    this.#waitingMax = waitingMax;
  }

  /** At most `waitingMax`. */
  get queuedCount(): number {
    return this.#entries.length;
  }

  /**
   * Undefined when the queue is full and no other group holds two more at any level. `path` names
   * the groups, the widest first, for example the `networkLevels` of an address.
   */
  reserve(path: readonly string[]): Reservation | undefined {
    const groups = path.map((_, level) => path.slice(0, level + 1).join('\n'));
    if (this.queuedCount >= this.#waitingMax && !this.#evictFor(groups)) return undefined;
    const reservation: QueueEntry = { groups, settle: null };
    for (const group of groups) {
      if (!this.#order.has(group)) this.#moveToEnd(group);
    }
    this.#entries = [...this.#entries, reservation];
    return reservation;
  }

  /** After `now`, call `release`; before, `release` gives up the place. */
  async wait(reservation: Reservation, signal: AbortSignal): Promise<WaitResult> {
    const entry = this.#find(reservation);
    if (entry === undefined) return 'evicted';
    if (signal.aborted) {
      this.#remove(entry);
      return 'gone';
    }
    if (this.#running < this.#runningMax) {
      this.#run(entry);
      return 'now';
    }
    const deferred = Promise.withResolvers<WaitResult>();
    entry.settle = deferred.resolve;
    const leave = (): void => {
      this.#remove(entry);
      deferred.resolve('gone');
    };
    signal.addEventListener('abort', leave, { once: true });
    const ended = await deferred.promise;
    signal.removeEventListener('abort', leave);
    return ended;
  }

  /** Call it after the place's turn, or if it never waited. */
  release(reservation: Reservation, result: WaitResult | null): void {
    if (result === 'now') {
      this.#running--;
      this.#startNext();
      return;
    }
    const entry = this.#find(reservation);
    if (entry !== undefined) this.#remove(entry);
  }

  #find(reservation: Reservation): QueueEntry | undefined {
    return this.#entries.find((entry) => entry === reservation);
  }

  #run(entry: QueueEntry): void {
    this.#remove(entry);
    this.#running++;
  }

  /** Moves the groups of the started place to the end at every level. */
  #startNext(): void {
    const waiting = this.#entries.filter(({ settle }) => settle !== null);
    const [next] = waiting.toSorted((a, b) => this.#compare(a, b));
    if (next === undefined) return;
    this.#run(next);
    for (const group of next.groups) {
      if (this.#order.has(group)) this.#moveToEnd(group);
    }
    next.settle?.('now');
  }

  /** Sorts by the turns of the groups, the widest first; equal groups keep their order. */
  #compare(a: QueueEntry, b: QueueEntry): number {
    const level = a.groups.findIndex((group, index) => group !== b.groups[index]);
    return this.#orderOf(a.groups[level]) - this.#orderOf(b.groups[level]);
  }

  #orderOf(group = ''): number {
    return this.#order.get(group) ?? 0;
  }

  #moveToEnd(group: string): void {
    this.#order.set(group, ++this.#lastOrder);
  }

  #evictFor(groups: readonly string[]): boolean {
    for (const [level, own] of groups.entries()) {
      const beside = this.#entries.filter((entry) => isWithin(entry, groups[level - 1]));
      const largest = this.#largest(beside, level);
      const ownCount = beside.filter((entry) => isWithin(entry, own)).length;
      if (largest.length >= ownCount + 2) {
        this.#evict(largest, level + 1);
        return true;
      }
      if (ownCount === 0) return false;
    }
    return false;
  }

  /** Evicts the newest place of the largest group at every level from `level`. */
  #evict(places: readonly QueueEntry[], level: number): void {
    const newest = places.at(-1);
    if (newest === undefined) return;
    if (level < newest.groups.length) {
      this.#evict(this.#largest(places, level), level + 1);
      return;
    }
    this.#remove(newest);
    newest.settle?.('evicted');
  }

  /** Among equally large groups, the one with the last turn. */
  #largest(places: readonly QueueEntry[], level: number): readonly QueueEntry[] {
    const byGroup = Map.groupBy(places, ({ groups }) => groups[level]);
    const [largest] = [...byGroup].toSorted(
      ([a, ofA], [b, ofB]) => ofB.length - ofA.length || this.#orderOf(b) - this.#orderOf(a),
    );
    return largest?.[1] ?? [];
  }

  #remove(entry: QueueEntry): void {
    this.#entries = this.#entries.filter((each) => each !== entry);
    for (const group of entry.groups) {
      if (!this.#entries.some((each) => isWithin(each, group))) this.#order.delete(group);
    }
  }
}

/** Every place is within an undefined group. */
function isWithin({ groups }: Reservation, group: string | undefined): boolean {
  return group === undefined || groups.includes(group);
}
