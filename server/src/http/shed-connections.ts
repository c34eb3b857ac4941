import type { Socket } from 'node:net';
import { type Loop, thisLoop } from './event-loop.ts';

/** How often paused connections are checked. */
const LOOK_EVERY_MS = 10;
/**
 * Connections to resume per request admitted since the last check. Shedding and pausing cost two
 * thirds of a whole request, nearly all of it reading, parsing and writing, so shedding takes about
 * a seventh of the process on any machine. With more, clients that retry at once would take time
 * from the others.
 */
const READ_ON_PER_ADMITTED = 0.25;
/** Also per millisecond, for times when nothing is admitted because too much is in flight. */
const READ_ON_PER_MS = 1;
/** At each check while the loop is idle enough: what the connections have sent can be served. */
const READ_ON_AT_REST = 100;
/** The least share of time that the loop must have been idle for that. */
const REST_SHARE = 0.05;
/**
 * Longest pause of a connection: the shortest `Retry-After`, so that clients that respect it are
 * never affected.
 */
export const HOLD_SECONDS_MAX = 2;
const HOLD_MS_MAX = HOLD_SECONDS_MAX * 1_000;

/**
 * Limits the cost of shedding. The answer to a shed request is sent at once; then its connection is
 * paused: the next request on it is not read, and costs nothing, until the connection is resumed,
 * in order, within two seconds.
 */
export class ShedConnections {
  readonly #loop: Loop;
  /** When each connection was paused, oldest first. */
  readonly #heldSinceMs = new Map<Socket, number>();
  /** Requests admitted since the last check. */
  #admitted = 0;
  #lookedAtMs = 0;
  #lookedIdleMs = 0;
  #isLooking = false;

  constructor(loop: Loop = thisLoop) {
    this.#loop = loop;
  }

  get held(): number {
    return this.#heldSinceMs.size;
  }

  admit(): void {
    this.#admitted += 1;
  }

  /** Pauses the connection of a shed request. */
  hold(socket: Socket): void {
    // Not immediately: Node resumes reading at the end of each request, which the parser has yet to
    // see. But before the loop reads other sockets: if more than 1,024 are ready, which is what it
    // asks the kernel for at once, one tick takes up to 48 such batches and would read this
    // connection repeatedly.
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

  /** How many connections to resume after `passedMs`. */
  #turns(passedMs: number): number {
    const isAtRest = this.#loop.idleMs() - this.#lookedIdleMs >= passedMs * REST_SHARE;
    const earned = this.#admitted * READ_ON_PER_ADMITTED + passedMs * READ_ON_PER_MS;
    return isAtRest ? Math.max(earned, READ_ON_AT_REST) : earned;
  }
}
