import type { FastifyReply, FastifyRequest } from 'fastify';
import { html } from 'hono/html';
import { hashSecret } from '../base/secrets.ts';
import type { Queryable } from '../database/database.ts';
import { cookieName, readCookie, renderCookie } from '../html/cookie.ts';
import type { Language } from '../html/language.ts';
import type { Markup } from '../html/page.ts';
import { keysOfNetwork } from '../sign-in/attempt-counter.ts';
import { languageOf, redirect } from '../sign-in/browser.ts';
import type { ConsoleDeps } from './deps.ts';
import { ConsoleRefusal } from './refusal.ts';
import { sharedMessages } from './shared-messages.ts';
import {
  formTokenInput,
  readStandaloneForm,
  sendStandalonePage,
  type StandalonePage,
} from './standalone-page.ts';

const SECRET = /^cp[a-z]_[A-Za-z0-9]{43}$/;
/** An hour to sign in or to type a name or password. Then the link must be opened again. */
const LIFETIME_SECONDS = 3_600;

interface SecretLinkOptions<Target> {
  /** Names the cookie, the purpose of the forms, and the rate limit of guesses. */
  readonly name: 'invitation' | 'reset';
  /** The address without the secret, to which the link redirects. */
  readonly page: string;
  /** Shown if `find` finds nothing. */
  readonly gone: (language: Language) => StandalonePage;
  find(db: Queryable, secret: string, now: Date): Promise<Target | undefined>;
}

/** What the link is for. */
export interface OpenedLink<Target> {
  readonly secret: string;
  readonly target: Target;
}

/**
 * The pages behind a link with a secret. Opening the link stores the secret in a cookie: it is not
 * part of the page's address, so that it does not appear in the history, the referrer or shared
 * screens (decision 0214).
 */
export class SecretLink<Target> {
  readonly #deps: ConsoleDeps;
  readonly #options: SecretLinkOptions<Target>;
  readonly #cookie: string;
  readonly #isSecure: boolean;

  constructor(deps: ConsoleDeps, options: SecretLinkOptions<Target>) {
    this.#deps = deps;
    this.#options = options;
    this.#isSecure = deps.publicUrl.startsWith('https:');
    this.#cookie = cookieName(`cardport_${options.name}`, this.#isSecure);
  }

  /** Does not use the database, because mail scanners open links too. */
  open(reply: FastifyReply, secret: string): FastifyReply {
    reply.headers({ 'referrer-policy': 'no-referrer', 'cache-control': 'no-store' });
    // A malformed secret clears the cookie.
    const cookie = SECRET.test(secret) ? this.#render(secret, LIFETIME_SECONDS) : this.clear();
    return redirect(reply, this.#options.page, [cookie]);
  }

  /**
   * Finds what the link that was opened in this browser is for. A secret that finds nothing counts as
   * a guess. If there is nothing, or after too many guesses, sends a page and returns null.
   */
  async find(request: FastifyRequest, reply: FastifyReply): Promise<OpenedLink<Target> | null> {
    const { db, clock, signIn } = this.#deps;
    const secret = readCookie(request.headers.cookie, this.#cookie);
    if (secret === undefined || !SECRET.test(secret)) {
      return await this.sendGone(request, reply);
    }
    const keys = keysOfNetwork(request.ip, this.#options.name);
    const counted = await signIn.counter.count(keys);
    if (counted.kind === 'throttled') {
      const seconds = counted.retryAfterSeconds;
      const { throttled, throttledText } = sharedMessages;
      const language = languageOf(request);
      reply.header('retry-after', String(seconds));
      const content = html`<p>${throttledText[language](seconds)}</p>`;
      return await this.#send(request, reply, { status: 429, title: throttled[language], content });
    }
    const target = await this.#options.find(db, secret, clock.now());
    if (target === undefined) return await this.sendGone(request, reply);
    await signIn.counter.refund(db, keys);
    return { secret, target };
  }

  async sendGone(request: FastifyRequest, reply: FastifyReply): Promise<null> {
    return await this.#send(request, reply, this.#options.gone(languageOf(request)));
  }

  async #send(request: FastifyRequest, reply: FastifyReply, page: StandalonePage): Promise<null> {
    await sendStandalonePage(request, reply, languageOf(request), page);
    return null;
  }

  clear(): string {
    return this.#render('', 0);
  }

  formToken(request: FastifyRequest, reply: FastifyReply, secret: string): Markup {
    return formTokenInput(this.#deps.signIn.guard, request, reply, this.#purposeOf(secret));
  }

  /** @throws ConsoleRefusal if the form was issued for another link or browser */
  readForm(request: FastifyRequest, secret: string): ReadonlyMap<string, string> {
    const purpose = this.#purposeOf(secret);
    const { isFresh, fields } = readStandaloneForm(this.#deps.signIn.guard, request, purpose);
    if (!isFresh) throw new ConsoleRefusal({ kind: 'stale_form' });
    return fields;
  }

  /** Binds a form to the link. It is rejected after another link has been opened. */
  #purposeOf(secret: string): string {
    return `${this.#options.name} ${hashSecret(secret)}`;
  }

  #render(value: string, maxAgeSeconds: number): string {
    return renderCookie(this.#cookie, value, { isSecure: this.#isSecure, maxAgeSeconds });
  }
}
