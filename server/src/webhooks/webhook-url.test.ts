import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import fc from 'fast-check';
import { signedRequestTo, startReceiver } from '../../test/receiver.ts';
import { openGuardedSender } from '../delivery/guarded-sender.ts';
import { findWebhookUrlProblem, originForLog } from './webhook-url.ts';

const REDIRECT_URIS = [
  'https://app.example/callback',
  'https://other.example:8443/cb?x=1',
  'http://localhost:8090/callback',
  'http://127.0.0.1:8090/callback',
  'http://[::1]:8090/callback',
  'https://localhost/cb',
  'https://app.localhost/cb',
  'https://127.0.0.1/cb',
  'https://192.0.2.1/cb',
  'https://[2001:db8::1]/cb',
];

function accepts(url: string, allowsLoopback = false): boolean {
  return findWebhookUrlProblem(url, { redirectUris: REDIRECT_URIS, allowsLoopback }) === null;
}

function ofLength(length: number): string {
  return 'https://app.example/'.padEnd(length, 'a');
}

const ACCEPTED = [
  'https://app.example',
  'https://app.example/',
  'https://app.example/hook',
  "https://app.example/hook/v1/@me:x;y='1',2?tenant=1&a=/?!$()*+",
  'https://app.example?x',
  'https://app.example/%E3%82%AB',
  'https://app.example:443/hook',
  'https://app.example:/hook',
  'HTTPS://APP.example/Hook',
  'https://other.example:8443/hook',
  ofLength(2_048),
];

const REFUSED = [
  '',
  ' ',
  'hook',
  '/hook',
  '//app.example/hook',
  'https://',
  'https:///app.example/hook',
  'https:/app.example/hook',
  'https:app.example/hook',
  'https:\\\\app.example\\hook',
  'https://app.example\\@evil.example/',
  'https://app.example\\hook',
  'https://app.example/a\\b',
  // Another scheme.
  'http://app.example/hook',
  'wss://app.example/hook',
  'ftp://app.example/hook',
  'javascript:alert(1)',
  'data:text/plain,x',
  'file:///etc/passwd',
  'blob:https://app.example/uuid',
  // Another origin.
  'https://app.example:8443/hook',
  'https://other.example/hook',
  'https://sub.app.example/hook',
  'https://example/hook',
  'https://app.example.evil.example/hook',
  'https://app.example./hook',
  'https://app.example@evil.example/hook',
  'https://evil.example/https://app.example/',
  'https://аpp.example/hook',
  // Userinfo or a fragment, even if empty.
  'https://user@app.example/hook',
  'https://user:password@app.example/hook',
  'https://:@app.example/hook',
  'https://@app.example/hook',
  'https://app.example/hook#x',
  'https://app.example/hook#',
  'https://app.example#',
  // Characters that a URL parser would trim, strip or encode.
  ' https://app.example/hook',
  'https://app.example/hook ',
  'https://app.example/ho ok',
  'https://app.example/ho\tok',
  'https://app.ex\nample/hook',
  'https://app.example/hook\r\n',
  'https://app.example/hook\0',
  'https://app.example/カード',
  'https://カード.example/hook',
  'https://app.example/\ud800',
  'https://app.example/\u007f',
  'https://app.example/"x"',
  'https://app.example/<x>',
  'https://app.example/{x}',
  'https://app.example/[x]',
  'https://app.example/x|y',
  'https://app.example/x^y',
  'https://app.example/x`y',
  'https://app.example/?x=[1]',
  'https://app.example/%',
  'https://app.example/%zz',
  'https://app%2eexample/hook',
  // Dot segments, which a URL parser resolves.
  'https://app.example/a/../b',
  'https://app.example/./b',
  'https://app.example/%2e%2e/b',
  // URLs that a URL parser would change: it encodes the apostrophe as %27 and drops an empty query.
  "https://app.example/hook?a='b'",
  "https://app.example?'",
  'https://app.example/hook?',
  'https://app.example?',
  // IP addresses and loopback names are refused even if they are redirect URIs.
  'https://localhost/cb',
  'https://LOCALHOST/cb',
  'https://localhost./cb',
  'https://app.localhost/cb',
  'https://app.localhost./cb',
  'https://127.0.0.1/cb',
  'https://127.1/cb',
  'https://2130706433/cb',
  'https://0x7f000001/cb',
  'https://0x7f.0.0.1/cb',
  'https://0177.0.0.1/cb',
  'https://192.0.2.1/cb',
  'https://192.0.2.1./cb',
  'https://3221225985/cb',
  'https://0xc0000201/cb',
  'https://0300.0.2.1/cb',
  'https://[2001:db8::1]/cb',
  'https://[2001:DB8:0::1]/cb',
  'https://[::ffff:192.0.2.1]/cb',
  'https://[fe80::1%25eth0]/cb',
  'http://localhost:8090/hook',
  'http://127.0.0.1:8090/hook',
  'http://[::1]:8090/hook',
  ofLength(2_049),
  ofLength(100_000),
];

/** Accepted only with ALLOW_LOOPBACK_WEBHOOKS. */
const ALSO_ACCEPTED = [
  'http://localhost:8090/hook',
  'http://127.0.0.1:8090/hook',
  'http://[::1]:8090/hook',
  'https://localhost/cb',
  'https://127.0.0.1/cb',
];

describe('the URL of a webhook (spec 4.10, decision 0100)', () => {
  it('a webhook URL may have any path and query at the origin of a redirect URI', () => {
    for (const url of ACCEPTED) assert.ok(accepts(url), url);
    for (const url of ACCEPTED) assert.ok(accepts(url, true), url);
  });

  it('a webhook URL with another scheme, origin or form is refused', () => {
    for (const url of REFUSED) assert.equal(accepts(url), false, url.slice(0, 100));
  });

  it('the host may be localhost, 127.0.0.0/8 or ::1 only with ALLOW_LOOPBACK_WEBHOOKS', () => {
    for (const url of ALSO_ACCEPTED) {
      assert.deepEqual([accepts(url), accepts(url, true)], [false, true]);
    }
    const more = [
      'http://localhost:8091/hook',
      'https://localhost:8090/hook',
      'http://127.0.0.2:8090/hook',
      'http://127.1:8090/hook',
      'http://2130706433:8090/hook',
      'http://[0:0::1]:8090/hook',
      'http://localhost.:8090/hook',
    ];
    const refused = REFUSED.filter((url) => !ALSO_ACCEPTED.includes(url));
    const still = refused.filter((url) => url !== 'https://LOCALHOST/cb');
    for (const url of [...more, ...still]) {
      assert.equal(accepts(url, true), false, url.slice(0, 100));
    }
  });

  it('a webhook URL is refused for an app without redirect URIs', () => {
    const rules = { redirectUris: [], allowsLoopback: true };
    for (const url of ACCEPTED) assert.notEqual(findWebhookUrlProblem(url, rules), null, url);
  });

  const ajv = new Ajv2020();
  formats.default(ajv);
  const isUri = ajv.compile({ type: 'string', format: 'uri' });

  it('every accepted URL is an https URI (RFC 3986) with the app’s origin', () => {
    const piece = fc.oneof(
      fc.constantFrom(
        'https://',
        'http://',
        'app.example',
        '@',
        ':',
        '/',
        '\\',
        '#',
        '?',
        '..',
        '%2e',
      ),
      fc.constantFrom('localhost', '127.0.0.1', '[::1]', ':443', '%', ' ', '\t', 'ａ', '１', '。'),
      fc.string({ maxLength: 4 }),
      fc.webPath(),
    );
    const composed = fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join(''));
    const begun = composed.map((rest) => `https://app.example${rest}`);
    let accepted = 0;
    fc.assert(
      fc.property(fc.oneof(composed, begun, fc.webUrl()), (url) => {
        if (!accepts(url)) return;
        accepted += 1;
        assert.ok(isUri(url), url);
        const { protocol, origin, username, hash } = new URL(url);
        assert.deepEqual(
          [protocol, origin, username, hash],
          ['https:', 'https://app.example', '', ''],
        );
        assert.match(url, /^[\u0021-\u007e]{1,2048}$/);
        assert.doesNotMatch(url, /[\\#]/);
      }),
      { numRuns: 1_000 },
    );
    assert.ok(accepted > 10, `${accepted} were accepted`);
  });

  it('every accepted URL is called with exactly the path and query that were sent', () => {
    const unit = fc.oneof(
      fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)),
      fc.constantFrom('%27', '%2f', '%2E', '/', '?', '&', '..', 'あ'),
    );
    const rest = fc.array(unit, { maxLength: 8 }).map((units) => units.join(''));
    const begin = fc.constantFrom('https://app.example', 'HTTPS://App.example:443');
    const target = fc.oneof(
      fc.constantFrom('', '/', '?'),
      fc.tuple(fc.constantFrom('/', '?', '/hook?'), rest).map((parts) => parts.join('')),
    );
    let accepted = 0;
    fc.assert(
      fc.property(begin, target, (authority, sent) => {
        const url = `${authority}${sent}`;
        if (!accepts(url)) return;
        accepted += 1;
        const { pathname, search } = new URL(url);
        assert.equal(`${pathname}${search}`, sent.startsWith('/') ? sent : `/${sent}`);
      }),
      { numRuns: 1_000 },
    );
    assert.ok(accepted > 100, `${accepted} were accepted`);
  });

  it('a URL with every allowed character reaches its receiver as it was sent', async () => {
    const seen: (string | undefined)[] = [];
    await using receiver = await startReceiver((request, response) => {
      seen.push(request.url);
      response.end();
    });
    const origin = `http://127.0.0.1:${receiver.port}`;
    const rules = { redirectUris: [origin], allowsLoopback: true };
    const typed = Array.from({ length: 0x7f - 0x21 }, (_, n) => String.fromCharCode(0x21 + n))
      .flatMap((character) => [`/a${character}b`, `/?a=${character}b`])
      .filter((path) => findWebhookUrlProblem(`${origin}${path}`, rules) === null);
    // The unreserved characters, the sub-delims, and `:`, `@` and `/` (RFC 3986 §3.3 and §3.4). An
    // apostrophe is refused in a query. `?` is accepted after the path, where it starts the query,
    // and in a query.
    assert.equal(typed.length, 2 * (66 + 11 + 3) - 1 + 2);
    const sender = openGuardedSender({ allowsLoopback: true });
    for (const path of typed) {
      await sender.send(signedRequestTo(`${origin}${path}`), new AbortController().signal);
    }
    await sender.close();
    assert.deepEqual(seen, typed);
  });
});

describe('the loggable part of a refused URL', () => {
  for (const [url, origin] of [
    ['http://app.example/hook?x=1#y', 'http://app.example'],
    ['https://user:password@app.example:8443/hook', 'https://app.example:8443'],
    ['https://app.example:443/', 'https://app.example'],
    [`https://${'a'.repeat(2_100)}/hook`, `https://${'a'.repeat(262)}`],
    ['data:text/plain,x', null],
    ['hook', null],
    ['', null],
  ] as const) {
    it(`the loggable part is ${origin?.slice(0, 30)} for "${url.slice(0, 50)}"`, () => {
      assert.equal(originForLog(url), origin);
    });
  }
});
