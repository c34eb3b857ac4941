/**
 * A place in the queue. It is held from before the attempt is counted until its password is
 * checked.
 */
export interface Reservation {
  /** The groups that take turns, widest first. Each name contains the names of wider groups. */
  readonly groups: readonly string[];
}

export interface CheckQueueOptions {
  readonly runningMax: number;
  /**
   * The maximum number of reservations that have not started. Every step scans all of them, so
   * allow only a few dozen.
   */
  readonly waitingMax: number;
}

/**
 * The result of waiting: `now` if it is this reservation's turn, `evicted` if its place was given
 * to another group, and `gone` if the browser disconnected.
 */
export type WaitResult = 'now' | 'evicted' | 'gone';

interface QueueEntry extends Reservation {
  /** Resolves the wait. Null before the wait starts. */
  settle: ((result: WaitResult) => void) | null;
}

/**
 * A bounded queue that is fair at every level: the widest groups take turns, then the groups within
 * each. When the queue is full, a new place evicts the newest place of the largest other group, at
 * the widest level where that group has at least two places more than the new place's group.
 */
export class CheckQueue {
  readonly #runningMax: number;
  readonly #waitingMax: number;
  /** The reservations that have not started, oldest first. */
  #entries: readonly QueueEntry[] = [];
  /** The position of each group in the rotation. The group with the lowest number is next. */
  readonly #order = new Map<string, number>();
  #lastOrder = 0;
  #running = 0;

  constructor({ runningMax, waitingMax }: CheckQueueOptions) {
    this.#runningMax = runningMax;
    this.#waitingMax = waitingMax;
  }

  /** The number of reservations that have not started, at most `waitingMax`. */
  get queuedCount(): number {
    return this.#entries.length;
  }

  /**
   * Returns undefined if the queue is full and no place can be evicted, because at no level does
   * another group have at least two places more. `path` has the groups, widest first, for example
   * the `networkLevels` of an address.
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

  /** If the result is `now`, the caller must call `release` after the check. */
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

  /** Releases a reservation after its check, or gives up its place if the check has not started. */
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

  /** Starts the next check, and moves its groups to the end of the rotation at every level. */
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

  /**
   * Compares reservations by the positions of their groups in the rotation, widest group first.
   * Reservations of the same groups keep their order.
   */
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

  /** Evicts the newest place of the group that is largest at each level, from `level` on. */
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

  /** Of several equally large groups, the one with the last turn is chosen. */
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

/** Returns whether a place belongs to a group. All places belong to the undefined group. */
function isWithin({ groups }: Reservation, group: string | undefined): boolean {
  return group === undefined || groups.includes(group);
}
