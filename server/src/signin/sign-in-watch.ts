import { setTimeout as wait } from 'node:timers/promises';
import type { Clock } from '../base/clock.ts';
import { wordsOf } from '../base/error-words.ts';
import type { Log } from '../base/log.ts';
import type { Database } from '../database/database.ts';
import type { Mailer } from '../mail/mailer.ts';
import { findAccount } from '../shops/account.ts';
import type { SessionOrigin } from '../shops/session.ts';
import { recordFailedSignIn } from '../shops/sign-in-record.ts';
import { renderFailuresMail } from './failures-mail.ts';

/** A mail server may take a minute; the end of a process does not wait for it so long. */
const SETTLE_MS = 5_000;
/** By then the answer has left: what is written for a known account alone takes none of its time. */
const NOTED_AFTER_MS = 200;

export interface SignInWatchOptions {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Log;
  readonly mail: Mailer;
  /** `PUBLIC_URL` without a slash at its end. */
  readonly publicUrl: string;
}

/**
 * Tells the operator (by the log) and the person of sign-ins and failed attempts. What a failure of a known account
 * writes is written behind the answer, so that its time does not tell which addresses are known.
 */
export class SignInWatch {
  readonly #options: SignInWatchOptions;
  readonly #pending = new Set<Promise<void>>();

  constructor(options: SignInWatchOptions) {
    this.#options = options;
  }

  /** Logs a sign-in. Its record is part of the sign-in's transaction. */
  signedIn(accountId: string, { way, network }: SessionOrigin): void {
    this.#options.log.info({ accountId, way, network }, 'a person signed in');
  }

  /** An attempt has failed; `accountId` null where no account was meant. As many wait as were checked in 200 ms. */
  failed(accountId: string | null, origin: SessionOrigin): void {
    const { way, network } = origin;
    this.#options.log.info({ accountId, way, network }, 'a sign-in failed');
    if (accountId === null) return;
    const noted = this.#note(accountId, origin).finally(() => this.#pending.delete(noted));
    this.#pending.add(noted);
  }

  /** Resolves when all that was told of so far is written and its mails are sent, or after 5 s. */
  async settle(): Promise<void> {
    const giveUp = new AbortController();
    const late = wait(SETTLE_MS, undefined, { signal: giveUp.signal }).catch(() => undefined);
    await Promise.race([Promise.all(this.#pending), late]);
    giveUp.abort();
  }

  async #note(accountId: string, origin: SessionOrigin): Promise<void> {
    const { db, clock, log } = this.#options;
    const { network } = origin;
    await wait(NOTED_AFTER_MS);
    try {
      const result = await db.transaction(
        async (tx) => await recordFailedSignIn(tx, accountId, origin, clock.now()),
      );
      if (result.kind === 'counted') return;
      const { failures, isMailDue } = result;
      log.warn({ accountId, network, failures }, 'many sign-ins of an account failed');
      if (isMailDue) await this.#tell(accountId, failures);
    } catch (error) {
      const reason = wordsOf(error);
      log.warn({ accountId, network, reason }, 'a failed sign-in was not recorded');
    }
  }

  async #tell(accountId: string, failures: number): Promise<void> {
    const { db, log, mail, publicUrl } = this.#options;
    const account = await findAccount(db, accountId);
    if (account === undefined) return;
    const sent = await mail.send(renderFailuresMail({ account, failures, publicUrl }));
    if (sent.kind === 'sent') return;
    const { reason, cause } = sent;
    log.warn({ accountId, reason, error: cause }, 'the mail about failed sign-ins was not sent');
  }
}
