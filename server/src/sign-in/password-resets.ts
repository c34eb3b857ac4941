import { setTimeout as wait } from 'node:timers/promises';
import type { Clock } from '../base/clock.ts';
import { describeError } from '../base/describe-error.ts';
import type { Log } from '../base/log.ts';
import { unlinked } from '../base/plain-text.ts';
import type { Database } from '../database/database.ts';
import type { Language } from '../html/language.ts';
import type { Mail, Mailer, SendResult } from '../mail/mailer.ts';
import { type Account, findAccountByEmail, normalizeEmail } from '../shops/account.ts';
import { createPasswordReset, RESET_MINUTES } from '../shops/password-reset.ts';
import type { ThrottleResult } from '../shops/sign-in-throttle.ts';
import type { AttemptCounter } from './attempt-counter.ts';
import { resetMailMessages } from './messages.ts';

/** The path of the link in the mail, which ends with the secret. */
const LINK_PATH = '/console/reset/';
/** The page on which people ask for a link. */
export const FORGOT_PASSWORD_PATH = '/console/reset';
/**
 * The account is looked up this long after the request. By then the response has been sent, so that
 * its timing does not reveal which accounts exist.
 */
const DELAY_MS = 200;
/** Unfinished requests of one node. They accumulate if the mail server is slow. */
const PENDING_MAX = 100;
/** Shutdown waits at most this long for pending mails. */
const SETTLE_MS = 5_000;

export interface PasswordResetsOptions {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Log;
  readonly mail: Mailer;
  /** The public URL without a trailing slash. */
  readonly publicUrl: string;
}

export type ResetRequestResult =
  /** The result is the same with and without an account. */
  | { readonly kind: 'accepted' }
  | { readonly kind: 'busy' }
  | Extract<ThrottleResult, { readonly kind: 'throttled' }>;

export class PasswordResets {
  readonly #options: PasswordResetsOptions;
  readonly #counter: AttemptCounter;
  readonly #pending = new Set<Promise<unknown>>();

  constructor(options: PasswordResetsOptions, counter: AttemptCounter) {
    this.#options = options;
    this.#counter = counter;
  }

  /** The response is the same without an account, and is sent before the look-up. */
  async request(email: string, address: string, language: Language): Promise<ResetRequestResult> {
    if (this.#pending.size >= PENDING_MAX) return { kind: 'busy' };
    const canonicalEmail = normalizeEmail(email);
    const counted = await this.#counter.countReset(canonicalEmail ?? '', address);
    if (counted.kind === 'throttled') return counted;
    if (canonicalEmail !== undefined) {
      this.#track(this.#sendIfKnown(canonicalEmail, language));
    }
    return { kind: 'accepted' };
  }

  linkOf(secret: string): string {
    return `${this.#options.publicUrl}${LINK_PATH}${secret}`;
  }

  /** @param from the manager who requested the mail; null if the account's owner requested it */
  async send(
    account: Account,
    secret: string,
    language: Language,
    from: { readonly member: string; readonly shop: string } | null,
  ): Promise<SendResult> {
    const messages = resetMailMessages[account.language ?? language];
    const text = [
      from === null ? messages.asked : messages.askedBy(unlinked(from.member), unlinked(from.shop)),
      '',
      this.linkOf(secret),
      '',
      messages.until(RESET_MINUTES),
      messages.unknown,
      '',
    ];
    return await this.#send({
      to: account.email,
      subject: messages.subject,
      text: text.join('\n'),
    });
  }

  /** Tells the account's owner that a link was used, because another person may have used it. */
  sendUsed(account: Account, language: Language): void {
    const { publicUrl } = this.#options;
    const messages = resetMailMessages[account.language ?? language];
    const text = [
      messages.used,
      '',
      messages.notYou,
      '',
      `${publicUrl}${FORGOT_PASSWORD_PATH}`,
      '',
    ];
    const mail = { to: account.email, subject: messages.usedSubject, text: text.join('\n') };
    this.#track(this.#send(mail));
  }

  async settle(): Promise<void> {
    const giveUp = new AbortController();
    const late = wait(SETTLE_MS, undefined, { signal: giveUp.signal }).catch(() => undefined);
    await Promise.race([Promise.all(this.#pending), late]);
    giveUp.abort();
  }

  #track(work: Promise<unknown>): void {
    const done = work.finally(() => this.#pending.delete(done));
    this.#pending.add(done);
  }

  async #sendIfKnown(canonicalEmail: string, language: Language): Promise<void> {
    const { db, clock, log } = this.#options;
    await wait(DELAY_MS);
    try {
      const account = await findAccountByEmail(db, canonicalEmail);
      const accountId = account?.id ?? null;
      log.info({ accountId }, 'a link to reset a password was requested');
      if (account === undefined) return;
      const secret = await createPasswordReset(db, account.id, clock.now());
      await this.send(account, secret, language, null);
    } catch (error) {
      log.warn({ reason: describeError(error) }, 'a link to reset a password was not created');
    }
  }

  async #send(mail: Mail): Promise<SendResult> {
    const sent = await this.#options.mail.send(mail);
    if (sent.kind === 'failed') {
      const { reason, cause } = sent;
      this.#options.log.warn({ reason, error: cause }, 'a mail about a password was not sent');
    }
    return sent;
  }
}
