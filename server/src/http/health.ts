import type { FastifyInstance } from 'fastify';
import type { Drain } from './drain.ts';
import { unavailable } from './errors.ts';
import { JSON_TYPE } from './raw-answer.ts';

/** Where a balancer asks whether the process is ready. */
export const READY_ROUTE = '/readyz';

/** Longest a check may take; a balancer asks again long before. */
const CHECK_TIMEOUT_MS = 2_000;

/** Why the service cannot do its work, in a sentence that `/readyz` shows to anybody. */
export class NotReady extends Error {
  override name = 'NotReady';
}

export interface HealthOptions {
  readonly drain: Drain;
  /**
   * Rejects when the service cannot do its work, for example because the database does not answer; the reason is shown of
   * `NotReady` alone. Resolves with what is wrong although it can, in sentences that anybody may read.
   */
  readonly check: () => Promise<readonly string[]>;
}

/**
 * `/livez`: the process answers. `/readyz`: it can do its work and is not on its way out, else 503. What is wrong
 * without making it unready is in `warnings`: a balancer that took every node out for it would make it worse.
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
