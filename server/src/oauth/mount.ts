import type { FastifyInstance } from 'fastify';
import type { Clock } from '../base/clock.ts';
import type { Database } from '../database/database.ts';

/** What the authorization server needs of the service. */
export interface AuthorizationServerOptions {
  readonly db: Database;
  readonly clock: Clock;
  /** `PUBLIC_URL` without a slash at its end; host and protocol of every address come from it, never from a request. */
  readonly publicUrl: string;
  readonly secretKey: string;
  /** Who gets the byte-same answer to a repeated refresh: clients that send `Idempotency-Key`, all, or none. */
  readonly refreshReplay: 'header' | 'always' | 'never';
  /** False switches every throttle off (`RATE_LIMITS=off`). */
  readonly isThrottled: boolean;
  /** Told of faults, with their cause; never of a token, secret, code, cookie, password or full e-mail address. */
  readonly onFault: (error: unknown, requestId: string) => void;
}

/** Mounts sign-in, consent, the OAuth endpoints under `/auth` and both metadata documents. */
export async function mountAuthorizationServer(
  app: FastifyInstance,
  options: AuthorizationServerOptions,
): Promise<void> {
  void app;
  void options;
}
