import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { parseForm } from '../html/form.ts';
import { FORM_TOKEN_FIELD } from '../html/form-guard.ts';
import type { Account } from '../shops/account.ts';
import { abortOnDisconnect, formRequestOf, languageOf, redirect, sendPage } from './browser.ts';
import { beginPasskeySignIn, signInByPasskey } from './passkey-sign-in.ts';
import type { SignInServices } from './services.ts';
import type { SignInResult } from './sign-in.ts';
import { renderSignInPage, type SignInProblem, type SignInPageOptions } from './sign-in-page.ts';

/** The parts that differ between the pages that contain the two sign-in forms. */
export interface SignInView
  extends Pick<SignInPageOptions, 'appName' | 'hidden'>, Partial<Pick<SignInPageOptions, 'email'>> {
  /** The purpose to which the form token is bound. */
  readonly purpose: string;
  readonly actions: { readonly password: string; readonly passkey: string };
}

/** The page that contains the sign-in forms. `Context` is the type of its request context. */
export interface SignInForms<Context> {
  /** The passkey's challenge is at `/options` below the route of its form. */
  readonly routes: SignInView['actions'];
  /** @throws a refusal when the posted form belongs to no context */
  readonly loadContext: (
    request: FastifyRequest,
    reply: FastifyReply,
    fields: ReadonlyMap<string, string>,
  ) => Context | Promise<Context>;
  readonly toView: (context: Context) => SignInView;
  /** Returns where the browser goes after the sign-in. */
  readonly onSignedIn: (context: Context, account: Account) => string | Promise<string>;
}

/** Mounts the sign-in forms. The scope must parse bodies as a Buffer. */
export function mountSignInForms<Context>(
  scope: FastifyInstance,
  services: SignInServices,
  { routes, loadContext, toView, onSignedIn }: SignInForms<Context>,
): void {
  const handleForm = async (
    request: FastifyRequest,
    reply: FastifyReply,
    attempt: (fields: ReadonlyMap<string, string>) => Promise<AttemptOutcome>,
  ): Promise<FastifyReply> => {
    const fields = fieldsOf(request.body);
    const context = await loadContext(request, reply, fields);
    const page = toView(context);
    if (!isValidForm(services, request, fields, page.purpose)) {
      return await showSignIn(services, request, reply, page, { kind: 'stale' });
    }
    const { result, problem, email = page.email ?? null } = await attempt(fields);
    if (result.kind !== 'signed_in') {
      return await showSignIn(services, request, reply, { ...page, email }, problem);
    }
    return redirect(
      reply,
      await onSignedIn(context, result.account),
      services.cookie.signInCookies(result),
    );
  };

  scope.post(routes.password, async (request, reply) => {
    return await handleForm(request, reply, async (fields) => {
      return await attemptPassword(services, request, reply, fields);
    });
  });

  scope.post(routes.passkey, async (request, reply) => {
    return await handleForm(request, reply, async (fields) => {
      return await attemptPasskey(services, request, fields);
    });
  });

  scope.post(`${routes.passkey}/options`, async (request, reply) => {
    const fields = fieldsOf(request.body);
    const { purpose } = toView(await loadContext(request, reply, fields));
    const isValid = isValidForm(services, request, fields, purpose);
    const token = fields.get(FORM_TOKEN_FIELD) ?? '';
    return sendPasskeyOptions(services, reply, isValid ? token : null);
  });
}

export async function showSignIn(
  services: SignInServices,
  request: FastifyRequest,
  reply: FastifyReply,
  { purpose, actions, email = null, ...view }: SignInView,
  problem: SignInProblem | null = null,
): Promise<FastifyReply> {
  const { token, setCookie } = services.guard.issue(request.headers.cookie, purpose);
  const { passkey } = actions;
  const page = await renderSignInPage({
    ...view,
    language: languageOf(request),
    action: actions.password,
    formToken: token,
    email,
    problem,
    passkey:
      services.relyingParty.kind === 'host'
        ? { action: passkey, options: `${passkey}/options`, script: services.passkeyScript() }
        : null,
  });
  return sendPage(reply, page, [setCookie]);
}

/** Returns the fields of a posted form, or an empty map if the body is not a valid form. */
export function fieldsOf(body: unknown): ReadonlyMap<string, string> {
  if (!(body instanceof Buffer)) return new Map();
  const form = parseForm(body);
  return form.kind === 'form' ? form.fields : new Map<string, string>();
}

/** Returns true if one of our pages sent the form, in this browser and for this purpose. */
export function isValidForm(
  { guard }: SignInServices,
  request: FastifyRequest,
  fields: ReadonlyMap<string, string>,
  purpose: string,
): boolean {
  return guard.isValid(formRequestOf(request), fields.get(FORM_TOKEN_FIELD), purpose);
}

interface AttemptOutcome {
  readonly result: SignInResult;
  readonly problem: SignInProblem | null;
  /** The email address as it was typed. */
  readonly email?: string;
}

async function attemptPassword(
  services: SignInServices,
  request: FastifyRequest,
  reply: FastifyReply,
  fields: ReadonlyMap<string, string>,
): Promise<AttemptOutcome> {
  const email = fields.get('email') ?? '';
  const password = fields.get('password') ?? '';
  const signal = abortOnDisconnect(reply);
  const result = await services.signIn.attempt({
    ...requestDetails(services, request),
    email,
    password,
    signal,
  });
  return { result, problem: result.kind === 'signed_in' ? null : result, email };
}

async function attemptPasskey(
  services: SignInServices,
  request: FastifyRequest,
  fields: ReadonlyMap<string, string>,
): Promise<AttemptOutcome> {
  const credential = fields.get('credential') ?? '';
  const result = await signInByPasskey(services, {
    ...requestDetails(services, request),
    formToken: fields.get(FORM_TOKEN_FIELD) ?? '',
    credential,
  });
  if (result.kind === 'signed_in') return { result, problem: null };
  return { result, problem: result.kind === 'refused' ? { kind: 'passkey_refused' } : result };
}

function requestDetails(
  { devices, cookie }: SignInServices,
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

/** `formToken` is null if another site, and not our page, requested the challenge. */
function sendPasskeyOptions(
  services: SignInServices,
  reply: FastifyReply,
  formToken: string | null,
): FastifyReply {
  reply.headers({
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  });
  if (formToken === null) return reply.code(403).send('{"error":"stale"}');
  const begun = beginPasskeySignIn(services, formToken);
  switch (begun.kind) {
    case 'begun':
      return reply.send(JSON.stringify(begun.options));
    case 'ip_address':
      return reply.code(404).send('{"error":"not_possible"}');
  }
}
