/** What a slot is taken for. */
export interface SlotTaker {
  readonly origin: string;
  readonly isSlow: boolean;
}

/** How many notices of one class may be in flight at once: in all, and to one origin. */
export interface ShareBounds {
  readonly total: number;
  readonly perOrigin: number;
}

/** The same of both classes. */
export interface SlotBounds {
  readonly fast: ShareBounds;
  readonly slow: ShareBounds;
  /** Fast ones that turned out to take long: so many have no slot of the fast any more. */
  readonly long: number;
}

/**
 * Notices on their way to receivers, until they are answered: 512, so that sockets are bounded. What takes a slot from
 * others is time, not failure, so those that took long have 64 for themselves, and whatever they do, the others have
 * 192. Who takes long without having done so before, as a host that is tried for the first time, or that hangs every now
 * and then, makes room for others when he shows it, until there are 256 of them. One origin has a third of what is for
 * the fast: it makes room quickly. Of the slow it has a sixteenth: with more, a few hosts that hang would hold up all
 * others that are slow; with less, a host that answers after 3 s would be told of less than one shop a second. Together
 * they are as many as the sender has lines to one origin.
 */
export const slotBounds: SlotBounds = {
  fast: { total: 192, perOrigin: 60 },
  slow: { total: 64, perOrigin: 4 },
  long: 256,
};

/** The slots of one worker. */
export class Slots {
  readonly #fast: Share;
  readonly #slow: Share;
  readonly #longMax: number;
  #long = 0;

  constructor(bounds: SlotBounds = slotBounds) {
    this.#longMax = bounds.long;
    this.#fast = new Share(bounds.fast);
    this.#slow = new Share(bounds.slow);
  }

  get taken(): number {
    return this.#fast.taken + this.#slow.taken + this.#long;
  }

  /** Slots of a class that nobody has. */
  freeOf(isSlow: boolean): number {
    return this.#shareOf(isSlow).free;
  }

  /** Takes a slot; false when none is free for it. */
  take({ origin, isSlow }: SlotTaker): boolean {
    return this.#shareOf(isSlow).take(origin);
  }

  /**
   * Frees the slot of a fast one that takes long; its origin is still charged with it. False when there are too many of
   * those, and for a slow one, which has its slot for that.
   */
  outlast({ isSlow }: SlotTaker): boolean {
    if (isSlow || this.#long >= this.#longMax) return false;
    this.#long++;
    this.#fast.taken--;
    return true;
  }

  /** Gives back what was taken for the same, and whether that had outlasted its slot. */
  release({ origin, isSlow }: SlotTaker, hasOutlasted = false): void {
    const share = this.#shareOf(isSlow);
    share.release(origin);
    if (hasOutlasted) this.#long--;
    else share.taken--;
  }

  #shareOf(isSlow: boolean): Share {
    return isSlow ? this.#slow : this.#fast;
  }
}

class Share {
  readonly #bounds: ShareBounds;
  readonly #byOrigin = new Map<string, number>();
  taken = 0;

  constructor(bounds: ShareBounds) {
    this.#bounds = bounds;
  }

  get free(): number {
    return this.#bounds.total - this.taken;
  }

  take(origin: string): boolean {
    const ofOrigin = this.#byOrigin.get(origin) ?? 0;
    if (this.free <= 0 || ofOrigin >= this.#bounds.perOrigin) return false;
    this.taken++;
    this.#byOrigin.set(origin, ofOrigin + 1);
    return true;
  }

  release(origin: string): void {
    const ofOrigin = this.#byOrigin.get(origin) ?? 0;
    if (ofOrigin > 1) this.#byOrigin.set(origin, ofOrigin - 1);
    else this.#byOrigin.delete(origin);
  }
}
