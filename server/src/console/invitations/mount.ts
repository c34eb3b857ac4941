import type { FastifyReply, FastifyRequest } from 'fastify';
import { html } from 'hono/html';
import { findNameProblem } from '../../base/plain-text.ts';
import { hashSecret } from '../../base/secrets.ts';
import { findShopTimezone } from '../../inventory/shop-timezone.ts';
import { FORM_TOKEN_FIELD } from '../../html/form-guard.ts';
import { parseForm } from '../../html/form.ts';
import type { Markup } from '../../html/page.ts';
import { acceptInvitation, type Invitee } from '../../shops/accept-invitation.ts';
import { findInvitation, type OpenInvitation } from '../../shops/invitation.ts';
import { endSession, sessionOrigin, startSession } from '../../shops/session.ts';
import { keysOfNetwork } from '../../sign-in/attempt-counter.ts';
import { formRequestOf, languageOf, redirect } from '../../sign-in/browser.ts';
import type { SignedIn } from '../../sign-in/session-cookie.ts';
import type { ConsoleDeps } from '../deps.ts';
import { flashCookie } from '../flash.ts';
import { invitationCookie, type LinkCookie } from '../link-cookie.ts';
import { sendStandalonePage } from '../standalone-page.ts';
import { newPasswordError, readNewPassword } from '../parts/new-password.ts';
import type { FormError } from '../parts/notes.ts';
import { ConsoleRefusal } from '../refusal.ts';
import type { MountAccountSection } from '../section.ts';
import {
  type InvitationViewer,
  invalidInvitationPage,
  INVITATION_PATHS,
  invitationPage,
  throttledInvitationPage,
} from './invitation-page.ts';
import { invitationMessages } from './messages.ts';

/** The invitation opened in this browser, and the person signed in to this browser. */
interface OpenedInvitation {
  readonly secret: string;
  readonly invitation: OpenInvitation;
  readonly signedIn: SignedIn | undefined;
}

/**
 * Mounts the pages of an invitation, which need no sign-in. The link in the mail contains a secret.
 * Opening the link stores the secret in a cookie and redirects to an address without it (decision
 * 0214).
 */
export const mountInvitationPages: MountAccountSection = ({ scope, path: registerPath }, deps) => {
  const pages = new InvitationPages(deps);
  scope.get<{ Params: { readonly token: string } }>(
    registerPath('GET', '/invitations/:token'),
    async (request, reply) => pages.open(reply, request.params.token),
  );
  scope.get(
    registerPath('GET', '/invitations'),
    async (request, reply) => await pages.show(request, reply),
  );
  scope.post(
    registerPath('POST', '/invitations/accept'),
    async (request, reply) => await pages.accept(request, reply),
  );
  scope.post(
    registerPath('POST', '/invitations/sign-out'),
    async (request, reply) => await pages.signOut(request, reply),
  );
};

class InvitationPages {
  readonly #deps: ConsoleDeps;
  readonly #cookie: LinkCookie;

  constructor(deps: ConsoleDeps) {
    this.#deps = deps;
    this.#cookie = invitationCookie(deps.publicUrl);
  }

  /** Does not use the database, because mail scanners open links too. */
  open(reply: FastifyReply, token: string): FastifyReply {
    reply.headers({ 'referrer-policy': 'no-referrer', 'cache-control': 'no-store' });
    return redirect(reply, INVITATION_PATHS.page, [this.#cookie.set(token)]);
  }

  async show(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const opened = await this.#find(request, reply);
    if (opened === null) return reply;
    await this.#refundAttempt(request);
    return await this.#sendPage(request, reply, opened, { errors: [], name: '' });
  }

  async accept(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const opened = await this.#find(request, reply);
    if (opened === null) return reply;
    const form = this.#readForm(request, opened.secret);
    const { signedIn, invitation } = opened;
    const name = (form.get('name') ?? '').trim();
    let invitee: Invitee;
    if (signedIn !== undefined) {
      invitee = { kind: 'account', accountId: signedIn.account.id };
    } else {
      const language = languageOf(request);
      const typed = await readNewPassword(form, { email: invitation.email, name });
      const errors: FormError[] = [];
      if (findNameProblem(name) !== null) {
        errors.push({ field: 'name', text: invitationMessages[language].badName });
      }
      if (typed.kind !== 'password') errors.push(newPasswordError(typed.kind, language));
      // If the address already has an account, the person must sign in. The page says so.
      if (invitation.accountId !== null || typed.kind !== 'password' || errors.length > 0) {
        return await this.#sendPage(request, reply, opened, { errors, name });
      }
      const caller = { address: request.ip, signal: new AbortController().signal };
      const passwordHash = await this.#deps.signIn.signIn.hashWithSlot(typed.password, caller);
      if (passwordHash === undefined) {
        errors.push({ field: null, text: invitationMessages[language].signInBusy });
        return await this.#sendPage(request, reply, opened, { errors, name });
      }
      invitee = { kind: 'new', name, passwordHash };
    }
    return await this.#acceptAs(request, reply, opened, invitee);
  }

  async #acceptAs(
    request: FastifyRequest,
    reply: FastifyReply,
    opened: OpenedInvitation,
    invitee: Invitee,
  ): Promise<FastifyReply> {
    const { clock, write, signIn, publicUrl } = this.#deps;
    const { invitation } = opened;
    const now = clock.now();
    const origin = sessionOrigin(request.headers['user-agent'], request.ip, 'password');
    const done = await write(invitation.shopId, async (tx) => {
      const result = await acceptInvitation(tx, invitation, invitee, now);
      const isNew = result.kind === 'accepted' && invitee.kind === 'new';
      if (!isNew) return { result, session: null };
      const session = await startSession(tx, result.member.account.id, now, origin);
      return { result, session };
    });
    const { result, session } = done;
    switch (result.kind) {
      case 'accepted':
      case 'already_member': {
        await this.#refundAttempt(request);
        const flash = flashCookie('joined', publicUrl.startsWith('https:'));
        const cookies = [this.#cookie.clear(), flash];
        if (session !== null) cookies.push(signIn.cookie.set(session.secret));
        if (result.kind === 'accepted' && invitee.kind === 'new') {
          const device = signIn.devices.read(request.headers.cookie);
          const { passwordHash } = invitee;
          cookies.push(signIn.devices.set(device, { id: result.member.account.id, passwordHash }));
        }
        return redirect(reply, `/console/shops/${result.shopSlug}`, cookies);
      }
      case 'gone':
        return await sendStandalonePage(
          request,
          reply,
          languageOf(request),
          invalidInvitationPage(languageOf(request)),
        );
      case 'invalid_name':
        throw new Error(`a validated name was rejected: ${result.reason}`);
      case 'sign_in_needed':
      case 'other_account':
        // Redirect to the page, which explains what to do first.
        return redirect(reply, INVITATION_PATHS.page);
    }
  }

  /** Signs out the account that was not invited, and returns to the invitation. */
  async signOut(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const opened = await this.#find(request, reply);
    if (opened === null) return reply;
    await this.#refundAttempt(request);
    this.#readForm(request, opened.secret);
    const { db, signIn } = this.#deps;
    if (opened.signedIn !== undefined) await endSession(db, opened.signedIn.secret);
    return redirect(reply, INVITATION_PATHS.page, [signIn.cookie.clear()]);
  }

  /**
   * Returns the invitation opened in this browser. If the invitation does not exist, or the rate
   * limit is exceeded, the method sends a refusal and returns null.
   */
  async #find(request: FastifyRequest, reply: FastifyReply): Promise<OpenedInvitation | null> {
    const { db, clock, signIn } = this.#deps;
    const language = languageOf(request);
    const { cookie } = request.headers;
    const secret = this.#cookie.read(cookie);
    if (secret === undefined) {
      await sendStandalonePage(request, reply, language, invalidInvitationPage(language));
      return null;
    }
    const counted = await signIn.counter.count(keysOf(request));
    if (counted.kind === 'throttled') {
      const seconds = counted.retryAfterSeconds;
      reply.header('retry-after', String(seconds));
      await sendStandalonePage(
        request,
        reply,
        language,
        throttledInvitationPage(language, seconds),
      );
      return null;
    }
    const now = clock.now();
    const invitation = await findInvitation(db, secret, now);
    if (invitation === undefined) {
      await sendStandalonePage(request, reply, language, invalidInvitationPage(language));
      return null;
    }
    return { secret, invitation, signedIn: await signIn.cookie.find(db, cookie, now) };
  }

  /** Removes the attempt from the rate limit: it found an invitation, so it was not a guess. */
  async #refundAttempt(request: FastifyRequest): Promise<void> {
    const { db, signIn } = this.#deps;
    await signIn.counter.refund(db, keysOf(request));
  }

  async #sendPage(
    request: FastifyRequest,
    reply: FastifyReply,
    { secret, invitation, signedIn }: OpenedInvitation,
    typed: { readonly errors: readonly FormError[]; readonly name: string },
  ): Promise<FastifyReply> {
    const { guard } = this.#deps.signIn;
    const { token, setCookie } = guard.issue(request.headers.cookie, purposeOf(secret));
    if (setCookie !== null) reply.header('set-cookie', [setCookie]);
    const language = languageOf(request);
    const formToken: Markup = html`<input
      type="hidden"
      name="${FORM_TOKEN_FIELD}"
      value="${token}"
    />`;
    const viewer = viewerOf(invitation, signedIn);
    const now = this.#deps.clock.now();
    const zone = (await findShopTimezone(this.#deps.db, invitation.shopId)) ?? 'UTC';
    const view = { invitation, viewer, formToken, now, zone, ...typed };
    const page = invitationPage(language, view);
    return await sendStandalonePage(request, reply, language, page);
  }

  /**
   * Parses the posted form and checks its token.
   *
   * @throws ConsoleRefusal when the form is malformed, or was issued for another invitation or
   * browser
   */
  #readForm(request: FastifyRequest, secret: string): ReadonlyMap<string, string> {
    const { body } = request;
    const parsed = parseForm(Buffer.isBuffer(body) ? body : Buffer.alloc(0));
    if (parsed.kind === 'invalid') throw new ConsoleRefusal({ kind: 'broken_form' });
    const token = parsed.fields.get(FORM_TOKEN_FIELD);
    const { guard } = this.#deps.signIn;
    if (!guard.isValid(formRequestOf(request), token, purposeOf(secret))) {
      throw new ConsoleRefusal({ kind: 'stale_form' });
    }
    return parsed.fields;
  }
}

function keysOf(request: FastifyRequest): ReturnType<typeof keysOfNetwork> {
  return keysOfNetwork(request.ip, 'invitation');
}

/**
 * Returns a purpose that binds forms to the invitation. A form is rejected after the link of
 * another invitation has been opened.
 */
function purposeOf(secret: string): string {
  return `invitation ${hashSecret(secret)}`;
}

function viewerOf({ accountId }: OpenInvitation, signedIn: SignedIn | undefined): InvitationViewer {
  if (signedIn === undefined) return { kind: accountId === null ? 'new' : 'sign_in_needed' };
  const isInvited = signedIn.account.id === accountId;
  return isInvited ? { kind: 'invited' } : { kind: 'other', email: signedIn.account.email };
}
