import { globSync, readFileSync } from 'node:fs';
import { Marked } from 'marked';
import { renderMarkdown } from '../src/docs/markdown.ts';

export interface LinkedFile {
  /** The path of the file, relative to the root of the repository. */
  readonly path: string;
  /** The anchors of its headings. */
  readonly anchors: ReadonlySet<string>;
  /** The targets of its links and images, as written. */
  readonly links: readonly string[];
}

/** Patterns of the Markdown files whose links are checked. */
const FILES = [
  '*.md',
  'docs/*.md',
  'decisions/*.md',
  'client/README.md',
  'conformance/README.md',
  'deploy/README.md',
  'examples/*/README.md',
];

/** Reads the headings and links of all files. `root` ends in a slash. */
export function readLinkedFiles(root: string): LinkedFile[] {
  return globSync(FILES, { cwd: root })
    .toSorted()
    .map((path) => {
      const markdown = readFileSync(`${root}${path}`, 'utf8');
      const { headings } = renderMarkdown(markdown, new Map());
      const anchors = new Set(headings.map(({ id }) => id));
      return { path, anchors, links: findLinks(markdown) };
    });
}

export function findLinks(markdown: string): string[] {
  const links: string[] = [];
  const marked = new Marked();
  void marked.walkTokens(marked.lexer(markdown), (token) => {
    if (token.type !== 'link' && token.type !== 'image') return;
    links.push(String(token['href']));
  });
  return links;
}
