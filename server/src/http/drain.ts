import type { FastifyInstance } from 'fastify';

/** A keep-alive connection that is reused before it is closed still gets a response. */
const IDLE_CHECK_MS = 50;

export interface DrainOptions {
  /** Resolves when `/readyz` has returned 503 long enough for load balancers to stop sending. */
  readonly gracePeriod: Promise<unknown>;
  /** How long requests in flight may take after the grace period; then they are cut. */
  readonly deadlineMs: number;
}

export class Drain {
  #isDraining = false;

  get isDraining(): boolean {
    return this.#isDraining;
  }

  /** From now on `/readyz` returns 503 and every response closes its connection. */
  begin(): void {
    this.#isDraining = true;
  }
}

/**
 * Ends the server without losing requests: readiness 503, the grace period, no new connections,
 * requests in flight end with `Connection: close`. Returns false when the deadline cut requests.
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
