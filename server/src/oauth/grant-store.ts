import { AsyncLocalStorage } from 'node:async_hooks';
import { errors } from 'oidc-provider';
import type { Clock } from '../base/clock.ts';
import { hashSecret } from '../base/secrets.ts';
import { endConnectionIfUnused } from '../connections/connection.ts';
import type { Database, Queryable, Transaction } from '../database/database.ts';
import { endApproval, findApproval, type GrantKey } from '../approvals/approval.ts';
import type { RefreshTokens } from '../approvals/refresh-token.ts';
import { type LostTokenLimits, recoverLostToken } from '../approvals/lost-token.ts';
import { type Actor, SERVICE } from '../shops/audit.ts';
import { TokenTransaction } from './token-transaction.ts';

export interface GrantStoreOptions {
  readonly db: Database;
  readonly clock: Clock;
  readonly refreshTokens: RefreshTokens;
  /**
   * The number of days after a restore during which the service accepts refresh tokens that were
   * issued after the backup (`RESTORED_TOKENS_DAYS`). With 0, it accepts none.
   */
  readonly restoredTokenDays?: number;
  /** Missing in commands. */
  readonly isLossUndecided?: LossCheck;
}

/** True if the operator's decision after a restore could make a token valid (decision 0238). */
export type LossCheck = (tx: Transaction, issuedAt: Date, isNewest: boolean) => Promise<boolean>;

/** The lifetime of a refresh token (spec 5.4). */
export const REFRESH_TOKEN_SECONDS = 90 * 86_400;

interface Running {
  readonly tx: Transaction;
  readonly token: TokenTransaction | null;
}

/**
 * Gives the library its only access to the database. The library does not pass the request to its
 * storage adapter, so the current transaction is in `AsyncLocalStorage` and every statement joins
 * it.
 */
export class GrantStore {
  readonly db: Database;
  readonly clock: Clock;
  readonly refreshTokens: RefreshTokens;
  readonly #terms: LostTokenLimits;
  readonly #isLossUndecided: LossCheck | undefined;
  readonly #running = new AsyncLocalStorage<Running>();

  constructor({ db, clock, refreshTokens, restoredTokenDays = 0, ...rest }: GrantStoreOptions) {
    this.db = db;
    this.clock = clock;
    this.refreshTokens = refreshTokens;
    this.#isLossUndecided = rest.isLossUndecided;
    this.#terms = {
      trustMs: restoredTokenDays * 86_400_000,
      lifetimeMs: REFRESH_TOKEN_SECONDS * 1_000,
    };
  }

  get queryable(): Queryable {
    return this.#running.getStore()?.tx ?? this.db;
  }

  get transaction(): Transaction | undefined {
    return this.#running.getStore()?.tx;
  }

  /** Null outside a token request. */
  get tokenTransaction(): TokenTransaction | null {
    return this.#running.getStore()?.token ?? null;
  }

  async inTokenTransaction<T>(
    shopId: string,
    work: (token: TokenTransaction) => Promise<T>,
  ): Promise<T> {
    return await this.db.transaction(async (tx) => {
      const token = new TokenTransaction(tx, shopId);
      return await this.#running.run({ tx, token }, work, token);
    });
  }

  /** An interaction that `work` reads stays locked until the transaction ends. */
  async inTransaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    return await this.db.transaction(
      async (tx) => await this.#running.run({ tx, token: null }, work, tx),
    );
  }

  /** Accepts a refresh token that was issued after the restored backup (decision 0215). */
  async recoverLostToken(tx: Transaction, token: string, clientId: string): Promise<boolean> {
    const claims = this.refreshTokens.read(token);
    const now = this.clock.now();
    if (claims === undefined || claims.expiresAt <= now) return false;
    const { trustMs, lifetimeMs } = this.#terms;
    const unknown = { hash: hashSecret(token), claims, clientId };
    const outcome = trustMs > 0 && (await recoverLostToken(tx, unknown, this.#terms, now));
    if (outcome === true) return true;
    const issuedAt = new Date(claims.expiresAt.getTime() - lifetimeMs);
    if ((await this.#isLossUndecided?.(tx, issuedAt, outcome === 'newest')) !== true) return false;
    tx.commitOnRefusal();
    throw unavailable('the database was restored; try again later');
  }

  /**
   * Ends a Grant and deletes all its artifacts in one commit. In a token request, the library calls
   * this if the code or token was reused or misused; the end of the Grant is then committed
   * although the request is refused. Outside a token request, the client has requested a revocation
   * (RFC 7009). A revocation also ends the connection unless another approval needs it.
   */
  async endGrant(grant: GrantKey): Promise<void> {
    const running = this.#running.getStore();
    const token = running?.token ?? null;
    const now = this.clock.now();
    if (token !== null) {
      if (token.isReuseAllowed) return;
      token.tx.commitOnRefusal();
      await endApproval(token.tx, grant, 'token_reused', now, SERVICE);
      return;
    }
    const revoke = async (tx: Transaction): Promise<void> => {
      // The library has checked that the revoked token belongs to the app.
      const clientId = (await findApproval(tx, grant))?.clientId;
      const by: Actor = clientId === undefined ? SERVICE : { kind: 'app', clientId };
      const ended = await endApproval(tx, grant, 'token_revoked', now, by);
      if (ended === undefined) return;
      await endConnectionIfUnused(tx, grant.shopId, ended.clientId, now, by);
    };
    await (running === undefined ? this.db.transaction(revoke) : revoke(running.tx));
  }
}

/** No code or token was consumed, so the client may retry. */
export function unavailable(description: string, cause?: unknown): Error {
  const options = cause === undefined ? {} : { cause };
  const error = new errors.TemporarilyUnavailable(description, options);
  error.status = 503;
  error.statusCode = 503;
  return error;
}
