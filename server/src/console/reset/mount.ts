import type { FastifyReply, FastifyRequest } from 'fastify';
import { html } from 'hono/html';
import type { Language } from '../../html/language.ts';
import {
  findPasswordReset,
  type PasswordReset,
  RESET_MINUTES,
  usePasswordReset,
} from '../../shops/password-reset.ts';
import { endSession, sessionOrigin, startSession } from '../../shops/session.ts';
import { recordSignIn } from '../../shops/sign-in-record.ts';
import { languageOf, redirect } from '../../sign-in/browser.ts';
import type { ConsoleDeps } from '../deps.ts';
import { flashCookie } from '../flash.ts';
import { type OpenedLink, SecretLink } from '../secret-link.ts';
import { submitButton } from '../parts/button.ts';
import { textField } from '../parts/field.ts';
import { newPasswordError, newPasswordFields, readNewPassword } from '../parts/new-password.ts';
import { errorSummary, type FormError } from '../parts/notes.ts';
import type { MountAccountSection } from '../section.ts';
import {
  formTokenInput,
  readStandaloneForm,
  sendStandalonePage,
  type StandalonePage,
} from '../standalone-page.ts';
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
    async (request, reply) => pages.link.open(reply, request.params.token),
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

class ResetPages {
  readonly #deps: ConsoleDeps;
  readonly link: SecretLink<PasswordReset>;

  constructor(deps: ConsoleDeps) {
    this.#deps = deps;
    const options = { name: 'reset', page: PATHS.set } as const;
    this.link = new SecretLink(deps, { ...options, gone: gonePage, find: findPasswordReset });
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
          ${formTokenInput(this.#deps.signIn.guard, request, reply, ASK)}
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
    const { isFresh, fields } = readStandaloneForm(this.#deps.signIn.guard, request, ASK);
    const email = (fields.get('email') ?? '').trim();
    const refuse = async (status: number, text: string): Promise<FastifyReply> =>
      await this.showAsk(request, reply, status, [{ field: null, text }], email);
    if (!isFresh) return await refuse(403, messages.stale);
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

  async show(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const opened = await this.link.find(request, reply);
    return opened === null ? reply : await this.#showSet(request, reply, opened, []);
  }

  async set(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const opened = await this.link.find(request, reply);
    if (opened === null) return reply;
    const { secret, target: reset } = opened;
    const language = languageOf(request);
    const form = this.link.readForm(request, secret);
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
    if (done === undefined) {
      await this.link.sendGone(request, reply);
      return reply;
    }
    const { account, session, removedPasskeys } = done;
    signIn.reporter.reportSignIn(account.id, origin);
    signIn.resets.sendUsed(account, languageOf(request));
    const deviceCookie = signIn.devices.set(signIn.devices.read(cookie), account);
    const flash = removedPasskeys === 0 ? 'password_changed' : 'password_reset_passkeys';
    return redirect(reply, '/console', [
      this.link.clear(),
      flashCookie(flash, publicUrl.startsWith('https:')),
      ...signIn.cookie.signInCookies({ secret: session.secret, account, deviceCookie }),
    ]);
  }

  async #showSet(
    request: FastifyRequest,
    reply: FastifyReply,
    { secret, target: reset }: OpenedLink<PasswordReset>,
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
          ${this.link.formToken(request, reply, secret)}
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

  async #send(
    request: FastifyRequest,
    reply: FastifyReply,
    page: StandalonePage,
  ): Promise<FastifyReply> {
    return await sendStandalonePage(request, reply, languageOf(request), page);
  }
}

function gonePage(language: Language): StandalonePage {
  const messages = resetMessages[language];
  return {
    status: 404,
    title: messages.gone,
    content: html`<p>${messages.goneText}</p>
      <p><a href="${PATHS.ask}">${messages.another}</a></p>`,
  };
}
