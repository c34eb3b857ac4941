import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { html } from 'hono/html';
import { renderPage } from './page.ts';

describe('pages', () => {
  const options = {
    status: 200,
    language: 'en',
    title: '<T> & "t"',
    content: html`<p>${'<b>'}</p>`,
  } as const;

  it('pages escape their values', async () => {
    const { body } = await renderPage(options);
    assert.match(body, /<title>&lt;T&gt; &amp; &quot;t&quot; · Cardport<\/title>/);
    assert.match(body, /<p>&lt;b&gt;<\/p>/);
  });

  it('pages have a Content-Security-Policy that allows their style element and no script', async () => {
    const { headers } = await renderPage(options);
    const policy = headers['content-security-policy'] ?? '';
    assert.match(
      policy,
      /^default-src 'none'; style-src 'sha256-[A-Za-z0-9+/]{43}='; form-action 'self'; frame-ancestors 'none'; base-uri 'none'$/,
    );
  });

  it('the policy of a page has the hash of exactly the style that the page contains', async () => {
    const { headers, body } = await renderPage(options);
    const style = /<style>([\s\S]*)<\/style>/.exec(body)?.[1] ?? '';
    const hash = createHash('sha256').update(style).digest('base64');
    assert.equal(headers['content-security-policy']?.includes(`'sha256-${hash}'`), true);
  });

  for (const [target, source] of [
    ['https://app.example/callback?x=1', 'https://app.example'],
    ['http://127.0.0.1:3000/cb', 'http://127.0.0.1:3000'],
    ['http://[::1]:3000/cb', 'http:'],
  ] as const) {
    it(`pages allow the response to a form to redirect to ${target}`, async () => {
      const { headers } = await renderPage({ ...options, formTarget: target });
      const policy = headers['content-security-policy'] ?? '';
      assert.equal(policy.includes(`form-action 'self' ${source};`), true);
    });
  }
});
