import { setTimeout as wait } from 'node:timers/promises';
import type { Clock } from '../base/clock.ts';
import { describeError } from '../base/describe-error.ts';
import type { Log } from '../base/log.ts';
import type { Database } from '../database/database.ts';
import type { Mailer, Mail } from '../mail/mailer.ts';
import { findAccount, type Account } from '../shops/account.ts';
import type { SessionOrigin } from '../shops/session.ts';
import { recordFailedSignIn } from '../shops/sign-in-record.ts';
import type { Language } from '../html/language.ts';
import { failuresMailMessages } from './messages.ts';

/** Shutdown waits at most this long for pending mails, because a mail server may take a minute. */
const SETTLE_MS = 5_000;
/**
 * Failures are recorded this long after the check. By then the response has been sent, so that the
 * timing of the response does not reveal which accounts exist.
 */
const RECORD_DELAY_MS = 200;

export interface SignInReporterOptions {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Log;
  readonly mail: Mailer;
  /** The public URL without a trailing slash. */
  readonly publicUrl: string;
}

/** Reports sign-ins and failed attempts to the operator in the log and to the account's owner. */
export class SignInReporter {
  readonly #options: SignInReporterOptions;
  readonly #pending = new Set<Promise<void>>();

  constructor(options: SignInReporterOptions) {
    this.#options = options;
  }

  /** Logs a sign-in. The sign-in's transaction writes the record for the owner. */
  reportSignIn(accountId: string, { way, network }: SessionOrigin): void {
    this.#options.log.info({ accountId, way, network }, 'a person signed in');
  }

  /**
   * Logs a failed attempt and records it for the owner after a delay. `accountId` is null if no
   * account matched. Only the failures of about the last 200 ms are pending, so the number of
   * pending failures is bounded.
   */
  reportFailure(accountId: string | null, origin: SessionOrigin): void {
    const { way, network } = origin;
    this.#options.log.info({ accountId, way, network }, 'a sign-in failed');
    if (accountId === null) return;
    const noted = this.#recordFailure(accountId, origin).finally(() => this.#pending.delete(noted));
    this.#pending.add(noted);
  }

  /** Waits at most 5 s for pending records and the mails about them. */
  async settle(): Promise<void> {
    const giveUp = new AbortController();
    const late = wait(SETTLE_MS, undefined, { signal: giveUp.signal }).catch(() => undefined);
    await Promise.race([Promise.all(this.#pending), late]);
    giveUp.abort();
  }

  async #recordFailure(accountId: string, origin: SessionOrigin): Promise<void> {
    const { db, clock, log } = this.#options;
    const { network } = origin;
    await wait(RECORD_DELAY_MS);
    try {
      const result = await db.transaction(
        async (tx) => await recordFailedSignIn(tx, accountId, origin, clock.now()),
      );
      if (result.kind === 'counted') return;
      const { failures, isMailDue } = result;
      log.warn({ accountId, network, failures }, 'many sign-ins of an account failed');
      if (isMailDue) await this.#notifyOwner(accountId, failures);
    } catch (error) {
      const reason = describeError(error);
      log.warn({ accountId, network, reason }, 'a failed sign-in was not recorded');
    }
  }

  async #notifyOwner(accountId: string, failures: number): Promise<void> {
    const { db, log, mail, publicUrl } = this.#options;
    const account = await findAccount(db, accountId);
    if (account === undefined) return;
    const sent = await mail.send(renderFailuresMail({ account, failures, publicUrl }));
    if (sent.kind === 'sent') return;
    const { reason, cause } = sent;
    log.warn({ accountId, reason, error: cause }, 'the mail about failed sign-ins was not sent');
  }
}

interface FailuresMail {
  readonly account: Pick<Account, 'email' | 'language'>;
  /** The number of failed attempts within an hour. */
  readonly failures: number;
  /** The public URL without a trailing slash. */
  readonly publicUrl: string;
}

/** Uses both languages if the account has not set one. */
function renderFailuresMail({ account, failures, publicUrl }: FailuresMail): Mail {
  const languages: readonly Language[] =
    account.language === null ? ['en', 'ja'] : [account.language];
  const texts = languages.map((language) => {
    const messages = failuresMailMessages[language];
    return [
      messages.what(failures),
      messages.notYou,
      '',
      messages.look,
      `${publicUrl}/console/account/sessions`,
      '',
      messages.change,
      `${publicUrl}/console/account/password`,
      '',
      messages.known,
      '',
    ].join('\n');
  });
  const subject = languages.map((language) => failuresMailMessages[language].subject).join(' / ');
  return { to: account.email, subject, text: texts.join('\n----\n\n') };
}
