import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { html } from 'hono/html';
import { FORM_TOKEN_FIELD } from '../html/form-guard.ts';
import { renderPage } from '../html/page.ts';
import { endSession } from '../shops/session.ts';
import { languageOf, redirect, sendPage } from './browser.ts';
import type { SignInServices } from './services.ts';
import { SETUP_PATH } from './setup-state.ts';
import {
  fieldsOf,
  isValidForm,
  mountSignInForms,
  showSignIn,
  type SignInView,
} from './sign-in-forms.ts';
import { signedInMessages } from './messages.ts';

const PURPOSE = 'sign in';
const ACTIONS = { password: '/signin', passkey: '/signin/passkey' };

/** The destination after a sign-in without `next`. */
const CONSOLE = '/console';

/** Mounts `/signin`. The scope must parse bodies as a Buffer. */
export function mountSignIn(scope: FastifyInstance, services: SignInServices): void {
  scope.get('/signin', async (request, reply) => {
    const next = nextOf(request);
    const signedIn = await services.cookie.find(
      services.db,
      request.headers.cookie,
      services.clock.now(),
    );
    if (signedIn === undefined && (await services.setup.isOpen())) {
      return redirect(reply, SETUP_PATH);
    }
    if (signedIn === undefined) {
      const problem = isSessionEnded(request) ? ({ kind: 'session_ended' } as const) : null;
      return await showSignIn(services, request, reply, toSignInView(next), problem);
    }
    if (next !== null) return redirect(reply, next);
    return await showSignedIn(services, request, reply, signedIn.account);
  });

  mountSignInForms<{ readonly next: string | null }>(scope, services, {
    routes: ACTIONS,
    loadContext: (_request, _reply, fields) => ({ next: localPath(fields.get('next')) }),
    toView: ({ next }) => toSignInView(next),
    onSignedIn: ({ next }) => next ?? CONSOLE,
  });

  scope.post('/signin/out', async (request, reply) => {
    const fields = fieldsOf(request.body);
    if (!isValidForm(services, request, fields, PURPOSE)) return redirect(reply, '/signin');
    const secret = services.cookie.read(request.headers.cookie);
    if (secret !== undefined) await endSession(services.db, secret);
    return redirect(reply, '/signin', [services.cookie.clear()]);
  });
}

/** Returns the view of the sign-in page. Both forms contain the destination in `next`. */
function toSignInView(next: string | null): SignInView {
  const hidden = next === null ? {} : { next };
  return { purpose: PURPOSE, actions: ACTIONS, appName: null, hidden };
}

async function showSignedIn(
  services: SignInServices,
  request: FastifyRequest,
  reply: FastifyReply,
  account: { readonly name: string; readonly email: string },
): Promise<FastifyReply> {
  const language = languageOf(request);
  const messages = signedInMessages[language];
  const { token, setCookie } = services.guard.issue(request.headers.cookie, PURPOSE);
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

/** Returns true if a form was posted after the session had ended. */
function isSessionEnded({ query }: FastifyRequest): boolean {
  return typeof query === 'object' && query !== null && 'ended' in query;
}

/** Returns `next` if it is a path of this service, otherwise null, to prevent an open redirect. */
function localPath(next: string | undefined): string | null {
  if (next === undefined || next.length > 2_000) return null;
  return /^\/(?![/\\])[\u0021-\u005b\u005d-\u007e]*$/.test(next) ? next : null;
}
