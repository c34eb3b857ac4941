import { type Answer, headerOf } from './answer.ts';
import { expect, expectSame } from './expect.ts';
import type { Context } from './context.ts';
import type { AuthorizationRequest, OAuthClient } from './oauth.ts';

/**
 * The redirect target of a response from the authorization endpoint. Fails when it is not a
 * redirect.
 */
export function redirectOf(answer: Answer): URL {
  const isRedirect = answer.status === 302 || answer.status === 303;
  expect(
    isRedirect,
    `a redirect from the authorization endpoint`,
    `${answer.status} ${answer.text}`,
  );
  const location = headerOf(answer, 'location');
  expect(location !== null, 'a Location', 'none');
  return new URL(location, answer.request.replace(/^\S+ /, ''));
}

/**
 * Expects an authorization request to be refused: at once or after a member has signed in, on a
 * page or by a redirect to the app, and never with a code. Returns the redirect's error and state,
 * or null when there is no redirect.
 */
export async function refusalOf(
  context: Context,
  oauth: OAuthClient,
  request: AuthorizationRequest,
): Promise<URLSearchParams | null> {
  const asked = new URL(request.url).searchParams;
  const isReturn = (url: URL): boolean =>
    `${url.origin}${url.pathname}` === asked.get('redirect_uri');
  const answer = await oauth.open(request);
  if (answer.status >= 400) return null;
  const location = headerOf(answer, 'location');
  let url = location === null ? null : new URL(location, request.url);
  if (url === null || !isReturn(url)) url = await context.follow(request);
  if (url === null) return null;
  // Other flows use the fragment.
  const told = new URLSearchParams(`${url.search.slice(1)}&${url.hash.slice(1)}`);
  for (const name of ['code', 'access_token', 'id_token']) {
    expectSame(`${name} in the redirect`, told.get(name), null);
  }
  expect(told.get('error') !== null, 'an error in the redirect', [...told.keys()]);
  return told;
}

/**
 * RFC 6749 §4.1.2.1: the browser is never sent to an unregistered redirect URI, and nothing is
 * approved. A server may refuse at once or after sign-in, so a request that is not refused is
 * followed to its end.
 */
export async function expectNoCodeFor(
  wrong: string,
  uri: string,
  context: Context,
  oauth: OAuthClient,
): Promise<void> {
  const request = oauth.request({ redirect_uri: uri });
  const answer = await oauth.open(request);
  expectForBrowser(answer);
  const location = headerOf(answer, 'location');
  const first = location === null ? null : new URL(location, request.url);
  if (first !== null) expectElsewhere(wrong, first, uri);
  if (answer.status >= 400) return;
  const last = await context.follow(request);
  if (last === null) return;
  expectElsewhere(wrong, last, uri);
  expectSame(
    `a code for a redirect_uri with ${wrong} (${uri})`,
    last.searchParams.get('code'),
    null,
  );
}

function expectElsewhere(wrong: string, url: URL, uri: string): void {
  const asked = new URL(uri);
  const isPlace = url.origin === asked.origin && url.pathname === asked.pathname;
  const hasQuery = [...asked.searchParams].every(([name, value]) =>
    url.searchParams.getAll(name).includes(value),
  );
  expect(!(isPlace && hasQuery), `no redirect to a redirect_uri with ${wrong}`, uri);
}

/** Fails unless the response is a page or a redirect. */
export function expectForBrowser(answer: Answer): void {
  const isPage = (headerOf(answer, 'content-type') ?? '').startsWith('text/html');
  const isUsable = isPage || headerOf(answer, 'location') !== null || answer.status >= 400;
  expect(isUsable, 'a page, or a redirect', answer.text);
}

/** RFC 6749 §4.1.2.1: the redirect URI gets the error and the request's state, and no code. */
export function expectAuthorizationError(
  answer: Answer,
  request: AuthorizationRequest,
  error: string,
): void {
  const url = redirectOf(answer);
  const asked = new URL(request.url).searchParams;
  expectSame('the redirect target', `${url.origin}${url.pathname}`, asked.get('redirect_uri'));
  expectSame('error in the redirect', url.searchParams.get('error'), error);
  expectSame('state in the redirect', url.searchParams.get('state'), request.state);
  expectSame('code in the redirect', url.searchParams.get('code'), null);
}
