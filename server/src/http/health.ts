import type { FastifyInstance } from 'fastify';
import type { Drain } from './drain.ts';
import { serviceUnavailable } from './errors.ts';
import { JSON_TYPE } from './raw-response.ts';

export const READY_ROUTE = '/readyz';

/** A check that takes longer has failed. Load balancers repeat it after a few seconds. */
const CHECK_TIMEOUT_MS = 2_000;

/** The message says why the service is not ready. `/readyz` shows it publicly. */
export class NotReady extends Error {
  override name = 'NotReady';
}

export interface HealthOptions {
  readonly drain: Drain;
  /** Rejects if the service cannot work. Otherwise resolves with warnings, which are public. */
  readonly check: () => Promise<readonly string[]>;
}

/**
 * `/livez` always returns 200. `/readyz` returns 503 if the service cannot work or is draining. A
 * problem of all nodes, such as a full disk, is only a warning: 503 would remove all nodes.
 */
export function registerHealth(app: FastifyInstance, options: HealthOptions): void {
  app.get('/livez', (_request, reply) => {
    reply.type(JSON_TYPE).send('{"status":"live"}');
  });
  app.get(READY_ROUTE, async (_request, reply) => {
    if (options.drain.isDraining) throw serviceUnavailable();
    try {
      const warnings = await withinLimit(options.check());
      const more = warnings.length === 0 ? {} : { warnings };
      return await reply.type(JSON_TYPE).send(JSON.stringify({ status: 'ready', ...more }));
    } catch (error) {
      if (!(error instanceof NotReady)) throw serviceUnavailable({ cause: error });
      const { statusCode, headers, code } = serviceUnavailable();
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
