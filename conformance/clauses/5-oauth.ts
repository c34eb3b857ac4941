import { type ConformanceTest, testFactory } from '../definition.ts';
import { expect, expectRefusal } from '../expect.ts';
import { expectRefused } from '../authorization-response.ts';

const test = testFactory('5');

export const tests: readonly ConformanceTest[] = [
  test(
    'pkce-required',
    'an authorization request without a code_challenge is refused',
    async (context) => {
      const oauth = context.oauth();
      const request = oauth.request({ code_challenge: null, code_challenge_method: null });
      await expectRefused(context, oauth, request);
    },
  ),

  test('pkce-s256-only', 'any challenge method but S256 is refused', async (context) => {
    const oauth = context.oauth();
    for (const method of ['plain', 's256', 'S512', null]) {
      await expectRefused(context, oauth, oauth.request({ code_challenge_method: method }));
    }
  }),

  test('secret-needed', 'exchanging a code requires the client secret', async (context) => {
    const oauth = context.oauth();
    const request = oauth.request();
    const code = await context.code(request);
    const response = await oauth.exchange(code, request, {}, { Authorization: null });
    expectRefusal(response);
    expect(!response.text.includes('access_token'), 'no access_token in the response', 'one');
  }),

  test('code-flow-only', 'no response_type except code is accepted', async (context) => {
    const oauth = context.oauth();
    for (const type of ['token', 'id_token', 'code token', 'none']) {
      await expectRefused(context, oauth, oauth.request({ response_type: type }));
    }
  }),
];
