import { type ConformanceTest, testsOf } from '../definition.ts';
import { expectSame, expectStatus, isObject, jsonOf } from '../expect.ts';
import { ALL_SCOPES } from '../oauth.ts';

const test = testsOf('D8');

export const tests: readonly ConformanceTest[] = [
  test('metadata-scopes', 'the metadata names the five scopes and S256 alone', async (context) => {
    const url = `${context.target.authUrl}/.well-known/oauth-authorization-server`;
    const answer = await context.send({ method: 'GET', url });
    expectStatus(answer, 200);
    const metadata = jsonOf(answer);
    const listed = (name: string): unknown => {
      const value = isObject(metadata) ? metadata[name] : undefined;
      return Array.isArray(value) ? value.map(String).toSorted() : value;
    };
    expectSame('the scopes', listed('scopes_supported'), ALL_SCOPES.split(' ').toSorted());
    expectSame('the PKCE methods', listed('code_challenge_methods_supported'), ['S256']);
  }),
];
