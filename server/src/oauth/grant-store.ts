import { AsyncLocalStorage } from 'node:async_hooks';
import type { Clock } from '../base/clock.ts';
import { hashSecret } from '../base/secrets.ts';
import { endConnectionIfUnused } from '../connections/connection.ts';
import type { Database, Queryable, Transaction } from '../database/database.ts';
import { endApproval, findApproval } from '../grants/approval.ts';
import type { RefreshTokens } from '../grants/refresh-token.ts';
import { type RestoredTokenTerms, takeUpRestoredToken } from '../grants/restored-token.ts';
import { type Actor, SERVICE } from '../shops/audit.ts';
import { TokenTransaction } from './token-transaction.ts';

export interface GrantStoreOptions {
  readonly db: Database;
  readonly clock: Clock;
  readonly refreshTokens: RefreshTokens;
  /** How long after a restore refresh tokens of the lost time are taken up (`RESTORED_TOKENS_DAYS`); 0: never. */
  readonly restoredTokenDays?: number;
}

/** Specification 5.4. */
export const REFRESH_TOKEN_SECONDS = 90 * 86_400;

interface Running {
  readonly tx: Transaction;
  readonly token: TokenTransaction | null;
}

/**
 * The one door of the library to the database. The library hands no request on to its storage: which transaction is under
 * way follows the asynchronous calls instead, so that every statement goes into it, however deep in the library it is made.
 */
export class GrantStore {
  readonly db: Database;
  readonly clock: Clock;
  readonly refreshTokens: RefreshTokens;
  readonly #terms: RestoredTokenTerms;
  readonly #running = new AsyncLocalStorage<Running>();

  constructor({ db, clock, refreshTokens, restoredTokenDays = 0 }: GrantStoreOptions) {
    this.db = db;
    this.clock = clock;
    this.refreshTokens = refreshTokens;
    this.#terms = {
      trustMs: restoredTokenDays * 86_400_000,
      lifetimeMs: REFRESH_TOKEN_SECONDS * 1_000,
    };
  }

  /** The transaction that is under way, or the database. */
  get queryable(): Queryable {
    return this.#running.getStore()?.tx ?? this.db;
  }

  /** The transaction that is under way, if any. */
  get transaction(): Transaction | undefined {
    return this.#running.getStore()?.tx;
  }

  /** The transaction of the token request that is under way, if any. */
  get tokenTransaction(): TokenTransaction | null {
    return this.#running.getStore()?.token ?? null;
  }

  /** Runs a token request in one transaction; what the library does meanwhile is part of it. */
  async inTokenTransaction<T>(work: (token: TokenTransaction) => Promise<T>): Promise<T> {
    return await this.db.transaction(async (tx) => {
      const token = new TokenTransaction(tx);
      return await this.#running.run({ tx, token }, work, token);
    });
  }

  /** The same for everything else. An interaction that is read in it is held until its end. */
  async inTransaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    return await this.db.transaction(
      async (tx) => await this.#running.run({ tx, token: null }, work, tx),
    );
  }

  /**
   * True when the database, which did not know this refresh token, knows it now: it was made after the backup from which
   * the database was restored (decision 0215).
   */
  async takeUp(tx: Transaction, token: string, clientId: string): Promise<boolean> {
    if (this.#terms.trustMs === 0) return false;
    const claims = this.refreshTokens.read(token);
    if (claims === undefined) return false;
    const unknown = { hash: hashSecret(token), claims, clientId };
    return await takeUpRestoredToken(tx, unknown, this.#terms, this.clock.now());
  }

  /**
   * Ends a grant with everything that came of it, in one commit. Within a token request it is a reuse or misuse, whose
   * revocation stands though the client is refused; else it is a revocation (RFC 7009), which also ends the connection
   * when no other approval keeps it.
   */
  async endGrant(grantHash: string): Promise<void> {
    const running = this.#running.getStore();
    const token = running?.token ?? null;
    const now = this.clock.now();
    if (token !== null) {
      if (token.isForgiven) return;
      token.tx.keepOnRefusal();
      await endApproval(token.tx, grantHash, 'token_reused', now, SERVICE);
      return;
    }
    const revoke = async (tx: Transaction): Promise<void> => {
      // The library has seen that the token is the app's own.
      const clientId = (await findApproval(tx, grantHash))?.clientId;
      const by: Actor = clientId === undefined ? SERVICE : { kind: 'app', clientId };
      const ended = await endApproval(tx, grantHash, 'token_revoked', now, by);
      if (ended === undefined) return;
      await endConnectionIfUnused(tx, ended.shopId, ended.clientId, now, by);
    };
    await (running === undefined ? this.db.transaction(revoke) : revoke(running.tx));
  }
}
