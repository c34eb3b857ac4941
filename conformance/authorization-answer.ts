import { type Answer, headerOf } from './answer.ts';
import { expect, expectSame } from './expect.ts';
import type { AuthorizationRequest } from './oauth.ts';

/** Where an answer of the authorization address sends the browser. Fails when it sends it nowhere. */
export function redirectOf(answer: Answer): URL {
  const isRedirect = answer.status === 302 || answer.status === 303;
  expect(
    isRedirect,
    `a redirect from the authorization address`,
    `${answer.status} ${answer.text}`,
  );
  const location = headerOf(answer, 'location');
  expect(location !== null, 'a Location', 'none');
  return new URL(location, answer.request.replace(/^\S+ /, ''));
}

/** RFC 6749 4.1.2.1: an error is sent to the redirect URI with the request's own state, and without a code. */
export function expectAuthorizationError(
  answer: Answer,
  request: AuthorizationRequest,
  error: string,
): void {
  const url = redirectOf(answer);
  const asked = new URL(request.url).searchParams;
  expectSame(
    'the address of the redirect',
    `${url.origin}${url.pathname}`,
    asked.get('redirect_uri'),
  );
  expectSame('error in the redirect', url.searchParams.get('error'), error);
  expectSame('state in the redirect', url.searchParams.get('state'), request.state);
  expectSame('code in the redirect', url.searchParams.get('code'), null);
}
