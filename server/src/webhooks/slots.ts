/** What a slot is taken for. */
export interface SlotTaker {
  readonly origin: string;
  readonly isFailing: boolean;
}

/** How many notices may be in flight at once. */
export interface SlotBounds {
  readonly total: number;
  readonly perOrigin: number;
  readonly failing: number;
}

/**
 * Notices in flight, bounded: in all, so that memory and sockets are; for each origin, so that a host which hangs takes
 * a quarter at most; and for those that fail, so that a thousand dead hosts take a quarter at most.
 */
export const slotBounds: SlotBounds = { total: 256, perOrigin: 64, failing: 64 };

/** The slots of one worker. */
export class Slots {
  readonly #bounds: SlotBounds;
  readonly #byOrigin = new Map<string, number>();
  #taken = 0;
  #failing = 0;

  constructor(bounds: SlotBounds = slotBounds) {
    this.#bounds = bounds;
  }

  /** Slots that nobody has. */
  get free(): number {
    return this.#bounds.total - this.#taken;
  }

  get taken(): number {
    return this.#taken;
  }

  get isFullOfFailing(): boolean {
    return this.#failing >= this.#bounds.failing;
  }

  /** Origins that are at their bound. */
  fullOrigins(): string[] {
    const { perOrigin } = this.#bounds;
    return [...this.#byOrigin].flatMap(([origin, taken]) => (taken >= perOrigin ? [origin] : []));
  }

  /** Takes a slot; false when none is free for it. */
  take({ origin, isFailing }: SlotTaker): boolean {
    const ofOrigin = this.#byOrigin.get(origin) ?? 0;
    if (this.free <= 0 || ofOrigin >= this.#bounds.perOrigin) return false;
    if (isFailing && this.isFullOfFailing) return false;
    this.#taken++;
    this.#byOrigin.set(origin, ofOrigin + 1);
    if (isFailing) this.#failing++;
    return true;
  }

  /** Gives back what was taken for the same. */
  release({ origin, isFailing }: SlotTaker): void {
    const ofOrigin = this.#byOrigin.get(origin) ?? 0;
    this.#taken--;
    if (isFailing) this.#failing--;
    if (ofOrigin > 1) this.#byOrigin.set(origin, ofOrigin - 1);
    else this.#byOrigin.delete(origin);
  }
}
