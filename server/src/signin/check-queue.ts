/** A place in the queue, from before the attempt is counted until its password was checked. */
export interface Place {
  /** What takes turns with others, the widest group first: `networkLevels` of an address, for example. */
  readonly path: readonly string[];
}

export interface CheckQueueOptions {
  /** Checks that run at once. */
  readonly runningMax: number;
  /** Places that are taken and do not run. */
  readonly waitingMax: number;
}

/** How waiting ended: it is this place's turn, another group needed the place, or its caller has gone. */
export type Turn = 'now' | 'evicted' | 'gone';

interface Held extends Place {
  state: 'reserved' | 'waiting' | 'running' | 'evicted';
  settle: (turn: Turn) => void;
}

/** Places that do not run, as a tree of groups. Only the innermost groups hold places, oldest first. */
interface Group {
  count: number;
  /** In the order of their turns: a group that had its turn goes to the end. */
  readonly groups: Map<string, Group>;
  readonly places: Held[];
}

/**
 * A bounded queue that is fair at every level: groups take turns, then the groups within each. When the queue is full, a
 * newcomer takes the youngest place of the largest group beside its own, at the widest level at which that group holds at
 * least two more. Alone, a group may have all of it.
 */
export class CheckQueue {
  readonly #runningMax: number;
  readonly #waitingMax: number;
  readonly #root = newGroup();
  #running = 0;

  constructor({ runningMax, waitingMax }: CheckQueueOptions) {
    this.#runningMax = runningMax;
    this.#waitingMax = waitingMax;
  }

  /** Places that are taken and do not run: never more than `waitingMax`. */
  get heldCount(): number {
    return this.#root.count;
  }

  /** Takes a place, at once; undefined when the queue is full and no other group holds two more at any level. */
  reserve(path: readonly string[]): Place | undefined {
    if (this.heldCount >= this.#waitingMax && !this.#evictFor(path)) return undefined;
    const place: Held = { path, state: 'reserved', settle: () => undefined };
    let group = this.#root;
    group.count++;
    for (const name of path) {
      const inner = group.groups.get(name) ?? newGroup();
      group.groups.set(name, inner);
      inner.count++;
      group = inner;
    }
    group.places.push(place);
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
    return this.#groupsOf(place.path)
      .at(-1)
      ?.places.find((held) => held === place);
  }

  #run(held: Held): void {
    this.#remove(held);
    held.state = 'running';
    this.#running++;
  }

  /** Gives the free check to the place whose turn it is, and puts its group last at every level. */
  #admit(): void {
    const next = firstWaiting(this.#root);
    if (next === undefined) return;
    this.#run(next);
    let group = this.#root;
    for (const name of next.path) {
      const inner = group.groups.get(name);
      if (inner === undefined) break;
      group.groups.delete(name);
      group.groups.set(name, inner);
      group = inner;
    }
    next.settle('now');
  }

  #evictFor(path: readonly string[]): boolean {
    let group: Group | undefined = this.#root;
    for (const name of path) {
      const own: Group | undefined = group.groups.get(name);
      const largest = largestOf(group);
      if (largest !== undefined && largest.count >= (own?.count ?? 0) + 2) {
        this.#evict(youngestOf(largest));
        return true;
      }
      if (own === undefined) return false;
      group = own;
    }
    return false;
  }

  #evict(held: Held | undefined): void {
    if (held === undefined) return;
    this.#remove(held);
    held.state = 'evicted';
    held.settle('evicted');
  }

  #remove(held: Held): void {
    const groups = this.#groupsOf(held.path);
    const places = groups.at(-1)?.places ?? [];
    const index = places.indexOf(held);
    if (index === -1) return;
    places.splice(index, 1);
    for (const group of groups) group.count--;
    for (const [level, name] of held.path.entries()) {
      if (groups[level + 1]?.count === 0) groups[level]?.groups.delete(name);
    }
  }

  /** The groups of a path from the root on; none when there is no such path. */
  #groupsOf(path: readonly string[]): readonly Group[] {
    const groups = [this.#root];
    for (const name of path) {
      const inner = groups.at(-1)?.groups.get(name);
      if (inner === undefined) return [];
      groups.push(inner);
    }
    return groups;
  }
}

function newGroup(): Group {
  return { count: 0, groups: new Map(), places: [] };
}

/** The waiting place whose turn it is. Some groups hold only places whose callers do not wait yet. */
function firstWaiting(group: Group): Held | undefined {
  for (const inner of group.groups.values()) {
    const found = firstWaiting(inner);
    if (found !== undefined) return found;
  }
  return group.places.find(({ state }) => state === 'waiting');
}

/** Of several that are equally large, the one whose turn comes last. */
function largestOf(group: Group): Group | undefined {
  let largest: Group | undefined;
  for (const inner of group.groups.values()) {
    if (largest === undefined || inner.count >= largest.count) largest = inner;
  }
  return largest;
}

function youngestOf(group: Group): Held | undefined {
  const largest = largestOf(group);
  return largest === undefined ? group.places.at(-1) : youngestOf(largest);
}
