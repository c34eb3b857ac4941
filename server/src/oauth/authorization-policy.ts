import { errors, interactionPolicy, type KoaContextWithOIDC } from 'oidc-provider';
import { SCOPES } from '../apps/scope.ts';
import { allowedScopes, isEnabled } from './client-metadata.ts';

const { Check, base } = interactionPolicy;

const known: ReadonlySet<string> = new Set(SCOPES);

/**
 * The browser is sent to our page even if the member is signed in, because that page handles
 * sign-in and consent together (spec 5.3, step 3).
 */
export function authorizationPolicy(): interactionPolicy.DefaultPolicy {
  const policy = base();
  const login = policy.get('login');
  if (login === undefined) throw new Error('the library no longer has a login prompt');
  // The server does not compare the account with `id_token_hint`. The other checks need the
  // `claims` parameter, which is off.
  for (const reason of ['id_token_hint', 'claims_id_token_sub_value', 'essential_acrs']) {
    login.checks.remove(reason);
  }
  login.checks.remove('essential_acr');
  login.checks.add(
    new Check(
      'page_not_shown',
      'the member must allow or deny the request',
      'login_required',
      (ctx) => ctx.oidc.result?.login === undefined,
    ),
  );
  return policy;
}

/**
 * Checks an authorization request before any sign-in (spec 5.2). If the scope is missing, unknown
 * or not allowed by the shop, the app gets `invalid_scope` in a redirect with `state`.
 */
export function checkAuthorizationRequest(
  ctx: KoaContextWithOIDC,
  client: object,
  given: string,
  resource: string,
): void {
  const { params, route, requestParamScopes } = ctx.oidc;
  if (route === 'authorization') checkLengths(params ?? {});
  if (Array.isArray(params?.['resource'])) {
    throw new errors.InvalidTarget('resource must not be given more than once');
  }
  if (given !== resource) {
    throw new errors.InvalidTarget('resource must be the URL of an API of this server');
  }
  if (route !== 'authorization' && route !== 'resume') return;
  if (!isEnabled(client)) throw disabled();
  if (requestParamScopes.size === 0) throw invalidScope('scope is required');
  const allowed = allowedScopes(client);
  for (const scope of requestParamScopes) {
    if (!known.has(scope)) throw invalidScope(`${scope} is not a scope of this server`);
    if (!allowed.has(scope)) {
      throw invalidScope(`the shop has not allowed the scope ${scope} for this app`);
    }
  }
}

/** In characters. Anyone can send these parameters, which are stored until the member decides. */
const LENGTHS_MAX: ReadonlyMap<string, number> = new Map([
  ['nonce', 512],
  ['login_hint', 254],
]);
const LENGTH_MAX = 2_048;

function checkLengths(params: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(params)) {
    const max = LENGTHS_MAX.get(name) ?? LENGTH_MAX;
    if (typeof value === 'string' && value.length > max) {
      throw new errors.InvalidRequest(`${name} must have at most ${max} characters`);
    }
  }
}

/**
 * Removes the `scope` of the library's error, because the redirect would contain it, and RFC 6749
 * §4.1.2.1 does not define it there.
 */
export function invalidScope(description: string): Error {
  const error = new errors.InvalidScope(description, '');
  Reflect.deleteProperty(error, 'scope');
  return error;
}

/** The error is shown on a page and never sent to the app in a redirect (decision 0007). */
function disabled(): Error {
  const error = new errors.UnauthorizedClient('the shop has disabled this app');
  error.allow_redirect = false;
  return error;
}
