import type { FastifyInstance } from 'fastify';
import type { Drain } from './drain.ts';
import { unavailable } from './errors.ts';
import { JSON_TYPE } from './raw-response.ts';

export const READY_ROUTE = '/readyz';

/** The check fails after this time, which is short because load balancers soon ask again. */
const CHECK_TIMEOUT_MS = 2_000;

/** Why the service is not ready, in a sentence that `/readyz` shows publicly. */
export class NotReady extends Error {
  override name = 'NotReady';
}

export interface HealthOptions {
  readonly drain: Drain;
  /**
   * Rejects if the service cannot work, for example because the database does not respond. Resolves
   * with public sentences about problems that do not prevent work.
   */
  readonly check: () => Promise<readonly string[]>;
}

/**
 * Registers `/livez`, which responds while the process does, and `/readyz`, which returns 503 if
 * the service cannot work or is draining. The `warnings` of `/readyz` are problems that leave the
 * node ready, because taking all nodes out of service would be worse.
 */
export function registerHealth(app: FastifyInstance, options: HealthOptions): void {
  app.get('/livez', (_request, reply) => {
    reply.type(JSON_TYPE).send('{"status":"live"}');
  });
  app.get(READY_ROUTE, async (_request, reply) => {
    if (options.drain.isDraining) throw unavailable();
    try {
      const warnings = await withinLimit(options.check());
      const more = warnings.length === 0 ? {} : { warnings };
      return await reply.type(JSON_TYPE).send(JSON.stringify({ status: 'ready', ...more }));
    } catch (error) {
      if (!(error instanceof NotReady)) throw unavailable({ cause: error });
      const { statusCode, headers, code } = unavailable();
      const body = JSON.stringify({ error: code, reason: error.message });
      return await reply.code(statusCode).headers(headers).type(JSON_TYPE).send(body);
    }
  });
}

async function withinLimit<T>(check: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    const reason = `the check took longer than ${CHECK_TIMEOUT_MS} ms`;
    timer = setTimeout(() => reject(new NotReady(reason)), CHECK_TIMEOUT_MS);
  });
  try {
    return await Promise.race([check, late]);
  } finally {
    clearTimeout(timer);
  }
}
