import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { describeRedirectUriProblem } from './redirect-uri.ts';

describe('a redirect URI', () => {
  for (const uri of [
    'https://client.example',
    'https://client.example/',
    'https://client.example/cb?a=../b',
    'https://client.example/a..b/.c/d.',
    'https://client.example/%2F/cb*',
    'https://client.example:8443/cb',
    'HTTPS://Client.Example/CB',
    'http://127.0.0.1:8090/callback',
    'http://localhost/callback',
    'http://[::1]:1/cb',
  ]) {
    it(`may be ${uri}`, () => assert.equal(describeRedirectUriProblem(uri), null));
  }

  for (const [uri, reason] of [
    ['https://client.example/../cb', /: write it as https:\/\/client\.example\/cb$/],
    ['https://client.example/a/./cb', /: write it as https:\/\/client\.example\/a\/cb$/],
    ['https://client.example/a/%2e%2E/cb', /: write it as https:\/\/client\.example\/cb$/],
    ['https://client.example/a/..?x=1', /: write it as https:\/\/client\.example\/\?x=1$/],
    ['https://client.example\\cb', /: write it as https:\/\/client\.example\/cb$/],
    ['https://client.example\\@other.example/', /: write it as /],
    ['https://*.example/cb', /a \* in its host/],
    ['https://%2A.example/cb', /a \* in its host/],
    ['https://client.example/cb#', /must not have a fragment/],
    ['https://user@client.example/cb', /must not contain a user name/],
    ['http://client.example/cb', /must use https/],
    ['client.example/cb', /must be an absolute/],
    ['https://client.example/雲', /percent-encoded/],
    [`https://client.example/${'x'.repeat(2_026)}`, /at most 2048 characters/],
  ] as const) {
    it(`may not be ${uri.slice(0, 60)}`, () =>
      assert.match(describeRedirectUriProblem(uri) ?? '', reason));
  }
});
