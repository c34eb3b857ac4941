import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { errorForResponse, errorForCode } from './response-error.ts';
import { UnknownCodeError } from './errors.ts';
import { containsSecret, redactSecrets } from './redact.ts';

const DOCS = 'https://cards.example/docs/errors';

describe('external text in an error', () => {
  it('external text in an error contains no secret in any encoding', () => {
    for (const text of [
      'cpr_hidden',
      'xcpr_hidden',
      'grant:cpr%5Fhidden',
      'code%3Dcpc_hidden',
      'at /callback?code=hidden&state=hidden',
      '%26code%3Dhidden',
      '?x=1%26refresh_token%3Dhidden',
      'Bearer hidden',
      'Basic%20hidden',
      'whsec_hid+den/hidden=',
      '{"access_token":"hidden","id_token": "hidden"}',
      "{'client_secret': 'hid den'}",
      String.raw`{\"refresh_token\":\"hidden\"}`,
      'Authorization: Bearer\nhidden',
    ]) {
      const shown = redactSecrets(text);
      assert.equal(shown.includes('hidden') || shown.includes('den'), false, shown);
      assert.match(shown, /\[secret\]/u, text);
    }
  });

  it('external text in an error is one line of at most 300 characters', () => {
    const forged = 'no\r\n2026-06-01 INFO all is well\u2028\u2029\u0000\u001B[2Jend';
    assert.equal(redactSecrets(forged), 'no 2026-06-01 INFO all is well [2Jend');
    assert.equal(redactSecrets('x'.repeat(301)).length, 301);
  });

  it('external text without secrets or line breaks is unchanged', () => {
    for (const text of [
      'fetch failed: connect ECONNREFUSED 127.0.0.1:1 (ECONNREFUSED)',
      'the code is used up; state: over',
      '名前 code and token',
      'statuscode=500',
    ]) {
      assert.equal(redactSecrets(text), text);
      assert.equal(containsSecret(text), false);
    }
  });
});

describe('an error', () => {
  it('an error drops a code, id or URL that is a secret', () => {
    const headers = new Headers({
      'x-request-id': 'cpr_hidden',
      link: '<https://cards.example/docs?token=cpa_hidden>; rel="help"',
    });
    const bytes = new TextEncoder().encode(JSON.stringify({ error: 'cpr_hidden' }));
    const error = errorForResponse({ status: 400, headers, bytes }, DOCS, 0);
    assert.deepEqual(
      [error.code, error.requestId, error.help, error.message],
      ['status_400', null, null, 'status_400 (status 400)'],
    );
    assert.equal(errorForCode('cpc_hidden').code, 'unknown_code');
    const made = new UnknownCodeError('x', { requestId: 'cpa_hidden', help: `${DOCS}#cps_hidden` });
    assert.deepEqual([made.requestId, made.help, made.message], [null, null, 'x']);
  });

  it('an error keeps an id and a URL without a secret', () => {
    const headers = new Headers({ 'x-request-id': 'req-1', link: `<${DOCS}#x>; rel="help"` });
    const bytes = new TextEncoder().encode('{"error":"invalid_request"}');
    const error = errorForResponse({ status: 400, headers, bytes }, DOCS, 0);
    assert.deepEqual([error.requestId, error.help], ['req-1', `${DOCS}#x`]);
  });
});
