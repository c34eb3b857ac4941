import assert from 'node:assert/strict';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import type { FastifyInstance } from 'fastify';
import { CHROMIUM_PATH, withChromium } from '../../test/chromium.ts';
import { silentLog } from '../base/log.ts';
import { Drain } from '../http/drain.ts';
import { createHttpServer } from '../http/server.ts';
import { registerDocs } from './routes.ts';

/** The first bytes of a PNG. */
const PNG = Buffer.from('89504e470d0a1a0a00', 'hex');

/** Starts a server that serves only the pages of a folder. */
async function serve(folder?: string): Promise<{ app: FastifyInstance; origin: string }> {
  const app = createHttpServer({
    log: silentLog(),
    drain: new Drain(),
    publicUrl: 'http://127.0.0.1',
    metrics: null,
    trustProxy: false,
    isUnavailable: () => false,
  });
  registerDocs(app, folder === undefined ? undefined : pathToFileURL(`${folder}/`));
  return { app, origin: await app.listen({ port: 0, host: '127.0.0.1' }) };
}

describe('GET /docs', () => {
  const folder = mkdtempSync(join(tmpdir(), 'cardport-test-'));
  let app: FastifyInstance;
  let origin: string;
  before(async () => {
    writeFileSync(
      join(folder, 'README.md'),
      '# All\n\n## Apps\n\n- [One](one.md)\n- [Two](two.md)\n',
    );
    writeFileSync(join(folder, 'one.md'), '# One\n\n## A\n\n## B\n\n[two](two.md#b)\n');
    writeFileSync(join(folder, 'two.md'), '# Two\n\n## B\n');
    writeFileSync(join(folder, 'README.ja.md'), '# 一覧\n\n## アプリ\n\n- [一](one.ja.md)\n');
    writeFileSync(join(folder, 'one.ja.md'), '# 一\n\n## あ\n\n## い\n\n[一覧](README.ja.md)\n');
    writeFileSync(join(folder, 'secret.txt'), 'secret');
    mkdirSync(join(folder, 'images'));
    writeFileSync(join(folder, 'images/seen.png'), PNG);
    writeFileSync(join(folder, 'images/secret.svg'), '<svg/>');
    ({ app, origin } = await serve(folder));
  });
  after(async () => {
    await app.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const ask = async (path: string, headers: Record<string, string> = {}): Promise<Response> =>
    await fetch(`${origin}${path}`, { headers, redirect: 'manual' });

  it('GET /docs shows a page with links to the previous and next pages', async () => {
    const answer = await ask('/docs/one');
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get('content-type'), 'text/html; charset=utf-8');
    const text = await answer.text();
    assert.match(text, /<html lang="en">/);
    assert.match(text, /<article lang="en"><h1 id="one">One<\/h1>/);
    assert.match(text, /<a href="\/docs\/two#b">two<\/a>/);
    assert.match(text, /href="\/docs\/one" aria-current="page"/);
    assert.match(text, /rel="prev" href="\/docs"/);
    assert.match(text, /rel="next" href="\/docs\/two"/);
    assert.match(text, /<a href="#a">A<\/a>/);
    assert.match(text, /href="\/docs\/reference"/);
    assert.doesNotMatch(await (await ask('/docs')).text(), /rel="prev"/);
    assert.doesNotMatch(await (await ask('/docs/two')).text(), /rel="next"/);
  });

  it('a Japanese browser gets the page and the navigation in Japanese', async () => {
    const text = await (await ask('/docs/one', { 'accept-language': 'ja' })).text();
    assert.match(text, /<html lang="ja">/);
    assert.match(text, /<article lang="ja"><h1 id="一">一<\/h1>/);
    assert.match(text, /aria-label="「あ」へのリンク"/);
    assert.match(text, /<h2 lang="ja">アプリ<\/h2>/);
    assert.match(text, /<ul lang="ja">\s*<li class="section"><a href="#あ">あ<\/a>/);
    assert.match(text, /href="\/docs\/one" aria-current="page">一</);
    assert.match(text, /rel="prev" href="\/docs"[^>]*><small>[^<]*<\/small><span lang="ja">一覧</);
    assert.match(text, /<a href="\/docs">一覧<\/a>/);
    assert.match(text, /href="\/docs\/one\.ja\.md"/);
    assert.match(text, /このページの内容/);
  });

  it('an untranslated page is shown in English with Japanese navigation', async () => {
    const text = await (await ask('/docs/two', { 'accept-language': 'ja' })).text();
    assert.match(text, /<html lang="ja">/);
    assert.match(text, /<article lang="en"><h1 id="two">/);
    assert.match(text, /<h2 lang="ja">アプリ<\/h2>/);
    assert.doesNotMatch(text, /hreflang/);
  });

  it('the reader can switch the language of a translated page; otherwise it follows the console’s language', async () => {
    const japanese = { 'accept-language': 'ja' };
    const cookie = { cookie: 'cardport_language=ja' };
    for (const [path, headers, language] of [
      ['/docs/one', {}, 'en'],
      ['/docs/one', japanese, 'ja'],
      ['/docs/one', cookie, 'ja'],
      ['/docs/one', { ...japanese, cookie: 'cardport_language=en' }, 'en'],
      ['/docs/one?lang=ja', {}, 'ja'],
      ['/docs/one?lang=en', { ...japanese, ...cookie }, 'en'],
      ['/docs/one?lang=fr', japanese, 'ja'],
      ['/docs/one?lang=en&lang=ja', japanese, 'ja'],
    ] as const) {
      const text = await (await ask(path, headers)).text();
      assert.match(text, new RegExp(`<article lang="${language}">`), path);
      const other = language === 'ja' ? 'en' : 'ja';
      assert.ok(text.includes(`href="/docs/one?lang=${other}" lang="${other}"`), path);
    }
  });

  it('a page allows only its own script and style', async () => {
    const answer = await ask('/docs');
    const policy = answer.headers.get('content-security-policy') ?? '';
    assert.match(policy, /^default-src 'none'; style-src 'sha256-[^']+'; script-src 'self';/);
    assert.doesNotMatch(policy, /unsafe|\*|https?:/);
    assert.doesNotMatch(await answer.text(), /<script>|<script [^>]*>[^<]|style="/);
  });

  it('the response is 304 to the current ETag of each encoding and language', async () => {
    for (const headers of [{}, { 'accept-encoding': 'gzip' }, { 'accept-language': 'ja' }]) {
      const plain = { 'accept-encoding': 'identity', ...headers };
      const first = await ask('/docs/one', plain);
      const etag = first.headers.get('etag') ?? '';
      assert.match(etag, /^"[\w-]{22}(?:-gzip)?"$/);
      assert.equal(first.headers.get('vary'), 'accept-encoding, accept-language, cookie');
      const second = await ask('/docs/one', { ...plain, 'if-none-match': etag });
      assert.equal(second.status, 304);
      assert.equal(second.headers.get('etag'), etag);
      assert.equal(await second.text(), '');
      const other = await ask('/docs/one', { ...plain, 'if-none-match': '"other"' });
      assert.equal(other.status, 200);
      assert.equal(await other.text(), await first.text());
    }
    const tags = await Promise.all(
      ['en', 'ja'].map(async (language) => {
        const answer = await ask('/docs/one', { 'accept-language': language });
        return answer.headers.get('etag');
      }),
    );
    assert.notEqual(tags[0], tags[1]);
  });

  it('the images of the pages are served, but no other file in their folder', async () => {
    const answer = await ask('/docs/images/seen.png');
    assert.equal(answer.headers.get('content-type'), 'image/png');
    assert.equal(answer.headers.get('x-content-type-options'), 'nosniff');
    assert.match(answer.headers.get('content-security-policy') ?? '', /img-src 'self' data:;/);
    assert.deepEqual(Buffer.from(await answer.bytes()), PNG);
    for (const path of ['secret.svg', 'gone.png', '..%2fone.md', '%2e%2e%2fsecret.txt', '']) {
      assert.equal((await ask(`/docs/images/${path}`)).status, 404, path);
    }
  });

  it('a page is compressed if the client accepts compression', async () => {
    for (const [accepted, coding] of [
      ['gzip', 'gzip'],
      ['br, gzip;q=0.5', 'gzip'],
      ['*', 'gzip'],
      ['gzip;q=0', null],
      ['gzip; q=0.0, br', null],
      ['gzip;q=0, *', null],
      ['*;q=0, gzip', 'gzip'],
      ['br', null],
      ['identity', null],
    ] as const) {
      const answer = await ask('/docs/one', { 'accept-encoding': accepted });
      assert.equal(answer.headers.get('content-encoding'), coding, accepted);
      assert.match(await answer.text(), /<h1 id="one">/);
    }
  });

  it('the response to HEAD is that to GET without the body', async () => {
    const [get, head] = await Promise.all(
      ['GET', 'HEAD'].map(async (method) => await fetch(`${origin}/docs/one`, { method })),
    );
    assert.equal(head?.status, 200);
    for (const name of ['etag', 'content-length', 'content-type', 'content-encoding']) {
      assert.equal(head?.headers.get(name), get?.headers.get(name), name);
    }
    assert.equal(await head?.text(), '');
  });

  it('the Markdown source and the script are served', async () => {
    const source = await ask('/docs/one.md');
    assert.equal(source.headers.get('content-type'), 'text/markdown; charset=utf-8');
    assert.match(await source.text(), /^# One\n/);
    assert.match(await (await ask('/docs/one.ja.md')).text(), /^# 一\n/);
    const script = await ask('/docs/assets/docs.js');
    assert.equal(script.headers.get('content-type'), 'text/javascript; charset=utf-8');
  });

  it('an address with a trailing slash is redirected', async () => {
    const answer = await ask('/docs/');
    assert.equal(answer.status, 308);
    assert.equal(answer.headers.get('location'), '/docs');
  });

  it('only pages of the docs folder are served, and no file outside it', async () => {
    for (const path of [
      '/docs/three',
      '/docs/README',
      '/docs/one.ja',
      '/docs/two.ja.md',
      '/docs/one.ja.ja.md',
      '/docs/secret.txt',
      '/docs/secret',
      '/docs/..%2fsecret',
      '/docs/%2e%2e%2fpackage',
      '/docs/..%2f..%2fREADME.md',
      '/docs/one%00',
      '/docs/__proto__',
      '/docs/one/more',
      '/docs/.md',
    ]) {
      const answer = await ask(path);
      assert.equal(answer.status, 404, path);
      assert.deepEqual(await answer.json(), { error: 'not_found' }, path);
    }
  });

  it('a browser gets an error page in its language', async () => {
    const answer = await ask('/docs/three', { accept: 'text/html', 'accept-language': 'ja' });
    assert.equal(answer.status, 404);
    assert.match(answer.headers.get('content-type') ?? '', /^text\/html/);
    assert.match(await answer.text(), /ページが見つかりません[\s\S]*href="\/docs"/);
  });

  it('no file is read for a page that was served before', async () => {
    const first = await (await ask('/docs/one')).text();
    const moved = mkdtempSync(join(tmpdir(), 'cardport-test-'));
    cpSync(folder, moved, { recursive: true });
    rmSync(folder, { recursive: true });
    try {
      const again = await ask('/docs/one');
      assert.equal(await again.text(), first);
    } finally {
      cpSync(moved, folder, { recursive: true });
      rmSync(moved, { recursive: true });
    }
  });
});

describe('the pages of docs/ in a browser', { skip: CHROMIUM_PATH === undefined }, () => {
  let app: FastifyInstance;
  let origin: string;
  before(async () => {
    ({ app, origin } = await serve());
  });
  after(async () => {
    await app.close();
  });

  it('the pages fit narrow and wide windows, and do not violate the Content-Security-Policy', async () => {
    for (const locale of ['en-GB', 'ja-JP'] as const) {
      await withChromium({ locale, width: 320 }, async (context) => {
        const page = await context.newPage();
        const complaints: string[] = [];
        page.on('console', (message) => {
          if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
        });
        page.on('pageerror', (error) => complaints.push(String(error)));
        page.on('request', (request) => {
          if (!request.url().startsWith(`${origin}/docs`)) complaints.push(request.url());
        });
        let width = 320;
        const fits = async (path: string): Promise<void> => {
          const wide = await page.evaluate('document.documentElement.scrollWidth');
          assert.equal(wide, width, `${path} is wider than the window`);
        };
        const paths = ['/docs'];
        for (let path = paths[0]; path !== undefined; path = paths.at(-1)) {
          await page.goto(`${origin}${path}`);
          await fits(path);
          // Alternate the order of the widths, so that the window is resized once per page.
          width = 320 + 1_280 - width;
          await page.setViewportSize({ width, height: 900 });
          await fits(path);
          const next = await page.evaluate(
            "document.querySelector('a[rel=next]')?.getAttribute('href') ?? null",
          );
          if (typeof next !== 'string') break;
          paths.push(next);
        }
        assert.ok(paths.length > 10, `only ${paths.length} pages were reached`);
        assert.deepEqual(complaints, []);
      });
    }
  });

  it('a button copies a code block unchanged', async () => {
    await withChromium({ locale: 'en-GB', width: 1_280 }, async (context) => {
      await context.grantPermissions(['clipboard-read', 'clipboard-write']);
      const page = await context.newPage();
      await page.goto(`${origin}/docs/syncing`);
      const figure = page.locator('.code').first();
      await figure.hover();
      await figure.locator('.copy').click();
      await figure.locator('.copy.done').waitFor();
      const copied = await page.evaluate('navigator.clipboard.readText()');
      assert.equal(copied, (await figure.locator('code').textContent())?.replace(/\n$/, ''));
    });
  });
});
