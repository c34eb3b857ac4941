import type { FastifyReply, FastifyRequest } from 'fastify';
import { html } from 'hono/html';
import { findPersonNameFault } from '../../base/plain-text.ts';
import { hashSecret } from '../../base/secrets.ts';
import { findShopTimezone } from '../../inventory/shop-timezone.ts';
import { FORM_TOKEN_FIELD } from '../../pages/form-guard.ts';
import { parseForm } from '../../pages/form.ts';
import type { Markup } from '../../pages/page.ts';
import { acceptInvitation, type Invitee } from '../../shops/accept-invitation.ts';
import { findInvitation, type OpenInvitation } from '../../shops/invitation.ts';
import { endSession, sessionOrigin, startSession } from '../../shops/session.ts';
import { keysOfNetwork } from '../../signin/attempt-counter.ts';
import { formRequestOf, languageOf, sendOn } from '../../signin/browser.ts';
import type { SignedIn } from '../../signin/session-cookie.ts';
import type { ConsoleDeps } from '../deps.ts';
import { flashCookie } from '../flash.ts';
import { sendLonePage } from '../lone-page.ts';
import { newPasswordFault, readNewPassword } from '../parts/new-password.ts';
import type { FormFault } from '../parts/notes.ts';
import { ConsoleRefusal } from '../refusal.ts';
import type { MountAccountSection } from '../section.ts';
import { InvitationCookie } from './invitation-cookie.ts';
import {
  type Beholder,
  goneInvitationPage,
  INVITATION_PATHS,
  invitationPage,
  throttledInvitationPage,
} from './invitation-page.ts';
import { invitationMessages } from './messages.ts';

/** As in the schema (0001_shops.sql). */
const NAME_CODE_POINTS_MAX = 200;

/** The invitation opened in this browser, and the person signed in there. */
interface Opened {
  readonly secret: string;
  readonly invitation: OpenInvitation;
  readonly signedIn: SignedIn | undefined;
}

/**
 * Mounts the pages of an invitation, which need no sign-in. The mail's link moves its secret into a
 * cookie and redirects to an address without it (decision 0214).
 */
export const mountInvitationPages: MountAccountSection = ({ scope, path }, deps) => {
  const pages = new InvitationPages(deps);
  scope.get<{ Params: { readonly token: string } }>(
    path('GET', '/invitations/:token'),
    async (request, reply) => pages.open(reply, request.params.token),
  );
  scope.get(
    path('GET', '/invitations'),
    async (request, reply) => await pages.show(request, reply),
  );
  scope.post(
    path('POST', '/invitations/accept'),
    async (request, reply) => await pages.accept(request, reply),
  );
  scope.post(
    path('POST', '/invitations/sign-out'),
    async (request, reply) => await pages.signOut(request, reply),
  );
};

class InvitationPages {
  readonly #deps: ConsoleDeps;
  readonly #cookie: InvitationCookie;

  constructor(deps: ConsoleDeps) {
    this.#deps = deps;
    this.#cookie = new InvitationCookie(deps.publicUrl);
  }

  /**
   * The mail's link. It reads and writes nothing in the database, because mail scanners open it
   * too.
   */
  open(reply: FastifyReply, token: string): FastifyReply {
    reply.headers({ 'referrer-policy': 'no-referrer', 'cache-control': 'no-store' });
    return sendOn(reply, INVITATION_PATHS.page, [this.#cookie.keep(token)]);
  }

  async show(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const opened = await this.#find(request, reply);
    if (opened === null) return reply;
    await this.#forgive(request);
    return await this.#sendPage(request, reply, opened, { faults: [], name: '' });
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
      const faults: FormFault[] = [];
      if (findPersonNameFault('name', name, NAME_CODE_POINTS_MAX) !== null) {
        faults.push({ field: 'name', text: invitationMessages[language].badName });
      }
      if (typed.kind !== 'password') faults.push(newPasswordFault(typed.kind, language));
      // An address that has an account must sign in, even after a valid name and password; the page
      // says so.
      if (invitation.accountId !== null || typed.kind !== 'password' || faults.length > 0) {
        return await this.#sendPage(request, reply, opened, { faults, name });
      }
      const caller = { address: request.ip, signal: new AbortController().signal };
      const passwordHash = await this.#deps.signIn.signIn.hashInTurn(typed.password, caller);
      if (passwordHash === undefined) {
        faults.push({ field: null, text: invitationMessages[language].signInBusy });
        return await this.#sendPage(request, reply, opened, { faults, name });
      }
      invitee = { kind: 'new', name, passwordHash };
    }
    return await this.#acceptAs(request, reply, opened, invitee);
  }

  async #acceptAs(
    request: FastifyRequest,
    reply: FastifyReply,
    opened: Opened,
    invitee: Invitee,
  ): Promise<FastifyReply> {
    const { clock, write, signIn, publicUrl } = this.#deps;
    const { secret, invitation } = opened;
    const now = clock.now();
    const origin = sessionOrigin(request.headers['user-agent'], request.ip, 'password');
    const done = await write(invitation.shopId, async (tx) => {
      const result = await acceptInvitation(tx, secret, invitee, now);
      const isNew = result.kind === 'accepted' && invitee.kind === 'new';
      if (!isNew) return { result, session: null };
      const session = await startSession(tx, result.member.account.id, now, origin);
      return { result, session };
    });
    const { result, session } = done;
    switch (result.kind) {
      case 'accepted':
      case 'already_member': {
        await this.#forgive(request);
        const flash = flashCookie('joined', publicUrl.startsWith('https:'));
        const cookies = [this.#cookie.forget(), flash];
        if (session !== null) cookies.push(signIn.cookie.set(session.secret));
        if (result.kind === 'accepted' && invitee.kind === 'new') {
          const device = signIn.devices.read(request.headers.cookie);
          const { passwordHash } = invitee;
          cookies.push(signIn.devices.set(device, { id: result.member.account.id, passwordHash }));
        }
        return sendOn(reply, `/console/shops/${result.shopSlug}`, cookies);
      }
      case 'gone':
        return await sendLonePage(
          request,
          reply,
          languageOf(request),
          goneInvitationPage(languageOf(request)),
        );
      case 'invalid_name':
        throw new Error(`a name was checked and then refused: ${result.reason}`);
      case 'sign_in_needed':
      case 'other_account':
        // The page explains what to do first.
        return sendOn(reply, INVITATION_PATHS.page);
    }
  }

  /** Signs out the other account and returns to the invitation. */
  async signOut(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const opened = await this.#find(request, reply);
    if (opened === null) return reply;
    await this.#forgive(request);
    this.#readForm(request, opened.secret);
    const { db, signIn } = this.#deps;
    if (opened.signedIn !== undefined) await endSession(db, opened.signedIn.secret);
    return sendOn(reply, INVITATION_PATHS.page, [signIn.cookie.clear()]);
  }

  /**
   * The invitation opened in this browser; null after a refusal was sent: no such invitation, or
   * rate limited.
   */
  async #find(request: FastifyRequest, reply: FastifyReply): Promise<Opened | null> {
    const { db, clock, signIn } = this.#deps;
    const language = languageOf(request);
    const { cookie } = request.headers;
    const secret = this.#cookie.read(cookie);
    if (secret === undefined) {
      await sendLonePage(request, reply, language, goneInvitationPage(language));
      return null;
    }
    const counted = await signIn.counter.count(keysOf(request));
    if (counted.kind === 'throttled') {
      const seconds = counted.retryAfterSeconds;
      reply.header('retry-after', String(seconds));
      await sendLonePage(request, reply, language, throttledInvitationPage(language, seconds));
      return null;
    }
    const now = clock.now();
    const invitation = await findInvitation(db, secret, now);
    if (invitation === undefined) {
      await sendLonePage(request, reply, language, goneInvitationPage(language));
      return null;
    }
    return { secret, invitation, signedIn: await signIn.cookie.find(db, cookie, now) };
  }

  /** Refunds the attempt to the rate limiter: it found an invitation and cost little work. */
  async #forgive(request: FastifyRequest): Promise<void> {
    const { db, signIn } = this.#deps;
    await signIn.counter.forget(db, keysOf(request));
  }

  async #sendPage(
    request: FastifyRequest,
    reply: FastifyReply,
    { secret, invitation, signedIn }: Opened,
    typed: { readonly faults: readonly FormFault[]; readonly name: string },
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
    const beholder = beholderOf(invitation, signedIn);
    const now = this.#deps.clock.now();
    const zone = (await findShopTimezone(this.#deps.db, invitation.shopId)) ?? 'UTC';
    const view = { invitation, beholder, formToken, now, zone, ...typed };
    const page = invitationPage(language, view);
    return await sendLonePage(request, reply, language, page);
  }

  /**
   * @throws ConsoleRefusal when the form is malformed, or was issued for another invitation or
   * browser
   */
  #readForm(request: FastifyRequest, secret: string): ReadonlyMap<string, string> {
    const { body } = request;
    const parsed = parseForm(Buffer.isBuffer(body) ? body : Buffer.alloc(0));
    if (parsed.kind === 'invalid') throw new ConsoleRefusal({ kind: 'broken_form' });
    const token = parsed.fields.get(FORM_TOKEN_FIELD);
    const { guard } = this.#deps.signIn;
    if (!guard.isOurs(formRequestOf(request), token, purposeOf(secret))) {
      throw new ConsoleRefusal({ kind: 'stale_form' });
    }
    return parsed.fields;
  }
}

function keysOf(request: FastifyRequest): ReturnType<typeof keysOfNetwork> {
  return keysOfNetwork(request.ip, 'invitation');
}

/** Forms are bound to the invitation: one left open while another link was opened is stale. */
function purposeOf(secret: string): string {
  return `invitation ${hashSecret(secret)}`;
}

function beholderOf({ accountId }: OpenInvitation, signedIn: SignedIn | undefined): Beholder {
  if (signedIn === undefined) return { kind: accountId === null ? 'new' : 'sign_in_needed' };
  const isInvited = signedIn.account.id === accountId;
  return isInvited ? { kind: 'invited' } : { kind: 'other', email: signedIn.account.email };
}
