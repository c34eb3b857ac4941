import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { describe, it } from 'node:test';
import { findLinks, type LinkedFile, readLinkedFiles } from '../../test/docs-links.ts';
import { seedShop, startTestService } from '../../test/service.ts';
import { openTestDatabase } from '../../test/test-database.ts';
import { ERROR_CODES } from '../http/errors.ts';
import { helpMessages } from '../oauth/messages.ts';
import { renderMarkdown } from './markdown.ts';
import { imagePath } from './page-link.ts';

const ROOT = new URL('../../..', import.meta.url).pathname;
const files = readLinkedFiles(ROOT);
const byPath = new Map(files.map((file) => [file.path, file]));

/**
 * Returns why a link in a file is broken, or null if it is not. Another test checks links to paths
 * of the service.
 */
function findFault(file: LinkedFile, link: string): string | null {
  if (/^(?:https?|mailto):/.test(link)) return URL.canParse(link) ? null : 'it is no URL';
  if (/^[a-z][a-z\d+.-]*:/i.test(link)) return 'it is of no scheme that a reader follows';
  if (link.startsWith('/')) return null;
  const [target = '', anchor] = link.split('#');
  const path = posix.normalize(posix.join(posix.dirname(file.path), decodeURI(target)));
  const aim = target === '' ? file.path : path;
  if (aim.startsWith('..')) return 'it leads out of the repository';
  if (!byPath.has(aim) && !existsSync(`${ROOT}${aim}`)) return 'there is no such file';
  if (anchor === undefined) return null;
  const other = byPath.get(aim);
  if (other === undefined) return 'an anchor of a file whose headings nobody reads';
  return other.anchors.has(anchor) ? null : 'there is no such heading';
}

describe('the links in Markdown', () => {
  it('links lead to existing files and headings', () => {
    const faults = files.flatMap((file) =>
      file.links.flatMap((link) => {
        const fault = findFault(file, link);
        return fault === null ? [] : [`${file.path}: ${link}: ${fault}`];
      }),
    );
    assert.deepEqual(faults, []);
  });

  it('these tests find links, and detect broken links', () => {
    const links = findLinks(
      '# A\n\n[a](b.md#c), <https://x.example/>, ![p](q.png), `[no](no.md)`\n',
    );
    assert.deepEqual(links, ['b.md#c', 'https://x.example/', 'q.png']);
    const file = { path: 'docs/x.md', anchors: new Set(['here']), links };
    byPath.set(file.path, file);
    for (const [link, isFaulty] of [
      ['#here', false],
      ['#there', true],
      ['../README.md', false],
      ['gone.md', true],
      ['../../outside.md', true],
      ['../decisions/0001-addresses-names-and-objects.md#no-such-heading', true],
      ['https://x.example/a b', false],
      ['https://', true],
      ['javascript:void(0)', true],
    ] as const) {
      assert.equal(findFault(file, link) !== null, isFaulty, link);
    }
    byPath.delete(file.path);
  });
});

describe('the text of a page', () => {
  it('no line begins with a number such as “404.”, which would start a numbered list', () => {
    for (const page of globSync('docs/*.md', { cwd: ROOT })) {
      const { html } = renderMarkdown(readFileSync(`${ROOT}${page}`, 'utf8'), new Map());
      assert.doesNotMatch(html, /<ol start="\d{2,}"/, page);
    }
  });

  it('pages contain only images that /docs serves', () => {
    for (const page of globSync('docs/*.md', { cwd: ROOT })) {
      const markdown = readFileSync(`${ROOT}${page}`, 'utf8');
      for (const [, href = ''] of markdown.matchAll(/!\[[^\]]*\]\((\S+)\)/g)) {
        assert.notEqual(imagePath(href), null, `${page}: ${href}`);
      }
    }
  });
});

describe('docs/errors.md', () => {
  it('docs/errors.md has a section for every code, with the code as its heading', () => {
    const anchors = byPath.get('docs/errors.md')?.anchors ?? new Set();
    const codes = new Set<string>([...ERROR_CODES, ...oauthCodes()]);
    assert.deepEqual(
      [...codes].filter((code) => !anchors.has(code)),
      [],
    );
  });
});

/** Returns the OAuth codes in the SDK and in the service's code. */
function oauthCodes(): string[] {
  const client = readFileSync(`${ROOT}client/src/oauth-errors.ts`, 'utf8');
  const known = [...client.matchAll(/super\('([a-z_]+)'/g)].map(([, code = '']) => code);
  assert.ok(known.length > 5);
  const named = globSync(`${ROOT}server/src/oauth/*.ts`)
    .filter((path) => !path.endsWith('.test.ts'))
    .flatMap((path) => [...readFileSync(path, 'utf8').matchAll(/refusal\(\d+, '([a-z_]+)'/g)])
    .map(([, code = '']) => code);
  assert.ok(named.length > 0);
  return [...known, ...named];
}

describe('docs/README.md', () => {
  it('docs/README.md lists every page', () => {
    const listed = new Set(byPath.get('docs/README.md')?.links);
    const pages = globSync('*.md', { cwd: `${ROOT}docs` }).filter(
      (page) => page !== 'README.md' && !page.endsWith('.ja.md'),
    );
    assert.deepEqual(
      pages.filter((page) => !listed.has(page)),
      [],
    );
  });
});

describe('the help link of consent and error pages', () => {
  it('the help link leads to an existing section in each language', () => {
    for (const [language, page] of [
      ['en', 'docs/console.md'],
      ['ja', 'docs/console.ja.md'],
    ] as const) {
      assert.ok(byPath.get(page)?.anchors.has(helpMessages[language].section), page);
    }
  });
});

describe('the Japanese pages', () => {
  const translations = globSync('docs/*.ja.md', { cwd: ROOT });
  const originalOf = (page: string): string => page.replace('.ja.md', '.md');
  /** Returns what a translation must have in common with its original, in any order. */
  const outlineOf = (page: string): unknown => {
    const markdown = readFileSync(`${ROOT}${page}`, 'utf8');
    const { headings } = renderMarkdown(markdown, new Map());
    const links = findLinks(markdown).map((link) => link.replace(/-ja\.png$|\.ja(?=\.md)/, ''));
    const code = [...markdown.matchAll(/`((?:cardport |\/|[A-Z_]{4,})[^`]*)`/g)];
    return {
      headings: headings.map(({ depth }) => depth).toSorted((a, b) => a - b),
      tableRows: markdown.match(/^\|/gm)?.length,
      links: new Set(links.map((link) => link.replace(/\.png$/, ''))),
      code: new Set(code.map(([, text]) => text)),
    };
  };

  it('the Japanese pages have the same headings, table rows, links, settings and commands as the English pages', () => {
    assert.ok(translations.includes('docs/console.ja.md'));
    for (const page of translations) {
      assert.deepEqual(outlineOf(page), outlineOf(originalOf(page)), page);
    }
  });
});

describe('the pages at /docs', () => {
  it('the pages at /docs link only to existing pages and anchors', async () => {
    await using base = await openTestDatabase();
    await seedShop(base);
    await using service = await startTestService(base);
    const waiting = ['/', '/docs'];
    const ids = new Map<string, ReadonlySet<string>>();
    const anchors: [string, string][] = [];
    const seen = new Set(waiting);
    for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
      const headers = { accept: 'text/html' };
      const answer = await fetch(`${service.url}${path}`, { headers, redirect: 'manual' });
      const text = await answer.text();
      if (path === '/console') {
        // Pages of the console redirect to the sign-in page.
        assert.equal(answer.headers.get('location'), '/signin?next=%2Fconsole');
        continue;
      }
      assert.equal(answer.status, 200, path);
      if (path !== '/' && !/^\/docs(?:\/[^./]+)?(?:\?lang=\w+)?$/.test(path)) continue;
      ids.set(path, new Set([...text.matchAll(/ id="([^"]*)"/g)].map(([, id = '']) => id)));
      for (const [, href = ''] of text.matchAll(/(?:href|src)="([^"]*)"/g)) {
        const plain = href.replaceAll('&amp;', '&');
        if (/^(?:https?|mailto|data):/.test(plain)) {
          assert.ok(URL.canParse(plain), plain);
          continue;
        }
        const url = new URL(plain, `${service.url}${path}`);
        const target = `${url.pathname}${url.search}`;
        if (url.hash !== '') anchors.push([target, decodeURIComponent(url.hash.slice(1))]);
        if (!seen.has(target)) waiting.push(target);
        seen.add(target);
      }
    }
    for (const [path, anchor] of anchors) {
      assert.ok(ids.get(path)?.has(anchor), `${path}#${anchor}`);
    }
    for (const page of globSync('*.md', { cwd: `${ROOT}docs` })) {
      const [, name, translation] = /^([^.]+)(\.ja)?\.md$/.exec(page) ?? [];
      const path = name === 'README' ? '/docs' : `/docs/${name}`;
      const query = translation === undefined ? '' : '?lang=ja';
      assert.ok(seen.has(`${path}${query}`), `${page} is not reached`);
    }
    for (const path of ['/docs/reference', '/docs/reference?api=shop', '/docs/assets/docs.js']) {
      assert.ok(seen.has(path), `${path} is not linked`);
    }
  });
});
