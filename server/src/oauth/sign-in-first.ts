import type { FastifyInstance, FastifyRequest } from 'fastify';
import { findApp } from '../apps/app.ts';
import { redirect } from '../sign-in/browser.ts';
import type { SignInServices } from '../sign-in/services.ts';
import type { SignedIn } from '../sign-in/session-cookie.ts';
import { mountSignInForms, showSignIn, type SignInView } from '../sign-in/sign-in-forms.ts';
import { AUTH_PATH } from './addresses.ts';
import { queryOf } from './authorization-query.ts';
import { isClientId } from './client-metadata.ts';

const PATH = `${AUTH_PATH}/interaction/new`;
const ACTIONS = { password: `${PATH}/sign-in`, passkey: `${PATH}/passkey` };
/** How old a sign-in may be for an app that requires a new one. */
const NEW_SECONDS = 60;

/** `query` is the query of the authorization request, which the sign-in continues. */
export function signInUrl(query: string): string {
  return `${PATH}?${query}`;
}

/** Also undefined if the app requires a new sign-in (OpenID Connect Core §3.1.2.1). */
export async function findSignedIn(
  { cookie, db, clock }: SignInServices,
  { raw, headers }: FastifyRequest,
): Promise<SignedIn | undefined> {
  const query = new URLSearchParams(queryOf(raw.url));
  if (query.get('prompt')?.split(' ').includes('login') === true) return undefined;
  const now = clock.now();
  const signedIn = await cookie.find(db, headers.cookie, now);
  const ageMs = now.getTime() - (signedIn?.session.createdAt.getTime() ?? 0);
  return ageMs > Number(query.get('max_age') ?? Infinity) * 1_000 ? undefined : signedIn;
}

/**
 * Mounts the sign-in of an authorization request. The request stays in the page, because anyone can
 * send it: only the request of a person who has signed in is stored (decision 0213).
 */
export function mountSignInFirst(scope: FastifyInstance, services: SignInServices): void {
  scope.get(PATH, async (request, reply) => {
    const query = queryOf(request.raw.url);
    if ((await findSignedIn(services, request)) !== undefined) {
      return redirect(reply, `${AUTH_PATH}/oauth2/authorize?${query}`);
    }
    return await showSignIn(services, request, reply, await viewOf(services, query));
  });

  mountSignInForms<SignInView>(scope, services, {
    routes: ACTIONS,
    loadContext: async (_request, _reply, fields) =>
      await viewOf(services, (fields.get('query') ?? '').replaceAll(/[^\u0021-\u007e]/g, '')),
    toView: (view) => view,
    onSignedIn: ({ hidden }) =>
      `${AUTH_PATH}/oauth2/authorize?${afterNewSignIn(hidden['query'] ?? '')}`,
  });
}

async function viewOf({ db }: SignInServices, text: string): Promise<SignInView> {
  const query = new URLSearchParams(text);
  const clientId = query.get('client_id') ?? '';
  const app = isClientId(clientId) ? await findApp(db, clientId) : undefined;
  return {
    purpose: 'authorization request',
    actions: ACTIONS,
    appName: app?.name ?? null,
    hidden: { query: text },
    email: query.get('login_hint'),
  };
}

/** A new sign-in was required and has just happened. With `max_age`, the ID token says when. */
function afterNewSignIn(text: string): string {
  const query = new URLSearchParams(text);
  const isLogin = query.get('prompt')?.split(' ').includes('login') === true;
  if (!isLogin && Number(query.get('max_age') ?? NEW_SECONDS) >= NEW_SECONDS) return text;
  if (isLogin) query.set('prompt', 'consent');
  query.set('max_age', String(NEW_SECONDS));
  return query.toString();
}
