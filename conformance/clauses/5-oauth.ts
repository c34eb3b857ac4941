import { type ConformanceTest, testsOf } from '../definition.ts';
import { expect, expectSame, expectStatus } from '../expect.ts';
import { expectAuthorizationError } from '../authorization-answer.ts';

const test = testsOf('5');

export const tests: readonly ConformanceTest[] = [
  test(
    'pkce-required',
    'an authorization request without a code_challenge is refused',
    async (context) => {
      const oauth = context.oauth();
      const request = oauth.request({ code_challenge: null, code_challenge_method: null });
      expectAuthorizationError(await oauth.open(request), request, 'invalid_request');
    },
  ),

  test('pkce-s256-only', 'any method but S256 is refused', async (context) => {
    const oauth = context.oauth();
    for (const method of ['plain', 's256', 'S512', null]) {
      const request = oauth.request({ code_challenge_method: method });
      expectAuthorizationError(await oauth.open(request), request, 'invalid_request');
    }
  }),

  test(
    'secret-needed',
    'a code is exchanged only by who knows the client secret',
    async (context) => {
      const oauth = context.oauth();
      const request = oauth.request();
      const code = await context.code(request);
      const answer = await oauth.exchange(code, request, {}, { Authorization: null });
      expect(
        answer.status === 400 || answer.status === 401,
        'a refusal without credentials',
        answer.status,
      );
      expect(!answer.text.includes('access_token'), 'no token', answer.status);
      expectStatus(await oauth.exchange(code, request), 200);
    },
  ),

  test('code-flow-only', 'no other response_type is offered', async (context) => {
    const oauth = context.oauth();
    for (const type of ['token', 'id_token', 'code token', 'none']) {
      const request = oauth.request({ response_type: type });
      const answer = await oauth.open(request);
      const error = new URL(answer.headers.get('location')?.[0] ?? 'about:blank').searchParams.get(
        'error',
      );
      expectSame(`the error of response_type ${type}`, error, 'unsupported_response_type');
    }
  }),
];
