import type { FastifyInstance } from 'fastify';

/** How often idle connections are closed. A request that arrives before that gets a response. */
const IDLE_CHECK_MS = 50;

export interface DrainOptions {
  /** Resolves when load balancers have had time to react to the 503 of `/readyz`. */
  readonly gracePeriod: Promise<unknown>;
  /** The time after the grace period until the remaining requests in flight are aborted. */
  readonly deadlineMs: number;
}

export class Drain {
  #isDraining = false;

  get isDraining(): boolean {
    return this.#isDraining;
  }

  /** Makes `/readyz` return 503 and every response close its connection from now on. */
  begin(): void {
    this.#isDraining = true;
  }
}

/**
 * Loses no requests: `/readyz` returns 503, the grace period passes, then the requests in flight
 * end with `Connection: close`. Returns false if the deadline aborted requests.
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
    isClean = !app.requestsInFlight.isBusy;
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
