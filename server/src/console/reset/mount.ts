import type { FastifyReply, FastifyRequest } from 'fastify';
import { html } from 'hono/html';
import { hashSecret } from '../../base/secrets.ts';
import { parseForm } from '../../html/form.ts';
import { FORM_TOKEN_FIELD } from '../../html/form-guard.ts';
import type { Markup } from '../../html/page.ts';
import {
  findPasswordReset,
  type PasswordReset,
  RESET_MINUTES,
  usePasswordReset,
} from '../../shops/password-reset.ts';
import { endSession, sessionOrigin, startSession } from '../../shops/session.ts';
import { recordSignIn } from '../../shops/sign-in-record.ts';
import { keysOfNetwork } from '../../sign-in/attempt-counter.ts';
import { formRequestOf, languageOf, redirect } from '../../sign-in/browser.ts';
import type { ConsoleDeps } from '../deps.ts';
import { flashCookie } from '../flash.ts';
import { type LinkCookie, resetCookie } from '../link-cookie.ts';
import { submitButton } from '../parts/button.ts';
import { textField } from '../parts/field.ts';
import { newPasswordError, newPasswordFields, readNewPassword } from '../parts/new-password.ts';
import { errorSummary, type FormError } from '../parts/notes.ts';
import { ConsoleRefusal } from '../refusal.ts';
import type { MountAccountSection } from '../section.ts';
import { sendStandalonePage, type StandalonePage } from '../standalone-page.ts';
import { resetMessages } from './messages.ts';

const PATHS = { ask: '/console/reset', set: '/console/reset/password' } as const;
/** The purpose of the token in the form that requests a reset link. */
const ASK = 'ask for a password reset';

/**
 * Mounts the pages on which a person who forgot their password sets a new one. Opening the link in
 * the mail moves the link's secret into a cookie, as for an invitation (decision 0214).
 */
export const mountResetPages: MountAccountSection = ({ scope, path: registerPath }, deps) => {
  const pages = new ResetPages(deps);
  scope.get(
    registerPath('GET', '/reset'),
    async (request, reply) => await pages.showAsk(request, reply, 200, []),
  );
  scope.post(
    registerPath('POST', '/reset'),
    async (request, reply) => await pages.ask(request, reply),
  );
  scope.get<{ Params: { readonly token: string } }>(
    registerPath('GET', '/reset/:token'),
    async (request, reply) => pages.open(reply, request.params.token),
  );
  scope.get(
    registerPath('GET', '/reset/password'),
    async (request, reply) => await pages.show(request, reply),
  );
  scope.post(
    registerPath('POST', '/reset/password'),
    async (request, reply) => await pages.set(request, reply),
  );
};

interface OpenedReset {
  readonly secret: string;
  readonly reset: PasswordReset;
}

class ResetPages {
  readonly #deps: ConsoleDeps;
  readonly #cookie: LinkCookie;

  constructor(deps: ConsoleDeps) {
    this.#deps = deps;
    this.#cookie = resetCookie(deps.publicUrl);
  }

  async showAsk(
    request: FastifyRequest,
    reply: FastifyReply,
    status: number,
    errors: readonly FormError[],
    email = '',
  ): Promise<FastifyReply> {
    const messages = resetMessages[languageOf(request)];
    return await this.#send(request, reply, {
      status,
      title: messages.title,
      content: html`${errorSummary(messages.notSent, errors)}
        <p>${messages.intro}</p>
        <form class="stack" method="post" action="${PATHS.ask}">
          ${this.#issueToken(request, reply, ASK)}
          ${textField({
            name: 'email',
            label: messages.email,
            type: 'email',
            value: email,
            maxLength: 254,
            autocomplete: 'username',
            isRequired: true,
          })}
          <div class="actions">${submitButton(messages.send)}</div>
        </form>
        <p><a href="/signin">${messages.back}</a></p>`,
    });
  }

  /** The response is the same whether the address has an account or not. */
  async ask(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const language = languageOf(request);
    const messages = resetMessages[language];
    const form = this.#readForm(request, ASK);
    const email = (form?.get('email') ?? '').trim();
    const refuse = async (status: number, text: string): Promise<FastifyReply> =>
      await this.showAsk(request, reply, status, [{ field: null, text }], email);
    if (form === null) return await refuse(403, messages.stale);
    const result = await this.#deps.signIn.resets.request(email, request.ip, language);
    switch (result.kind) {
      case 'busy':
        reply.header('retry-after', '2');
        return await refuse(503, messages.signInBusy);
      case 'throttled':
        reply.header('retry-after', String(result.retryAfterSeconds));
        return await refuse(429, messages.throttledText(Math.ceil(result.retryAfterSeconds / 60)));
      case 'accepted':
        return await this.#send(request, reply, {
          status: 200,
          title: messages.sent,
          content: html`<p>${messages.sentText(RESET_MINUTES)}</p>
            <p>${messages.noMail}</p>
            <p><a href="/signin">${messages.back}</a></p>`,
        });
    }
  }

  /** Handles the link without using the database, because mail scanners open links too. */
  open(reply: FastifyReply, token: string): FastifyReply {
    reply.headers({ 'referrer-policy': 'no-referrer', 'cache-control': 'no-store' });
    return redirect(reply, PATHS.set, [this.#cookie.set(token)]);
  }

  async show(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const opened = await this.#find(request, reply);
    return opened === null ? reply : await this.#showSet(request, reply, opened, []);
  }

  async set(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const opened = await this.#find(request, reply);
    if (opened === null) return reply;
    const { secret, reset } = opened;
    const language = languageOf(request);
    const form = this.#readForm(request, purposeOf(secret));
    if (form === null) throw new ConsoleRefusal({ kind: 'stale_form' });
    const typed = await readNewPassword(form, reset);
    if (typed.kind !== 'password') {
      return await this.#showSet(request, reply, opened, [newPasswordError(typed.kind, language)]);
    }
    const { signIn } = this.#deps;
    // Use a new signal, to finish the change even if the client disconnects.
    const caller = { address: request.ip, signal: new AbortController().signal };
    const passwordHash = await signIn.signIn.hashWithSlot(typed.password, caller);
    if (passwordHash === undefined) {
      const busy = { field: null, text: resetMessages[language].signInBusy };
      return await this.#showSet(request, reply, opened, [busy]);
    }
    return await this.#finish(request, reply, secret, passwordHash);
  }

  /** Sets the password and signs the person in, because the link proves who they are. */
  async #finish(
    request: FastifyRequest,
    reply: FastifyReply,
    secret: string,
    passwordHash: string,
  ): Promise<FastifyReply> {
    const { db, clock, signIn, publicUrl } = this.#deps;
    const { cookie, 'user-agent': userAgent } = request.headers;
    const origin = sessionOrigin(userAgent, request.ip, 'password');
    const previous = signIn.cookie.read(cookie);
    const done = await db.transaction(async (tx) => {
      const now = clock.now();
      const result = await usePasswordReset(tx, secret, passwordHash, now);
      if (result.kind === 'gone') return undefined;
      if (previous !== undefined) await endSession(tx, previous);
      await recordSignIn(tx, result.account.id, origin, now);
      const session = await startSession(tx, result.account.id, now, origin);
      return { ...result, session };
    });
    if (done === undefined) return await this.#sendGone(request, reply);
    const { account, session, removedPasskeys } = done;
    signIn.reporter.reportSignIn(account.id, origin);
    signIn.resets.sendUsed(account, languageOf(request));
    const deviceCookie = signIn.devices.set(signIn.devices.read(cookie), account);
    const flash = removedPasskeys === 0 ? 'password_changed' : 'password_reset_passkeys';
    return redirect(reply, '/console', [
      this.#cookie.clear(),
      flashCookie(flash, publicUrl.startsWith('https:')),
      ...signIn.cookie.signInCookies({ secret: session.secret, account, deviceCookie }),
    ]);
  }

  /** If there is no reset, sends a page that explains why, and returns null. */
  async #find(request: FastifyRequest, reply: FastifyReply): Promise<OpenedReset | null> {
    const { db, clock, signIn } = this.#deps;
    const secret = this.#cookie.read(request.headers.cookie);
    if (secret === undefined) {
      await this.#sendGone(request, reply);
      return null;
    }
    const keys = keysOfNetwork(request.ip, 'reset');
    const counted = await signIn.counter.count(keys);
    if (counted.kind === 'throttled') {
      const messages = resetMessages[languageOf(request)];
      const { retryAfterSeconds: seconds } = counted;
      reply.header('retry-after', String(seconds));
      await this.#send(request, reply, {
        status: 429,
        title: messages.throttled,
        content: html`<p>${messages.throttledText(Math.ceil(seconds / 60))}</p>`,
      });
      return null;
    }
    const reset = await findPasswordReset(db, secret, clock.now());
    if (reset === undefined) {
      await this.#sendGone(request, reply);
      return null;
    }
    await signIn.counter.refund(db, keys);
    return { secret, reset };
  }

  async #showSet(
    request: FastifyRequest,
    reply: FastifyReply,
    { secret, reset }: OpenedReset,
    errors: readonly FormError[],
  ): Promise<FastifyReply> {
    const language = languageOf(request);
    const messages = resetMessages[language];
    return await this.#send(request, reply, {
      status: errors.length === 0 ? 200 : 422,
      title: messages.newTitle,
      content: html`${errorSummary(messages.notSaved, errors)}
        <p>${messages.newText(reset.email)}</p>
        <form class="stack" method="post" action="${PATHS.set}">
          ${this.#issueToken(request, reply, purposeOf(secret))}
          <input
            type="text"
            name="username"
            value="${reset.email}"
            autocomplete="username"
            hidden
          />
          ${newPasswordFields(language, errors)}
          <div class="actions">${submitButton(messages.save)}</div>
        </form>`,
    });
  }

  async #sendGone(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const messages = resetMessages[languageOf(request)];
    return await this.#send(request, reply, {
      status: 404,
      title: messages.gone,
      content: html`<p>${messages.goneText}</p>
        <p><a href="${PATHS.ask}">${messages.another}</a></p>`,
    });
  }

  async #send(
    request: FastifyRequest,
    reply: FastifyReply,
    page: StandalonePage,
  ): Promise<FastifyReply> {
    return await sendStandalonePage(request, reply, languageOf(request), page);
  }

  #issueToken(request: FastifyRequest, reply: FastifyReply, purpose: string): Markup {
    const { guard } = this.#deps.signIn;
    const { token, setCookie } = guard.issue(request.headers.cookie, purpose);
    if (setCookie !== null) reply.header('set-cookie', [setCookie]);
    return html`<input type="hidden" name="${FORM_TOKEN_FIELD}" value="${token}" />`;
  }

  /** Returns the fields of a form that was issued for this purpose to this browser, or null. */
  #readForm(request: FastifyRequest, purpose: string): ReadonlyMap<string, string> | null {
    const { body } = request;
    const parsed = parseForm(Buffer.isBuffer(body) ? body : Buffer.alloc(0));
    if (parsed.kind === 'invalid') throw new ConsoleRefusal({ kind: 'broken_form' });
    const token = parsed.fields.get(FORM_TOKEN_FIELD);
    const { guard } = this.#deps.signIn;
    return guard.isValid(formRequestOf(request), token, purpose) ? parsed.fields : null;
  }
}

/** Binds the form to the link. The form is rejected after another link has been opened. */
function purposeOf(secret: string): string {
  return `password reset ${hashSecret(secret)}`;
}
