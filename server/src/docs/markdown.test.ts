import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { HeadingIds, renderMarkdown } from './markdown.ts';
import { readNavigation } from './navigation.ts';
import { resolveLink } from './page-link.ts';

const PAGES = new Map([
  ['README', 'Docs'],
  ['errors', 'Errors & causes'],
  ['syncing', 'Syncing'],
]);

function render(markdown: string): string {
  return renderMarkdown(markdown, PAGES).html;
}

describe('anchors of headings', () => {
  it('anchors of headings are those of GitHub', () => {
    const ids = new HeadingIds();
    for (const [text, id] of [
      ['invalid_token', 'invalid_token'],
      ['410: start again', '410-start-again'],
      ["The shop's `id`, again", 'the-shops-id-again'],
      ['A  B', 'a--b'],
      ['在庫の同期', '在庫の同期'],
      ['Again', 'again'],
      ['Again', 'again-1'],
      ['Again 1', 'again-1-1'],
      ['Again', 'again-2'],
    ] as const) {
      assert.equal(ids.next(text), id, text);
    }
  });

  it('anchors are made from the text of a heading without its markup', () => {
    const { headings, html } = renderMarkdown('# A\n\n## `a<b>` & *c*\n', PAGES);
    assert.deepEqual(headings[1], { depth: 2, id: 'ab--c', text: 'a<b> & c' });
    assert.match(
      html,
      /<h2 id="ab--c"><code>a&lt;b&gt;<\/code> &amp; <em>c<\/em> <a class="anchor"/,
    );
  });
});

describe('the markup of a page', () => {
  it('a page shows HTML as text, and omits comments', () => {
    const html = render(
      'a <img src=x onerror=alert(1)> b\n\n<script>alert(1)</script>\n\n<!-- c -->\n',
    );
    assert.doesNotMatch(html, /<(?:img|script)/);
    assert.match(html, /&lt;img src=x/);
    assert.match(html, /&lt;script&gt;/);
    assert.doesNotMatch(html, /c --/);
  });

  it('a page shows images from docs/images, and only the alternative text of other images', () => {
    const html = render(
      '![a "b"](images/x-1.png) ![c](https://x.example/y.png) ![d](../y.png) ![e](images/../y.png)',
    );
    assert.match(
      html,
      /<img src="\/docs\/images\/x-1\.png" alt="a &quot;b&quot;" loading="lazy"> c d e/,
    );
  });

  it('a page has no link that runs code', () => {
    const html = render(
      '[a](javascript:alert(1)) [b](data:text/html,x) [c](//evil.example/) <vbscript:x>',
    );
    assert.doesNotMatch(html, /href/);
  });

  it('attributes and code are escaped', () => {
    const html = render(
      '[a](</docs/"><b>>)\n\n```ts file="<x>.ts"\nconst a = "<b>";\n```\n\n```\n<i>\n```\n',
    );
    assert.doesNotMatch(html, /<[bix]>/);
    assert.match(html, /<figcaption>&lt;x&gt;\.ts<\/figcaption>/);
    assert.match(html, /<span class="hljs-string">&quot;&lt;b&gt;&quot;<\/span>/);
  });

  it('a link shows the title of a linked page, or the path of a linked file once', () => {
    const html = render(
      '[errors.md](errors.md#a) [x.md](errors.md)\n\n```ts file=a.ts\n// a.ts\n1;\n```\n',
    );
    assert.match(
      html,
      /<a href="\/docs\/errors#a">Errors &amp; causes<\/a> <a href="\/docs\/errors">x.md</,
    );
    assert.match(html, /<figcaption>a.ts<\/figcaption><pre><code><span class="hljs-number">1</);
  });

  it('a page has no inline style and no event handler', () => {
    assert.doesNotMatch(
      render('| a |\n|:-:|\n| b |\n\n```json\n{"a": 1}\n```\n'),
      /style=|onclick/,
    );
  });

  it('a table is wrapped in a scrolling element, and its empty head is removed', () => {
    const html = render('| | |\n|---|---|\n| a | b |\n');
    assert.match(html, /<div class="table"><table>\s*<tbody>/);
    assert.doesNotMatch(html, /thead/);
  });
});

describe('links of a page', () => {
  for (const [href, link] of [
    ['#a', { kind: 'here', href: '#a' }],
    ['errors.md#invalid_token', { kind: 'here', href: '/docs/errors#invalid_token' }],
    ['./README.md', { kind: 'here', href: '/docs' }],
    ['../docs/syncing.md', { kind: 'here', href: '/docs/syncing' }],
    ['syncing.ja.md#x', { kind: 'here', href: '/docs/syncing#x' }],
    ['/docs/reference', { kind: 'here', href: '/docs/reference' }],
    ['http://127.0.0.1:8080/docs/reference', { kind: 'here', href: '/docs/reference' }],
    ['../client/README.md', { kind: 'repository', path: 'client/README.md' }],
    ['images/board-boosts.png', { kind: 'repository', path: 'docs/images/board-boosts.png' }],
    ['gone.md', { kind: 'repository', path: 'docs/gone.md' }],
    [
      'https://www.rfc-editor.org/rfc/rfc9700',
      { kind: 'elsewhere', href: 'https://www.rfc-editor.org/rfc/rfc9700' },
    ],
    ['javascript:alert(1)', { kind: 'none' }],
    ['//evil.example/', { kind: 'none' }],
  ] as const) {
    it(`${href} is ${link.kind}`, () => {
      assert.deepEqual(resolveLink(href, PAGES), link);
    });
  }
});

describe('the navigation', () => {
  it('the navigation has the groups and pages of docs/README.md in their order', () => {
    const markdown = `# Docs

See [errors](errors.md) too.

## Apps

- [Syncing](syncing.md): [errors](errors.md) are elsewhere
- [Reference](/docs/reference)
- [The client](../client/README.md)

## Shops

1. [Errors](errors.md)
`;
    assert.deepEqual(readNavigation(markdown, PAGES), [
      {
        title: 'Apps',
        entries: [
          { href: '/docs/syncing', title: 'Syncing' },
          { href: '/docs/reference', title: 'Reference' },
        ],
      },
      { title: 'Shops', entries: [{ href: '/docs/errors', title: 'Errors' }] },
    ]);
  });
});
