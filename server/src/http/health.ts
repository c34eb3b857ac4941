import type { FastifyInstance } from 'fastify';
import type { Drain } from './drain.ts';
import { unavailable } from './errors.ts';
import { JSON_TYPE } from './raw-answer.ts';

/** Longest a check may take; a balancer asks again long before. */
const CHECK_TIMEOUT_MS = 2_000;

export interface HealthOptions {
  readonly drain: Drain;
  /** Rejects when the service cannot do its work, for example because the database does not answer. */
  readonly check: () => Promise<void>;
}

/** `/livez`: the process answers. `/readyz`: it can do its work and is not on its way out, else 503. */
export function registerHealth(app: FastifyInstance, options: HealthOptions): void {
  app.get('/livez', (_request, reply) => {
    reply.type(JSON_TYPE).send('{"status":"live"}');
  });
  app.get('/readyz', async (_request, reply) => {
    if (options.drain.isDraining) throw unavailable();
    await withinLimit(options.check());
    return await reply.type(JSON_TYPE).send('{"status":"ready"}');
  });
}

async function withinLimit(check: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(unavailable()), CHECK_TIMEOUT_MS);
  });
  try {
    await Promise.race([check, late]);
  } catch (error) {
    throw unavailable({ cause: error });
  } finally {
    clearTimeout(timer);
  }
}
