import type { Socket } from 'node:net';
import { type EventLoop, eventLoop } from './event-loop.ts';

/** How often paused connections are checked. */
const CHECK_EVERY_MS = 10;
/**
 * Connections to resume per request admitted since the last check. Shedding and pausing cost two
 * thirds of a whole request, nearly all of it reading, parsing and writing, so shedding takes about
 * a seventh of the process on any machine. With more, clients that retry at once would take time
 * from the others.
 */
const RESUMED_PER_ADMITTED = 0.25;
/** Also per millisecond, for times when nothing is admitted because too much is in flight. */
const RESUMED_PER_MS = 1;
/** At each check while the loop is idle enough: what the connections have sent can be served. */
const RESUMED_WHEN_IDLE = 100;
/** The least share of time that the loop must have been idle for that. */
const IDLE_SHARE_MIN = 0.05;
/**
 * Longest pause of a connection: the shortest `Retry-After`, so that clients that respect it are
 * never affected.
 */
export const PAUSE_SECONDS_MAX = 2;
const PAUSE_MS_MAX = PAUSE_SECONDS_MAX * 1_000;

/**
 * Limits the cost of shedding. The answer to a shed request is sent at once; then its connection is
 * paused: the next request on it is not read, and costs nothing, until the connection is resumed,
 * in order, within two seconds.
 */
export class PausedConnections {
  readonly #loop: EventLoop;
  /** When each connection was paused, oldest first. */
  readonly #pausedSinceMs = new Map<Socket, number>();
  /** Requests admitted since the last check. */
  #admitted = 0;
  #checkedAtMs = 0;
  #checkedIdleMs = 0;
  #isCheckScheduled = false;

  constructor(loop: EventLoop = eventLoop) {
    this.#loop = loop;
  }

  get pausedCount(): number {
    return this.#pausedSinceMs.size;
  }

  admit(): void {
    this.#admitted += 1;
  }

  /** Pauses the connection of a shed request. */
  pause(socket: Socket): void {
    // Not immediately: Node resumes reading at the end of each request, which the parser has yet to
    // see. But before the loop reads other sockets: if more than 1,024 are ready, which is what it
    // asks the kernel for at once, one tick takes up to 48 such batches and would read this
    // connection repeatedly.
    this.#loop.afterRead(() => {
      if (socket.destroyed || this.#pausedSinceMs.has(socket)) return;
      socket.pause();
      this.#pausedSinceMs.set(socket, this.#loop.now());
      if (!this.#isCheckScheduled) this.#scheduleCheck();
    });
  }

  #scheduleCheck(): void {
    this.#isCheckScheduled = this.pausedCount > 0;
    if (!this.#isCheckScheduled) return;
    this.#admitted = 0;
    this.#checkedAtMs = this.#loop.now();
    this.#checkedIdleMs = this.#loop.idleMs();
    this.#loop.after(CHECK_EVERY_MS, this.#check);
  }

  readonly #check = (): void => {
    const nowMs = this.#loop.now();
    let left = this.#countToResume(nowMs - this.#checkedAtMs);
    for (const [socket, sinceMs] of this.#pausedSinceMs) {
      if (left < 1 && nowMs - sinceMs < PAUSE_MS_MAX) break;
      left -= 1;
      this.#pausedSinceMs.delete(socket);
      if (!socket.destroyed) socket.resume();
    }
    this.#scheduleCheck();
  };

  /** How many connections to resume after `passedMs`. */
  #countToResume(passedMs: number): number {
    const isAtRest = this.#loop.idleMs() - this.#checkedIdleMs >= passedMs * IDLE_SHARE_MIN;
    const earned = this.#admitted * RESUMED_PER_ADMITTED + passedMs * RESUMED_PER_MS;
    return isAtRest ? Math.max(earned, RESUMED_WHEN_IDLE) : earned;
  }
}
