import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { parseForm } from '../pages/form.ts';
import { FORM_TOKEN_FIELD } from '../pages/form-guard.ts';
import type { Account } from '../shops/account.ts';
import { departureOf, formRequestOf, languageOf, sendOn, sendPage } from './browser.ts';
import { beginPasskeySignIn, signInByPasskey } from './passkey-sign-in.ts';
import type { SignInRoom } from './room.ts';
import type { SignInResult } from './sign-in.ts';
import { renderSignInPage, type SignInFault, type SignInPageOptions } from './sign-in-page.ts';

/** What a sign-in page shows in addition to its two forms. */
export interface ShownSignIn
  extends Pick<SignInPageOptions, 'appName' | 'hidden'>, Partial<Pick<SignInPageOptions, 'email'>> {
  /** The purpose that the form token is bound to. */
  readonly purpose: string;
  /** The actions of the two forms: e-mail and password, and passkey. */
  readonly actions: { readonly password: string; readonly passkey: string };
}

/** A page with sign-in forms. `Visit` is the type of its request context. */
export interface SignInForms<Visit> {
  /** The routes of its two forms. The passkey's challenge is at `/options` below its route. */
  readonly routes: ShownSignIn['actions'];
  /** Returns the context of a posted form, or throws a refusal. */
  readonly enter: (
    request: FastifyRequest,
    reply: FastifyReply,
    fields: ReadonlyMap<string, string>,
  ) => Visit | Promise<Visit>;
  readonly shown: (visit: Visit) => ShownSignIn;
  /** Returns where the browser goes after the sign-in. */
  readonly signedIn: (visit: Visit, account: Account) => string | Promise<string>;
}

/**
 * Mounts the forms of a sign-in page: password and passkey. The scope must parse bodies as a
 * Buffer.
 */
export function mountSignInForms<Visit>(
  scope: FastifyInstance,
  room: SignInRoom,
  { routes, enter, shown, signedIn }: SignInForms<Visit>,
): void {
  const answer = async (
    request: FastifyRequest,
    reply: FastifyReply,
    attempt: (fields: ReadonlyMap<string, string>) => Promise<Attempted>,
  ): Promise<FastifyReply> => {
    const fields = fieldsOf(request.body);
    const visit = await enter(request, reply, fields);
    const page = shown(visit);
    if (!isOurForm(room, request, fields, page.purpose)) {
      return await showSignIn(room, request, reply, page, { kind: 'stale' });
    }
    const { result, fault, email = page.email ?? null } = await attempt(fields);
    if (result.kind !== 'signed_in') {
      return await showSignIn(room, request, reply, { ...page, email }, fault);
    }
    return sendOn(reply, await signedIn(visit, result.account), room.cookie.signIn(result));
  };

  scope.post(routes.password, async (request, reply) => {
    return await answer(request, reply, async (fields) => {
      return await attemptPassword(room, request, reply, fields);
    });
  });

  scope.post(routes.passkey, async (request, reply) => {
    return await answer(request, reply, async (fields) => {
      return await attemptPasskey(room, request, fields);
    });
  });

  scope.post(`${routes.passkey}/options`, async (request, reply) => {
    const fields = fieldsOf(request.body);
    const { purpose } = shown(await enter(request, reply, fields));
    const isOurs = isOurForm(room, request, fields, purpose);
    return await sendPasskeyOptions(room, request, reply, isOurs);
  });
}

export async function showSignIn(
  room: SignInRoom,
  request: FastifyRequest,
  reply: FastifyReply,
  { purpose, actions, email = null, ...shown }: ShownSignIn,
  fault: SignInFault | null = null,
): Promise<FastifyReply> {
  const { token, setCookie } = room.guard.issue(request.headers.cookie, purpose);
  const { passkey } = actions;
  const page = await renderSignInPage({
    ...shown,
    language: languageOf(request),
    action: actions.password,
    formToken: token,
    email,
    fault,
    passkey:
      room.relyingParty.kind === 'host'
        ? { action: passkey, options: `${passkey}/options`, script: room.passkeyScript() }
        : null,
  });
  return sendPage(reply, page, [setCookie]);
}

/** The fields of a posted form; empty if the body is not a valid form. */
export function fieldsOf(body: unknown): ReadonlyMap<string, string> {
  if (!(body instanceof Buffer)) return new Map();
  const form = parseForm(body);
  return form.kind === 'form' ? form.fields : new Map<string, string>();
}

/** Returns whether one of our pages sent the form, in this browser and for this purpose. */
export function isOurForm(
  { guard }: SignInRoom,
  request: FastifyRequest,
  fields: ReadonlyMap<string, string>,
  purpose: string,
): boolean {
  return guard.isOurs(formRequestOf(request), fields.get(FORM_TOKEN_FIELD), purpose);
}

interface Attempted {
  readonly result: SignInResult;
  /** The error to show if the sign-in failed. */
  readonly fault: SignInFault | null;
  /** The e-mail address that was typed. */
  readonly email?: string;
}

async function attemptPassword(
  room: SignInRoom,
  request: FastifyRequest,
  reply: FastifyReply,
  fields: ReadonlyMap<string, string>,
): Promise<Attempted> {
  const email = fields.get('email') ?? '';
  const password = fields.get('password') ?? '';
  const signal = departureOf(reply);
  const result = await room.signIn.attempt({ ...whoAsks(room, request), email, password, signal });
  return { result, fault: result.kind === 'signed_in' ? null : result, email };
}

async function attemptPasskey(
  room: SignInRoom,
  request: FastifyRequest,
  fields: ReadonlyMap<string, string>,
): Promise<Attempted> {
  const credential = fields.get('credential') ?? '';
  const result = await signInByPasskey(room, { ...whoAsks(room, request), credential });
  if (result.kind === 'signed_in') return { result, fault: null };
  return { result, fault: result.kind === 'refused' ? { kind: 'passkey_refused' } : result };
}

function whoAsks(
  { devices, cookie }: SignInRoom,
  { ip, headers }: FastifyRequest,
): Pick<
  Parameters<typeof signInByPasskey>[1],
  'address' | 'userAgent' | 'device' | 'previousSecret'
> {
  return {
    address: ip,
    userAgent: headers['user-agent'],
    device: devices.read(headers.cookie),
    previousSecret: cookie.read(headers.cookie),
  };
}

/**
 * Responds to our script with a challenge, as JSON. `isOurs`: the request came from our page, not
 * from another site.
 */
async function sendPasskeyOptions(
  room: SignInRoom,
  request: FastifyRequest,
  reply: FastifyReply,
  isOurs: boolean,
): Promise<FastifyReply> {
  reply.headers({
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  });
  if (!isOurs) return reply.code(403).send('{"error":"stale"}');
  const begun = await beginPasskeySignIn(room, request.ip);
  switch (begun.kind) {
    case 'begun':
      return reply.send(JSON.stringify(begun.options));
    case 'throttled':
      reply.header('retry-after', String(begun.retryAfterSeconds));
      return reply.code(429).send('{"error":"throttled"}');
    case 'ip_address':
      return reply.code(404).send('{"error":"not_possible"}');
  }
}
