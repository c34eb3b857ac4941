import { type HttpResponse, headerOf } from './response.ts';
import { expect, expectSame } from './expect.ts';
import type { Context } from './context.ts';
import type { AuthorizationRequest, OAuthClient } from './oauth.ts';

/**
 * Returns the redirect target of a response from the authorization endpoint. Fails when the
 * response is not a redirect.
 */
export function redirectOf(response: HttpResponse): URL {
  const isRedirect = response.status === 302 || response.status === 303;
  expect(
    isRedirect,
    `a redirect from the authorization endpoint`,
    `${response.status} ${response.text}`,
  );
  const location = headerOf(response, 'location');
  expect(location !== null, 'a Location', 'none');
  return new URL(location, response.request.replace(/^\S+ /, ''));
}

/**
 * Expects that the server refuses an authorization request and issues no code. It may refuse before
 * or after sign-in, on a page or by a redirect to the app. Returns the parameters of the redirect,
 * or null when there is none.
 */
export async function expectRefused(
  context: Context,
  oauth: OAuthClient,
  request: AuthorizationRequest,
): Promise<URLSearchParams | null> {
  const requested = new URL(request.url).searchParams;
  const isReturn = (url: URL): boolean =>
    `${url.origin}${url.pathname}` === requested.get('redirect_uri');
  const response = await oauth.open(request);
  if (response.status >= 400) return null;
  const location = headerOf(response, 'location');
  let url = location === null ? null : new URL(location, request.url);
  if (url === null || !isReturn(url)) url = await context.follow(request);
  if (url === null) return null;
  // The implicit and hybrid flows return their parameters in the fragment.
  const parameters = new URLSearchParams(`${url.search.slice(1)}&${url.hash.slice(1)}`);
  for (const name of ['code', 'access_token', 'id_token']) {
    expectSame(`${name} in the redirect`, parameters.get(name), null);
  }
  expect(parameters.get('error') !== null, 'an error in the redirect', [...parameters.keys()]);
  return parameters;
}

/**
 * Expects that the browser is never sent to an unregistered redirect URI (RFC 6749 §4.1.2.1). A
 * server may refuse before or after sign-in, so a request that is not refused immediately is
 * followed to its end.
 */
export async function expectNoCodeFor(
  wrong: string,
  uri: string,
  context: Context,
  oauth: OAuthClient,
): Promise<void> {
  const request = oauth.request({ redirect_uri: uri });
  const response = await oauth.open(request);
  expectPageOrRedirect(response);
  const location = headerOf(response, 'location');
  const first = location === null ? null : new URL(location, request.url);
  if (first !== null) expectNoRedirectTo(wrong, first, uri);
  if (response.status >= 400) return;
  const last = await context.follow(request);
  if (last === null) return;
  expectNoRedirectTo(wrong, last, uri);
  expectSame(
    `a code for a redirect_uri with ${wrong} (${uri})`,
    last.searchParams.get('code'),
    null,
  );
}

function expectNoRedirectTo(wrong: string, url: URL, uri: string): void {
  const requested = new URL(uri);
  const isSameAddress = url.origin === requested.origin && url.pathname === requested.pathname;
  const hasQuery = [...requested.searchParams].every(([name, value]) =>
    url.searchParams.getAll(name).includes(value),
  );
  expect(!(isSameAddress && hasQuery), `no redirect to a redirect_uri with ${wrong}`, uri);
}

/** Fails unless the response is a page or a redirect. */
export function expectPageOrRedirect(response: HttpResponse): void {
  const isPage = (headerOf(response, 'content-type') ?? '').startsWith('text/html');
  const isUsable = isPage || headerOf(response, 'location') !== null || response.status >= 400;
  expect(isUsable, 'a page, or a redirect', response.text);
}

/**
 * Expects that the redirect URI gets the error and the request's state, and no code (RFC 6749
 * §4.1.2.1).
 */
export function expectAuthorizationError(
  response: HttpResponse,
  request: AuthorizationRequest,
  error: string,
): void {
  const url = redirectOf(response);
  const requested = new URL(request.url).searchParams;
  expectSame('the redirect target', `${url.origin}${url.pathname}`, requested.get('redirect_uri'));
  expectSame('error in the redirect', url.searchParams.get('error'), error);
  expectSame('state in the redirect', url.searchParams.get('state'), request.state);
  expectSame('code in the redirect', url.searchParams.get('code'), null);
}
