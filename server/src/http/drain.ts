import type { FastifyInstance } from 'fastify';

/** How often idle keep-alive connections are closed while draining: a client that reuses one gets an answer first. */
const IDLE_CHECK_MS = 50;

export interface DrainOptions {
  /** Resolves when readiness has answered 503 for long enough that a balancer sends nothing more; the port closes then. */
  readonly notice: Promise<unknown>;
  /** How long requests under way may take after that; then their connections are cut. */
  readonly deadlineMs: number;
}

/** Whether the process is on its way out. Readiness and `Connection: close` look at it. */
export class Drain {
  #isDraining = false;

  get isDraining(): boolean {
    return this.#isDraining;
  }

  /** From now on readiness says 503 and every answer closes its connection. */
  begin(): void {
    this.#isDraining = true;
  }
}

/**
 * Ends the server without losing a request: readiness 503, a pause, no new connections, the requests under way answered
 * with `Connection: close`, idle connections closed, and after the deadline the rest cut. Returns false when some were.
 */
export async function drainServer(
  app: FastifyInstance,
  drain: Drain,
  options: DrainOptions,
): Promise<boolean> {
  drain.begin();
  await options.notice;
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
