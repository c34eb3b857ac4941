import type { FastifyInstance } from 'fastify';

/**
 * How often idle keep-alive connections are closed while draining; one that is reused in between
 * still gets an answer.
 */
const IDLE_CHECK_MS = 50;

export interface DrainOptions {
  /**
   * Resolves when `/readyz` has answered 503 long enough for load balancers to stop sending; then
   * the port closes.
   */
  readonly gracePeriod: Promise<unknown>;
  /** How long requests in flight may take after that; then their connections are cut. */
  readonly deadlineMs: number;
}

/** Whether the process is draining. Decides about readiness and `Connection: close`. */
export class Drain {
  #isDraining = false;

  get isDraining(): boolean {
    return this.#isDraining;
  }

  /** From now on `/readyz` answers 503 and every answer closes its connection. */
  begin(): void {
    this.#isDraining = true;
  }
}

/**
 * Ends the server without losing requests: readiness 503, a pause, no new connections, requests in
 * flight answered with `Connection: close`, idle connections closed, and the rest cut at the
 * deadline. Returns false when requests were cut.
 */
export async function drainServer(
  app: FastifyInstance,
  drain: Drain,
  options: DrainOptions,
): Promise<boolean> {
  drain.begin();
  await options.gracePeriod;
  let isClean = true;
  const idle = setInterval(() => app.server.closeIdleConnections(), IDLE_CHECK_MS);
  const deadline = setTimeout(() => {
    isClean = !app.underWay.isBusy;
    app.server.closeAllConnections();
  }, options.deadlineMs);
  try {
    await app.close();
  } finally {
    clearInterval(idle);
    clearTimeout(deadline);
  }
  return isClean;
}
