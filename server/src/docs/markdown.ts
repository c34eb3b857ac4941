import { Marked, type RendererThis, type Tokens } from 'marked';
import { createRequire } from 'node:module';
import { unescapeHtml } from '../base/unescape-html.ts';
import { escapeHtml } from './escape-html.ts';
import type { Language } from '../html/language.ts';
import { docsMessages } from './messages.ts';
import { imagePath, resolveLink } from './page-link.ts';

export interface Heading {
  readonly depth: number;
  /** The same anchor as on GitHub. */
  readonly id: string;
  /** The text without markup, not escaped. */
  readonly text: string;
}

export interface Article {
  readonly title: string;
  /** The HTML of the page, in which all text is escaped. */
  readonly html: string;
  readonly headings: readonly Heading[];
}

/** Matches a table head with only empty cells. Markdown requires a head in every table. */
const EMPTY_HEAD = /<thead>\s*<tr>\s*(?:<th[^>]*><\/th>\s*)+<\/tr>\s*<\/thead>\s*/g;

/**
 * Renders GitHub's Markdown without inline scripts and styles, for a strict CSP. HTML is shown as
 * text. `pages` maps names to titles: a link whose text is a file name shows that page's title.
 */
export function renderMarkdown(
  markdown: string,
  pages: ReadonlyMap<string, string>,
  language: Language = 'en',
): Article {
  const headings: Heading[] = [];
  const ids = new HeadingIds();
  const marked = new Marked({ gfm: true });
  marked.use({
    renderer: {
      heading(token) {
        const { markup, heading } = renderHeading(token, this.parser, ids, language);
        headings.push(heading);
        return markup;
      },
      code: renderCode,
      link({ href, tokens }) {
        return renderLink(href, this.parser.parseInline(tokens), pages);
      },
      image({ href, text }) {
        const source = imagePath(href);
        const name = escapeHtml(text);
        return source === null ? name : `<img src="${source}" alt="${name}" loading="lazy">`;
      },
      html({ text }) {
        return escapeHtml(text.replaceAll(/<!--[\s\S]*?-->/g, '').trimEnd());
      },
    },
  });
  const html = marked
    .parse(markdown, { async: false })
    .replaceAll(EMPTY_HEAD, '')
    .replaceAll('<table>', '<div class="table"><table>')
    .replaceAll('</table>', '</table></div>');
  return { title: headings[0]?.text ?? '', html, headings };
}

function renderHeading(
  { depth, tokens }: Tokens.Heading,
  parser: RendererThis['parser'],
  ids: HeadingIds,
  language: Language,
): { readonly markup: string; readonly heading: Heading } {
  // The plain text renderer escapes code, so the text is unescaped.
  const text = unescapeHtml(parser.parseInline(tokens, parser.textRenderer));
  const id = ids.next(text);
  const anchor = escapeHtml(id);
  const label = escapeHtml(docsMessages[language].linkTo(text));
  const anchorLink =
    depth === 1 ? '' : ` <a class="anchor" href="#${anchor}" aria-label="${label}">#</a>`;
  const markup = `<h${depth} id="${anchor}">${parser.parseInline(tokens)}${anchorLink}</h${depth}>\n`;
  return { markup, heading: { depth, id, text } };
}

function renderCode({ text, lang }: Tokens.Code): string {
  const { language, options } = parseCodeInfo(lang ?? '');
  const file = options.get('file');
  const caption = file === undefined ? '' : `<figcaption>${escapeHtml(file)}</figcaption>`;
  const code = highlight(stripFileComment(text, file), language);
  return `<figure class="code">${caption}<pre><code>${code}</code></pre></figure>\n`;
}

/** A comment names the file of a code block on GitHub; our pages show the name above the code. */
function stripFileComment(text: string, file: string | undefined): string {
  const [first = '', ...rest] = text.split('\n');
  return file !== undefined && [`// ${file}`, `# ${file}`].includes(first) ? rest.join('\n') : text;
}

function renderLink(href: string, content: string, pages: ReadonlyMap<string, string>): string {
  const link = resolveLink(href, pages);
  switch (link.kind) {
    case 'here': {
      const name = /^([\w-]+)\.md$/.exec(content)?.[1];
      const title = name === undefined ? undefined : pages.get(name);
      const label = title === undefined ? content : escapeHtml(title);
      return `<a href="${escapeHtml(link.href)}">${label}</a>`;
    }
    case 'elsewhere':
      return `<a href="${escapeHtml(link.href)}" rel="external noopener">${content}</a>`;
    case 'repository': {
      const path = escapeHtml(link.path);
      return `${content} <span class="repository">(<code>${path}</code>)</span>`;
    }
    case 'none':
      return content;
  }
}

/** GitHub omits all but letters, marks, digits, connectors, hyphens and spaces from an anchor. */
const REMOVED_CHARACTERS = /[^\p{L}\p{M}\p{Nd}\p{Pc}\- ]/gu;

/** Makes the same heading anchors as GitHub, so that a link works on GitHub and in the service. */
export class HeadingIds {
  readonly #taken = new Map<string, number>();

  /** Returns the anchor of the next heading. `text` must not contain markup. */
  next(text: string): string {
    const base = text.trim().toLowerCase().replaceAll(REMOVED_CHARACTERS, '').replaceAll(' ', '-');
    let id = base;
    let count = this.#taken.get(base) ?? 0;
    while (this.#taken.has(id)) id = `${base}-${++count}`;
    this.#taken.set(base, count);
    this.#taken.set(id, this.#taken.get(id) ?? 0);
    return id;
  }
}

export interface CodeInfo {
  /** The first word in lower case, or an empty text. */
  readonly language: string;
  /** The words without a value: `run`, `background`, `answer`. */
  readonly words: ReadonlySet<string>;
  /** The options `name=value` and `name="a value"`: `file`, `skip`, `schema`, `exit`. */
  readonly options: ReadonlyMap<string, string>;
}

/** Matches a word, or a name with a value that may be quoted. */
const PART = /([^\s="]+)(?:=(?:"([^"]*)"|(\S*)))?/g;

/** Parses an info string (CommonMark §4.5) such as `ts file=app.ts run`. */
export function parseCodeInfo(info: string): CodeInfo {
  const [language = '', ...rest] = info.trim().split(/\s+/);
  const words = new Set<string>();
  const options = new Map<string, string>();
  for (const match of rest.join(' ').matchAll(PART)) {
    const [, name = '', quoted, plain] = match;
    const value = quoted ?? plain;
    if (value === undefined) words.add(name);
    else options.set(name, value);
  }
  return { language: language.toLowerCase(), words, options };
}

interface Highlighter {
  registerLanguage(name: string, language: unknown): void;
  highlight(
    text: string,
    options: { readonly language: string; readonly ignoreIllegals: boolean },
  ): { readonly value: string };
}

/** The highlighter's names of the languages. Other languages are shown as plain text. */
const LANGUAGES: ReadonlyMap<string, string> = new Map([
  ['sh', 'bash'],
  ['http', 'http'],
  ['ini', 'ini'],
  ['js', 'javascript'],
  ['json', 'json'],
  ['ndjson', 'json'],
  ['nginx', 'nginx'],
  ['python', 'python'],
  ['sql', 'sql'],
  ['ts', 'typescript'],
]);

const highlighter = loadHighlighter();

/** Returns HTML: the escaped text, with spans that the style sheet colors. */
function highlight(text: string, blockLanguage: string): string {
  const language = LANGUAGES.get(blockLanguage);
  if (language === undefined) return escapeHtml(text);
  return highlighter.highlight(text, { language, ignoreIllegals: true }).value;
}

/** Not imported, because its declarations would add browser types to every file of this project. */
function loadHighlighter(): Highlighter {
  const load = createRequire(import.meta.url);
  const core: unknown = load('highlight.js/lib/core');
  if (!isHighlighter(core)) throw new Error('highlight.js has an unexpected interface');
  for (const language of new Set(LANGUAGES.values())) {
    core.registerLanguage(language, load(`highlight.js/lib/languages/${language}`));
  }
  return core;
}

function isHighlighter(value: unknown): value is Highlighter {
  return (
    typeof value === 'object' &&
    value !== null &&
    'registerLanguage' in value &&
    'highlight' in value
  );
}
