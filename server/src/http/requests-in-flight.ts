import type { Duplex } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { hasJustResumed } from '../base/process-pauses.ts';
import { serviceUnavailable } from './errors.ts';

declare module 'fastify' {
  interface FastifyReply {
    /** When the headers of the request had been read (`performance.now()`). */
    beganAtMs: number;
    /** The index among the requests in flight, or -1 once the request has ended. */
    indexInFlight: number;
  }
}

/**
 * A request that takes too long gets a 503. One periodic check costs a busy server less than a
 * timer, a listener and an `AbortController` for each request (decision 0122).
 */
export class RequestsInFlight {
  readonly #msMax: number;
  /**
   * An array in any order. A `Map` is rebuilt every few hundred requests, and V8 links each old
   * table to the next, so the garbage collector would take finished requests for live ones.
   */
  readonly #replies: FastifyReply[] = [];
  readonly #aborters = new Map<FastifyRequest, AbortController>();
  readonly #timer: NodeJS.Timeout;

  /** Requests time out after `msMax` milliseconds. The check runs every `checkMs` milliseconds. */
  constructor(msMax: number, checkMs: number) {
    this.#msMax = msMax;
    this.#timer = setInterval(() => this.#sweep(), checkMs).unref();
  }

  /** The number of requests, including those of clients that disconnected since the last check. */
  get count(): number {
    return this.#replies.length;
  }

  get isBusy(): boolean {
    return this.#replies.some(({ request }) => !hasHungUp(request));
  }

  /** Returns the first unfinished reply of a connection, or undefined if the connection is idle. */
  of(socket: Duplex): FastifyReply | undefined {
    const own = this.#replies.filter(({ request }) => request.raw.socket === socket);
    return own.toSorted((a, b) => a.beganAtMs - b.beganAtMs)[0];
  }

  begin(reply: FastifyReply): void {
    reply.beganAtMs = performance.now();
    reply.indexInFlight = this.#replies.push(reply) - 1;
  }

  /** Removes a request. Call this also if its response will never be sent. */
  end(reply: FastifyReply): void {
    const index = reply.indexInFlight;
    if (index === -1) return;
    reply.indexInFlight = -1;
    const last = this.#replies.pop();
    if (last !== undefined && last !== reply) {
      this.#replies[index] = last;
      last.indexInFlight = index;
    }
    if (this.#aborters.size > 0) this.#aborters.delete(reply.request);
  }

  /** Returns a signal that aborts at the timeout, or if the client disconnects before the end. */
  signalOf(request: FastifyRequest): AbortSignal {
    const known = this.#aborters.get(request);
    if (known !== undefined) return known.signal;
    const response = this.#replies.find((reply) => reply.request === request)?.raw;
    if (response === undefined) return AbortSignal.abort();
    const aborter = new AbortController();
    this.#aborters.set(request, aborter);
    response.once('close', () => {
      this.#aborters.delete(request);
      if (!response.writableFinished) aborter.abort();
    });
    return aborter.signal;
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #sweep(): void {
    if (hasJustResumed()) return;
    const lateBeforeMs = performance.now() - this.#msMax;
    // From the end, because `end` moves the last reply to the index that becomes free.
    for (const reply of this.#replies.toReversed()) {
      // Node emits no event for a broken connection while an earlier response is being sent.
      if (hasHungUp(reply.request)) this.end(reply);
      else if (reply.beganAtMs <= lateBeforeMs && !hasResponded(reply)) this.#refuse(reply);
    }
  }

  #refuse(reply: FastifyReply): void {
    const error = new Error(`no response within ${this.#msMax} ms`);
    this.#aborters.get(reply.request)?.abort(error);
    // The abort may have made the handler respond.
    if (hasResponded(reply)) return;
    // A second response would be read as part of the first, so the connection is closed.
    if (reply.raw.headersSent) reply.raw.destroy(error);
    else reply.send(serviceUnavailable({ cause: error }));
  }
}

function hasHungUp({ raw }: FastifyRequest): boolean {
  return raw.socket.destroyed;
}

/** Returns true if the handler has responded. The client may still be reading the response. */
function hasResponded(reply: FastifyReply): boolean {
  return reply.sent;
}
