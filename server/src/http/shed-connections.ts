import type { Socket } from 'node:net';
import { type Loop, thisLoop } from './event-loop.ts';

/** How often held connections are looked at. */
const LOOK_EVERY_MS = 10;
/**
 * Connections that are read on for each request that was let in since the last look. Shedding and holding cost two thirds
 * of a whole request, nearly all of it reading, parsing and writing: so shedding takes about a seventh of the process,
 * however fast the machine is. More, and clients that come back at once take what the others are served with.
 */
const READ_ON_PER_ADMITTED = 0.25;
/** And for each millisecond, where nothing is let in because too much is under way. */
const READ_ON_PER_MS = 1;
/** At each look while the loop finds rest: what they have sent meanwhile can be served. */
const READ_ON_AT_REST = 100;
/** The least share of its time for which the loop has waited for something to do when it finds rest. */
const REST_SHARE = 0.05;
/** Longest that a connection is held: the least that `Retry-After` asks for, so that a client that heeds it never is. */
export const HOLD_SECONDS_MAX = 2;
const HOLD_MS_MAX = HOLD_SECONDS_MAX * 1_000;

/**
 * Bounds what shedding itself costs. The answer to a shed request goes out at once; then its connection is held: the next
 * request on it is not read, and costs nothing, until its turn comes, in order, within two seconds.
 */
export class ShedConnections {
  readonly #loop: Loop;
  /** Since when each is held. The first to be read on comes first. */
  readonly #heldSinceMs = new Map<Socket, number>();
  /** Requests that were let in since the last look. */
  #admitted = 0;
  #lookedAtMs = 0;
  #lookedIdleMs = 0;
  #isLooking = false;

  constructor(loop: Loop = thisLoop) {
    this.#loop = loop;
  }

  /** How many connections are held. */
  get held(): number {
    return this.#heldSinceMs.size;
  }

  /** Notes that a request was let in. */
  admit(): void {
    this.#admitted += 1;
  }

  /** Holds the connection of a request that was shed. */
  hold(socket: Socket): void {
    // Not yet: Node reads on by itself at the end of each request, which the parser has still to see. But before the loop
    // reads others: while more sockets are ready than it asks the kernel for at once (1,024), one round takes up to 48 such
    // helpings, and would read this connection again and again.
    this.#loop.afterRead(() => {
      if (socket.destroyed || this.#heldSinceMs.has(socket)) return;
      socket.pause();
      this.#heldSinceMs.set(socket, this.#loop.now());
      if (!this.#isLooking) this.#lookLater();
    });
  }

  #lookLater(): void {
    this.#isLooking = this.held > 0;
    if (!this.#isLooking) return;
    this.#admitted = 0;
    this.#lookedAtMs = this.#loop.now();
    this.#lookedIdleMs = this.#loop.idleMs();
    this.#loop.after(LOOK_EVERY_MS, this.#look);
  }

  readonly #look = (): void => {
    const nowMs = this.#loop.now();
    let left = this.#turns(nowMs - this.#lookedAtMs);
    for (const [socket, sinceMs] of this.#heldSinceMs) {
      if (left < 1 && nowMs - sinceMs < HOLD_MS_MAX) break;
      left -= 1;
      this.#heldSinceMs.delete(socket);
      if (!socket.destroyed) socket.resume();
    }
    this.#lookLater();
  };

  /** How many connections may be read on after so many milliseconds. */
  #turns(passedMs: number): number {
    const isAtRest = this.#loop.idleMs() - this.#lookedIdleMs >= passedMs * REST_SHARE;
    const earned = this.#admitted * READ_ON_PER_ADMITTED + passedMs * READ_ON_PER_MS;
    return isAtRest ? Math.max(earned, READ_ON_AT_REST) : earned;
  }
}
