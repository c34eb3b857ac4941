import type { FastifyReply, FastifyRequest } from 'fastify';
import { findNameProblem } from '../../base/plain-text.ts';
import { findShopTimezone } from '../../inventory/shop-timezone.ts';
import { acceptInvitation, type Invitee } from '../../shops/accept-invitation.ts';
import { findInvitation, type OpenInvitation } from '../../shops/invitation.ts';
import { endSession, sessionOrigin, startSession } from '../../shops/session.ts';
import { languageOf, redirect } from '../../sign-in/browser.ts';
import type { SignedIn } from '../../sign-in/session-cookie.ts';
import type { ConsoleDeps } from '../deps.ts';
import { flashCookie } from '../flash.ts';
import { type OpenedLink, SecretLink } from '../secret-link.ts';
import { sendStandalonePage } from '../standalone-page.ts';
import { newPasswordError, readNewPassword } from '../parts/new-password.ts';
import type { FormError } from '../parts/notes.ts';
import type { MountAccountSection } from '../section.ts';
import {
  type InvitationViewer,
  invalidInvitationPage,
  INVITATION_PATHS,
  invitationPage,
} from './invitation-page.ts';
import { invitationMessages } from './messages.ts';

/**
 * Mounts the pages of an invitation, which need no sign-in. The link in the mail contains a secret.
 * Opening the link stores the secret in a cookie and redirects to an address without it (decision
 * 0214).
 */
export const mountInvitationPages: MountAccountSection = ({ scope, path: registerPath }, deps) => {
  const pages = new InvitationPages(deps);
  scope.get<{ Params: { readonly token: string } }>(
    registerPath('GET', '/invitations/:token'),
    async (request, reply) => pages.link.open(reply, request.params.token),
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
  readonly link: SecretLink<OpenInvitation>;

  constructor(deps: ConsoleDeps) {
    this.#deps = deps;
    this.link = new SecretLink(deps, {
      name: 'invitation',
      page: INVITATION_PATHS.page,
      gone: invalidInvitationPage,
      find: findInvitation,
    });
  }

  async show(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const opened = await this.link.find(request, reply);
    if (opened === null) return reply;
    return await this.#sendPage(request, reply, opened, { errors: [], name: '' });
  }

  async accept(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const opened = await this.link.find(request, reply);
    if (opened === null) return reply;
    const form = this.link.readForm(request, opened.secret);
    const { target: invitation } = opened;
    const signedIn = await this.#findSignedIn(request);
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
    return await this.#acceptAs(request, reply, invitation, invitee);
  }

  async #acceptAs(
    request: FastifyRequest,
    reply: FastifyReply,
    invitation: OpenInvitation,
    invitee: Invitee,
  ): Promise<FastifyReply> {
    const { clock, write, signIn, publicUrl } = this.#deps;
    const now = clock.now();
    const origin = sessionOrigin(request.headers['user-agent'], request.ip, 'password');
    const { result, cookies } = await write(invitation.shopId, async (tx) => {
      const result = await acceptInvitation(tx, invitation, invitee, now);
      if (result.kind !== 'accepted' || invitee.kind !== 'new') return { result, cookies: [] };
      const { account } = result.member;
      const { secret } = await startSession(tx, account.id, now, origin);
      const device = signIn.devices.read(request.headers.cookie);
      const known = { id: account.id, passwordHash: invitee.passwordHash };
      return { result, cookies: [signIn.cookie.set(secret), signIn.devices.set(device, known)] };
    });
    switch (result.kind) {
      case 'accepted':
      case 'already_member': {
        const flash = flashCookie('joined', publicUrl.startsWith('https:'));
        return redirect(reply, `/console/shops/${result.shopSlug}`, [
          this.link.clear(),
          flash,
          ...cookies,
        ]);
      }
      case 'gone':
        await this.link.sendGone(request, reply);
        return reply;
      case 'invalid_name':
        throw new Error(`a validated name was rejected: ${result.reason}`);
      case 'sign_in_needed':
      case 'other_account':
      case 'address_unproved':
        // Redirect to the page, which explains what to do first.
        return redirect(reply, INVITATION_PATHS.page);
    }
  }

  /** Signs out the account that was not invited, and returns to the invitation. */
  async signOut(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const opened = await this.link.find(request, reply);
    if (opened === null) return reply;
    this.link.readForm(request, opened.secret);
    const { db, signIn } = this.#deps;
    const secret = signIn.cookie.read(request.headers.cookie);
    if (secret !== undefined) await endSession(db, secret);
    return redirect(reply, INVITATION_PATHS.page, [signIn.cookie.clear()]);
  }

  async #findSignedIn(request: FastifyRequest): Promise<SignedIn | undefined> {
    const { db, clock, signIn } = this.#deps;
    return await signIn.cookie.find(db, request.headers.cookie, clock.now());
  }

  async #sendPage(
    request: FastifyRequest,
    reply: FastifyReply,
    { secret, target: invitation }: OpenedLink<OpenInvitation>,
    typed: { readonly errors: readonly FormError[]; readonly name: string },
  ): Promise<FastifyReply> {
    const language = languageOf(request);
    const formToken = this.link.formToken(request, reply, secret);
    const viewer = viewerOf(invitation, await this.#findSignedIn(request));
    const now = this.#deps.clock.now();
    const zone = (await findShopTimezone(this.#deps.db, invitation.shopId)) ?? 'UTC';
    const view = { invitation, viewer, formToken, now, zone, ...typed };
    const page = invitationPage(language, view);
    return await sendStandalonePage(request, reply, language, page);
  }
}

function viewerOf(
  { accountId, isAccountProved }: OpenInvitation,
  signedIn: SignedIn | undefined,
): InvitationViewer {
  if (signedIn === undefined) return { kind: accountId === null ? 'new' : 'sign_in_needed' };
  const { id, email } = signedIn.account;
  if (id !== accountId) return { kind: 'other', email };
  return { kind: isAccountProved ? 'invited' : 'address_unproved' };
}
