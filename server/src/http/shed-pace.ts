import type { Socket } from 'node:net';
import { type Loop, ROUND_BOUNDS, thisLoop } from './loop-round.ts';

/**
 * Shed requests for each that was let in, after which their connections are read on at once. Shedding and holding cost
 * two thirds of a whole request, nearly all of it reading, parsing and writing: so it takes about a seventh of the
 * process, however fast the machine is. More, and clients that come back at once take what the others are served with.
 */
const SHED_PER_ADMITTED = 0.25;
/** And for each millisecond, where nothing is let in because too much is under way. */
const SHED_PER_MS = 1;
/** How many may come in one go: what a gateway that many share does not feel. */
const SHED_AT_ONCE = 500;
/** How often held connections are looked at. */
const LOOK_EVERY_MS = 10;
/**
 * Read on at each look while the loop finds rest, whatever is left: what they have sent meanwhile can be served. As many
 * as every round takes.
 */
const READ_ON_AT_REST = ROUND_BOUNDS.requestsMin;
/** Longest that a connection is held: the least that `Retry-After` asks for, so that nobody who heeds it is. */
export const HOLD_SECONDS_MAX = 2;
const HOLD_MS_MAX = HOLD_SECONDS_MAX * 1_000;

interface Held {
  readonly socket: Socket;
  readonly sinceMs: number;
}

/**
 * Bounds what shedding itself costs. The answer to a shed request goes out at once; beyond the pace its connection is
 * held: the next request on it is not read, and costs nothing, until its turn comes, in order, within two seconds.
 */
export class ShedPace {
  readonly #loop: Loop;
  /** The first to be read on comes first. */
  readonly #held = new Map<Socket, Held>();
  readonly #ending: Socket[] = [];
  #left = SHED_AT_ONCE;
  #countedAtMs: number;
  #lookedAtMs = 0;
  #lookedIdleMs = 0;
  #isLooking = false;

  constructor(loop: Loop = thisLoop) {
    this.#loop = loop;
    this.#countedAtMs = loop.now();
  }

  /** How many connections are held. */
  get held(): number {
    return this.#held.size;
  }

  /** Notes that a request was let in. */
  earn(): void {
    if (this.#left < SHED_AT_ONCE) this.#left += SHED_PER_ADMITTED;
  }

  /** Notes that a request on this connection was shed. */
  note(socket: Socket): void {
    this.#refill();
    if (this.#left >= 1 && this.#held.size === 0) {
      this.#left -= 1;
      return;
    }
    // Not yet: Node reads on by itself at the end of each request, which the parser has still to see. But before the loop
    // reads others: while more sockets are ready than it asks the kernel for at once (1,024), one round takes up to 48 such
    // helpings, and would read this connection again and again.
    if (this.#ending.push(socket) === 1) this.#loop.afterRead(this.#hold);
  }

  readonly #hold = (): void => {
    const sinceMs = this.#loop.now();
    for (const socket of this.#ending.splice(0)) {
      if (socket.destroyed || this.#held.has(socket)) continue;
      socket.pause();
      this.#held.set(socket, { socket, sinceMs });
    }
    this.#lookLater();
  };

  #lookLater(): void {
    if (this.#isLooking || this.#held.size === 0) return;
    this.#isLooking = true;
    this.#lookedAtMs = this.#loop.now();
    this.#lookedIdleMs = this.#loop.idleMs();
    this.#loop.after(LOOK_EVERY_MS, this.#look);
  }

  readonly #look = (): void => {
    this.#isLooking = false;
    this.#refill();
    const nowMs = this.#countedAtMs;
    if (this.#hasRested(nowMs)) this.#left = Math.max(this.#left, READ_ON_AT_REST);
    for (const { socket, sinceMs } of this.#held.values()) {
      if (this.#left < 1 && nowMs - sinceMs < HOLD_MS_MAX) break;
      this.#left = Math.max(this.#left - 1, 0);
      this.#held.delete(socket);
      if (!socket.destroyed) socket.resume();
    }
    this.#lookLater();
  };

  #hasRested(nowMs: number): boolean {
    const restedMs = this.#loop.idleMs() - this.#lookedIdleMs;
    return restedMs >= (nowMs - this.#lookedAtMs) * ROUND_BOUNDS.restShareMin;
  }

  #refill(): void {
    const nowMs = this.#loop.now();
    const gained = (nowMs - this.#countedAtMs) * SHED_PER_MS;
    this.#left = Math.min(SHED_AT_ONCE, this.#left + gained);
    this.#countedAtMs = nowMs;
  }
}
