import type { FastifyReply, FastifyRequest } from 'fastify';
import { unavailable } from './errors.ts';

declare module 'fastify' {
  interface FastifyReply {
    /** When the headers of its request had been read, on the clock of `performance.now()`. */
    beganAtMs: number;
  }
}

/**
 * Ends the requests whose answer takes too long. One look at all requests under way costs a busy server less than a timer,
 * a listener and an `AbortController` for each of them (decision 0120).
 */
export class HandlerTime {
  readonly #msMax: number;
  readonly #underWay = new Map<FastifyRequest, FastifyReply>();
  readonly #aborters = new Map<FastifyRequest, AbortController>();
  readonly #timer: NodeJS.Timeout;

  /** `msMax`: longest from the request's headers to its answer. `checkMs`: how late that may be seen. */
  constructor(msMax: number, checkMs: number) {
    this.#msMax = msMax;
    this.#timer = setInterval(() => this.#sweep(), checkMs).unref();
  }

  /** Requests that are watched now; one whose client hung up is forgotten at the next look. */
  get count(): number {
    return this.#underWay.size;
  }

  /** Watches a request from its first hook on. */
  begin(reply: FastifyReply): void {
    reply.beganAtMs = performance.now();
    this.#underWay.set(reply.request, reply);
  }

  /** The answer has left. */
  end(reply: FastifyReply): void {
    this.#underWay.delete(reply.request);
    if (this.#aborters.size > 0) this.#aborters.delete(reply.request);
  }

  /** Is aborted when the request's time is over, or its client hangs up before the whole answer has left. */
  signalOf(request: FastifyRequest): AbortSignal {
    const known = this.#aborters.get(request);
    if (known !== undefined) return known.signal;
    const response = this.#underWay.get(request)?.raw;
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
    const lateBeforeMs = performance.now() - this.#msMax;
    for (const reply of this.#underWay.values()) {
      // Nothing tells of a response whose connection broke.
      if (reply.raw.destroyed) this.end(reply);
      else if (reply.beganAtMs <= lateBeforeMs) this.#refuse(reply);
    }
  }

  #refuse(reply: FastifyReply): void {
    const aborter = this.#aborters.get(reply.request);
    // Of a pipelined request nothing may ever be heard again: its answer waits for a connection that is gone.
    this.end(reply);
    if (isHandedOver(reply)) return;
    const error = new Error(`no answer within ${this.#msMax} ms`);
    aborter?.abort(error);
    // Whoever listened for the abort may have answered.
    if (isHandedOver(reply)) return;
    // A second answer would be read as a part of the first.
    if (reply.raw.headersSent) reply.raw.destroy(error);
    else reply.send(unavailable({ cause: error }));
  }
}

/** What has been handed over is on its way, however slowly it is taken; who hijacked it answers for it. */
function isHandedOver(reply: FastifyReply): boolean {
  return reply.sent;
}
