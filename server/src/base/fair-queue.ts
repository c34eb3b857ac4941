/** The maximum numbers of running and waiting entries of a group. */
export interface GroupBounds {
  readonly running: number;
  readonly waiting: number;
}

export interface FairQueueOptions<T> {
  /** The bounds of all entries together, then those of each group, by level. Deeper levels have none. */
  readonly bounds: readonly [GroupBounds, ...GroupBounds[]];
  /** Called with each entry that was removed to make room for another group. */
  readonly onEvicted?: (item: T) => void;
  /** A monotonic clock in milliseconds. */
  readonly now?: () => number;
}

export interface QueueEntry<T> {
  readonly item: T;
  readonly group: Group<T>;
  state: 'waiting' | 'running' | 'removed';
  startedAtMs: number;
}

/** Half of the time that a group has used is forgotten after this time. */
const HALF_LIFE_MS = 5_000;
/** The number of groups without entries whose used time is remembered. */
const IDLE_GROUPS_MAX = 2_000;

const UNBOUNDED: GroupBounds = { running: Infinity, waiting: Infinity };

/** Entries that share a turn, such as those of a shop, or of an app in a shop. */
export class Group<T> {
  readonly name: string;
  readonly parent: Group<T> | null;
  readonly level: number;
  readonly bounds: GroupBounds;
  readonly children = new Map<string, Group<T>>();
  readonly waitingChildren = new Set<Group<T>>();
  /** The waiting entries that belong to this group and to none of its children, oldest first. */
  readonly entries = new Set<QueueEntry<T>>();
  running = 0;
  waiting = 0;
  /** The number of the group's last turn. It decides between groups that have used equal time. */
  turn = 0;
  #usedMs = 0;
  #usedAtMs = 0;
  /** The sum of the start times of the running entries. */
  #startsMs = 0;

  constructor(name: string, parent: Group<T> | null, bounds: GroupBounds) {
    this.name = name;
    this.parent = parent;
    this.level = parent === null ? 0 : parent.level + 1;
    this.bounds = bounds;
  }

  get isIdle(): boolean {
    return this.running === 0 && this.waiting === 0;
  }

  /** Returns the time used lately. Running entries count from their start. */
  usedMs(nowMs: number): number {
    const kept = 2 ** ((this.#usedAtMs - nowMs) / HALF_LIFE_MS);
    return this.#usedMs * kept + this.running * nowMs - this.#startsMs;
  }

  start(nowMs: number, turn: number): void {
    this.running += 1;
    this.turn = turn;
    this.#startsMs += nowMs;
  }

  end(startedAtMs: number, nowMs: number): void {
    const kept = 2 ** ((this.#usedAtMs - nowMs) / HALF_LIFE_MS);
    this.#usedMs = this.#usedMs * kept + nowMs - startedAtMs;
    this.#usedAtMs = nowMs;
    this.running -= 1;
    // Sums of fractions are inexact; start from zero whenever that is known to be right.
    this.#startsMs = this.running === 0 ? 0 : this.#startsMs - startedAtMs;
  }
}

/**
 * A bounded queue in which tenants take turns. The path of an entry names its groups, widest first,
 * for example its shop and its app. At each level, the group that has used the least time lately is
 * next. If a group is full, a new entry evicts the newest entry of the largest group in it, provided
 * that this has at least two more entries than the new entry's own group.
 */
export class FairQueue<T> {
  readonly #options: FairQueueOptions<T>;
  readonly #now: () => number;
  readonly #root: Group<T>;
  /** The groups without entries, the one that has been idle longest first. Children come first. */
  readonly #idle = new Set<Group<T>>();
  #turns = 0;

  constructor(options: FairQueueOptions<T>) {
    this.#options = options;
    this.#now = options.now ?? ((): number => performance.now());
    this.#root = new Group('', null, options.bounds[0]);
  }

  get running(): number {
    return this.#root.running;
  }

  get waiting(): number {
    return this.#root.waiting;
  }

  /** Returns undefined if the queue remembers no group with this path. */
  find(path: readonly string[]): Group<T> | undefined {
    let group: Group<T> | undefined = this.#root;
    for (const name of path) group = group?.children.get(name);
    return group;
  }

  /** Returns undefined if a group of the entry is full and no entry of it can be evicted. */
  add(path: readonly string[], item: T): QueueEntry<T> | undefined {
    if (!this.#makeRoom(path)) return undefined;
    let group = this.#root;
    for (const name of path) group = group.children.get(name) ?? this.#addGroup(group, name);
    const entry: QueueEntry<T> = { item, group, state: 'waiting', startedAtMs: 0 };
    group.entries.add(entry);
    for (let each: Group<T> | null = group; each !== null; each = each.parent) {
      each.waiting += 1;
      each.parent?.waitingChildren.add(each);
      this.#idle.delete(each);
    }
    return entry;
  }

  /** Starts the next entry that can start and whose groups have a free slot. */
  take(canStart: (item: T) => boolean = () => true): QueueEntry<T> | undefined {
    if (this.#root.waiting === 0 || this.#root.running >= this.#root.bounds.running) {
      return undefined;
    }
    const nowMs = this.#now();
    const entry = next(this.#root, canStart, nowMs);
    if (entry === undefined) return undefined;
    this.#turns += 1;
    // Start it before it leaves, so that its groups are never idle in between.
    for (let each: Group<T> | null = entry.group; each !== null; each = each.parent) {
      each.start(nowMs, this.#turns);
    }
    this.#leave(entry, 'running');
    entry.startedAtMs = nowMs;
    return entry;
  }

  /** Ends a running entry, whose groups are charged for its time, or removes a waiting one. */
  remove(entry: QueueEntry<T>): void {
    if (entry.state === 'waiting') this.#leave(entry, 'removed');
    if (entry.state !== 'running') return;
    entry.state = 'removed';
    const nowMs = this.#now();
    for (let each: Group<T> | null = entry.group; each !== null; each = each.parent) {
      each.end(entry.startedAtMs, nowMs);
      this.#rememberIdle(each);
    }
  }

  #leave(entry: QueueEntry<T>, state: 'running' | 'removed'): void {
    entry.state = state;
    entry.group.entries.delete(entry);
    for (let each: Group<T> | null = entry.group; each !== null; each = each.parent) {
      each.waiting -= 1;
      if (each.waiting === 0) each.parent?.waitingChildren.delete(each);
      this.#rememberIdle(each);
    }
  }

  #addGroup(parent: Group<T>, name: string): Group<T> {
    const bounds = this.#options.bounds[parent.level + 1] ?? UNBOUNDED;
    const group = new Group(name, parent, bounds);
    parent.children.set(name, group);
    return group;
  }

  #rememberIdle(group: Group<T>): void {
    if (!group.isIdle || group.parent === null) return;
    this.#idle.delete(group);
    this.#idle.add(group);
    if (this.#idle.size <= IDLE_GROUPS_MAX) return;
    const [oldest] = this.#idle;
    if (oldest === undefined) return;
    this.#idle.delete(oldest);
    oldest.parent?.children.delete(oldest.name);
  }

  /** Evicts an entry if a group of the path is full. Returns false if the path gets no place. */
  #makeRoom(path: readonly string[]): boolean {
    let full: Group<T> | undefined;
    let group: Group<T> | undefined = this.#root;
    for (let level = 0; group !== undefined; level++) {
      if (group.waiting >= group.bounds.waiting) full = group;
      group = group.children.get(path[level] ?? '');
    }
    if (full === undefined) return true;
    for (let parent: Group<T> | undefined = full; parent !== undefined;) {
      const own: Group<T> | undefined = parent.children.get(path[parent.level] ?? '');
      const ownWaiting: number = own?.waiting ?? 0;
      const largest = largestOf(parent);
      if (largest !== undefined && largest.waiting >= ownWaiting + 2) {
        this.#evict(largest);
        return true;
      }
      parent = ownWaiting === 0 ? undefined : own;
    }
    return false;
  }

  /** Evicts the newest entry of the largest group at each level. */
  #evict(group: Group<T>): void {
    const largest = largestOf(group);
    if (largest !== undefined) {
      this.#evict(largest);
      return;
    }
    const newest = [...group.entries].at(-1);
    if (newest === undefined) return;
    this.#leave(newest, 'removed');
    this.#options.onEvicted?.(newest.item);
  }
}

function next<T>(
  group: Group<T>,
  canStart: (item: T) => boolean,
  nowMs: number,
): QueueEntry<T> | undefined {
  for (const entry of group.entries) if (canStart(entry.item)) return entry;
  let found: QueueEntry<T> | undefined;
  let [leastMs, leastTurn] = [Infinity, Infinity];
  for (const child of group.waitingChildren) {
    if (child.running >= child.bounds.running) continue;
    const usedMs = child.usedMs(nowMs);
    if (usedMs > leastMs || (usedMs === leastMs && child.turn >= leastTurn)) continue;
    const entry = next(child, canStart, nowMs);
    if (entry !== undefined) [found, leastMs, leastTurn] = [entry, usedMs, child.turn];
  }
  return found;
}

/** Of several equally large groups, the one with the last turn is chosen. */
function largestOf<T>(group: Group<T>): Group<T> | undefined {
  let largest: Group<T> | undefined;
  for (const child of group.waitingChildren) {
    const [count, turn] = [largest?.waiting ?? 0, largest?.turn ?? 0];
    if (child.waiting > count || (child.waiting === count && child.turn > turn)) largest = child;
  }
  return largest;
}
