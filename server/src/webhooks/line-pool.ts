import type { Line, LineEvents } from './line.ts';

/** Bounds of the connections that are kept. */
export interface PoolLimits {
  /** Connections to one origin at once. */
  readonly socketsPerOrigin: number;
  /** Connections without a notice, to all origins together. */
  readonly idleSockets: number;
}

interface OriginLines {
  readonly all: Set<Line>;
  /** The one that was used last stands last, and is taken first: what is too many grows idle and is closed. */
  readonly idle: Line[];
  readonly waiting: Set<(line: Line) => void>;
}

/**
 * The connections to receivers by origin. An origin is forgotten with its last connection: what is kept grows with the
 * notices of the last seconds, not with the receivers that there are.
 */
export class LinePool {
  readonly #origins = new Map<string, OriginLines>();
  /** The longest idle first. */
  readonly #idle = new Map<Line, string>();
  readonly #open: (origin: string, events: LineEvents) => Line;
  readonly #limits: PoolLimits;
  #isClosed = false;

  constructor(open: (origin: string, events: LineEvents) => Line, limits: PoolLimits) {
    this.#open = open;
    this.#limits = limits;
  }

  /** Origins that anything is kept for. */
  get origins(): number {
    return this.#origins.size;
  }

  /** Connections without a notice. */
  get idle(): number {
    return this.#idle.size;
  }

  /**
   * A line that is free, or a new one; when there are as many as may be, the next one that comes free, first come first
   * served. Rejects with the reason of `signal`.
   */
  async take(origin: string, signal: AbortSignal): Promise<Line> {
    signal.throwIfAborted();
    const lines = this.#linesOf(origin);
    const free = lines.idle.pop();
    if (free !== undefined) {
      this.#idle.delete(free);
      return free;
    }
    if (lines.all.size >= this.#limits.socketsPerOrigin) return await this.#wait(lines, signal);
    return this.#add(origin);
  }

  /** Ends every connection. */
  close(): void {
    this.#isClosed = true;
    for (const lines of this.#origins.values()) for (const line of lines.all) line.end();
  }

  #linesOf(origin: string): OriginLines {
    const known = this.#origins.get(origin);
    if (known !== undefined) return known;
    const lines: OriginLines = { all: new Set(), idle: [], waiting: new Set() };
    this.#origins.set(origin, lines);
    return lines;
  }

  #add(origin: string): Line {
    const line = this.#open(origin, {
      onFree: (freed) => this.#free(origin, freed),
      onGone: (gone) => this.#forget(origin, gone),
    });
    this.#linesOf(origin).all.add(line);
    return line;
  }

  async #wait(lines: OriginLines, signal: AbortSignal): Promise<Line> {
    return await new Promise((resolve, reject) => {
      const leave = (): void => {
        lines.waiting.delete(waiter);
        reject(signal.reason instanceof Error ? signal.reason : new Error('broken off'));
      };
      const waiter = (line: Line): void => {
        lines.waiting.delete(waiter);
        signal.removeEventListener('abort', leave);
        resolve(line);
      };
      lines.waiting.add(waiter);
      signal.addEventListener('abort', leave, { once: true });
    });
  }

  #free(origin: string, line: Line): void {
    const lines = this.#linesOf(origin);
    if (this.#isClosed) {
      line.end();
      return;
    }
    const [waiter] = lines.waiting;
    if (waiter !== undefined) {
      waiter(line);
      return;
    }
    lines.idle.push(line);
    this.#idle.set(line, origin);
    if (this.#idle.size <= this.#limits.idleSockets) return;
    const [longest] = this.#idle.keys();
    longest?.end();
  }

  #forget(origin: string, line: Line): void {
    const lines = this.#linesOf(origin);
    lines.all.delete(line);
    this.#idle.delete(line);
    const place = lines.idle.indexOf(line);
    if (place !== -1) lines.idle.splice(place, 1);
    const [waiter] = lines.waiting;
    if (waiter !== undefined && !this.#isClosed) waiter(this.#add(origin));
    else if (lines.all.size === 0) this.#origins.delete(origin);
  }
}
