import type { Socket } from 'node:net';
import { type EventLoop, eventLoop } from './event-loop.ts';

const CHECK_EVERY_MS = 10;
/**
 * The number of connections that resume for each request admitted since the last check. A shed
 * request costs two thirds of a served one, so shedding takes about a seventh of the processor
 * time. With a higher number, clients that retry immediately would take time from other clients.
 */
const RESUMED_PER_ADMITTED = 0.25;
/** The number of connections that resume per millisecond even if no request is admitted. */
const RESUMED_PER_MS = 1;
/** The number of connections that resume per check while the event loop is idle enough. */
const RESUMED_WHEN_IDLE = 100;
/** The event loop is idle enough if it was idle for this share of the time since the last check. */
const IDLE_SHARE_MIN = 0.05;
/** No pause exceeds the shortest `Retry-After`, so clients that respect it are never affected. */
export const PAUSE_SECONDS_MAX = 2;
const PAUSE_MS_MAX = PAUSE_SECONDS_MAX * 1_000;

/** Limits the cost of shedding: after a shed request, its connection is not read for up to 2 s. */
export class PausedConnections {
  readonly #loop: EventLoop;
  /** The paused connections and when their pause began, oldest first. */
  readonly #pausedSinceMs = new Map<Socket, number>();
  /** The number of requests admitted since the last check. */
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

  pause(socket: Socket): void {
    // Do not pause yet, because Node resumes reading when the parser ends the request. Pause before
    // other sockets are read: with more than 1,024 ready sockets, a tick reads them in up to 48
    // batches and would read this connection repeatedly.
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

  #countToResume(passedMs: number): number {
    const isAtRest = this.#loop.idleMs() - this.#checkedIdleMs >= passedMs * IDLE_SHARE_MIN;
    const earned = this.#admitted * RESUMED_PER_ADMITTED + passedMs * RESUMED_PER_MS;
    return isAtRest ? Math.max(earned, RESUMED_WHEN_IDLE) : earned;
  }
}
