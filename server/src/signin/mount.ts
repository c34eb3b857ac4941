import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { html } from 'hono/html';
import { parseForm } from '../pages/form.ts';
import { FORM_TOKEN_FIELD } from '../pages/form-guard.ts';
import { renderPage } from '../pages/page.ts';
import { endSession } from '../shops/session.ts';
import { departureOf, formRequestOf, languageOf, sendOn, sendPage } from './browser.ts';
import {
  attemptPasskey,
  passkeyForm,
  sendPasskeyOptions,
  toPasskeyFault,
} from './passkey-routes.ts';
import type { SignInRoom } from './room.ts';
import { renderSignInPage, type SignInFault } from './sign-in-page.ts';
import { signedInMessages } from './messages.ts';

const PURPOSE = 'sign in';
const PASSKEY = '/signin/passkey';
const PASSKEY_OPTIONS = '/signin/passkey/options';

/** Where a sign-in leads that was asked for by nothing else. */
const CONSOLE = '/console';

/**
 * Mounts `/signin`: sign in by password or passkey, see who is signed in, sign out. The scope must hand bodies over as a
 * Buffer.
 */
export function mountSignIn(scope: FastifyInstance, room: SignInRoom): void {
  scope.get('/signin', async (request, reply) => {
    const next = nextOf(request);
    const signedIn = await room.cookie.find(room.db, request.headers.cookie, room.clock.now());
    if (signedIn === undefined) return await showForm(room, request, reply, { next });
    if (next !== null) return sendOn(reply, next);
    return await showSignedIn(room, request, reply, signedIn.account);
  });

  scope.post('/signin', async (request, reply) => {
    const fields = fieldsOf(request.body);
    const next = localPath(fields.get('next'));
    if (!room.guard.isOurs(formRequestOf(request), fields.get(FORM_TOKEN_FIELD), PURPOSE)) {
      return await showForm(room, request, reply, { next, fault: { kind: 'stale' } });
    }
    const email = fields.get('email') ?? '';
    const result = await room.signIn.attempt({
      email,
      password: fields.get('password') ?? '',
      address: request.ip,
      userAgent: request.headers['user-agent'],
      device: room.devices.read(request.headers.cookie),
      previousSecret: room.cookie.read(request.headers.cookie),
      signal: departureOf(reply),
    });
    if (result.kind !== 'signed_in') {
      return await showForm(room, request, reply, { next, email, fault: result });
    }
    return sendOn(reply, next ?? CONSOLE, room.cookie.signIn(result));
  });

  mountPasskey(scope, room);

  scope.post('/signin/out', async (request, reply) => {
    const fields = fieldsOf(request.body);
    if (!room.guard.isOurs(formRequestOf(request), fields.get(FORM_TOKEN_FIELD), PURPOSE)) {
      return sendOn(reply, '/signin');
    }
    const secret = room.cookie.read(request.headers.cookie);
    if (secret !== undefined) await endSession(room.db, secret);
    return sendOn(reply, '/signin', [room.cookie.clear()]);
  });
}

function mountPasskey(scope: FastifyInstance, room: SignInRoom): void {
  const isOurs = (request: FastifyRequest, fields: ReadonlyMap<string, string>): boolean =>
    room.guard.isOurs(formRequestOf(request), fields.get(FORM_TOKEN_FIELD), PURPOSE);

  scope.post(PASSKEY_OPTIONS, async (request, reply) => {
    return await sendPasskeyOptions(room, request, reply, isOurs(request, fieldsOf(request.body)));
  });

  scope.post(PASSKEY, async (request, reply) => {
    const fields = fieldsOf(request.body);
    const next = localPath(fields.get('next'));
    if (!isOurs(request, fields)) {
      return await showForm(room, request, reply, { next, fault: { kind: 'stale' } });
    }
    const result = await attemptPasskey(room, request, fields);
    if (result.kind === 'signed_in') {
      return sendOn(reply, next ?? CONSOLE, room.cookie.signIn(result));
    }
    return await showForm(room, request, reply, { next, fault: toPasskeyFault(result) });
  });
}

/** The fields of a posted form; none when it is no form of ours. */
export function fieldsOf(body: unknown): ReadonlyMap<string, string> {
  if (!(body instanceof Buffer)) return new Map();
  const form = parseForm(body);
  return form.kind === 'form' ? form.fields : new Map<string, string>();
}

async function showForm(
  room: SignInRoom,
  request: FastifyRequest,
  reply: FastifyReply,
  state: {
    readonly next: string | null;
    readonly email?: string;
    readonly fault?: SignInFault;
  },
): Promise<FastifyReply> {
  const { token, setCookie } = room.guard.issue(request.headers.cookie, PURPOSE);
  const page = await renderSignInPage({
    language: languageOf(request),
    action: '/signin',
    formToken: token,
    email: state.email ?? null,
    fault: state.fault ?? null,
    appName: null,
    formTarget: null,
    hidden: state.next === null ? {} : { next: state.next },
    passkey: passkeyForm(room, PASSKEY, PASSKEY_OPTIONS),
  });
  return sendPage(reply, page, [setCookie]);
}

async function showSignedIn(
  room: SignInRoom,
  request: FastifyRequest,
  reply: FastifyReply,
  account: { readonly name: string; readonly email: string },
): Promise<FastifyReply> {
  const language = languageOf(request);
  const messages = signedInMessages[language];
  const { token, setCookie } = room.guard.issue(request.headers.cookie, PURPOSE);
  const content = html`<dl>
      <dt>${messages.as}</dt>
      <dd>${account.name} (${account.email})</dd>
    </dl>
    <p><a href="${CONSOLE}">${messages.console}</a></p>
    <form method="post" action="/signin/out">
      <input type="hidden" name="${FORM_TOKEN_FIELD}" value="${token}" />
      <div class="actions"><button type="submit">${messages.signOut}</button></div>
    </form>`;
  const page = await renderPage({ status: 200, language, title: messages.title, content });
  return sendPage(reply, page, [setCookie]);
}

function nextOf(request: FastifyRequest): string | null {
  const { query } = request;
  if (typeof query !== 'object' || query === null || !('next' in query)) return null;
  return typeof query.next === 'string' ? localPath(query.next) : null;
}

/** Only a path of this service: everything else would make the sign-in an open redirect. */
function localPath(next: string | undefined): string | null {
  if (next === undefined || next.length > 2_000) return null;
  return /^\/(?![/\\])[\u0021-\u005b\u005d-\u007e]*$/.test(next) ? next : null;
}
