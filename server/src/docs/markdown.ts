import { Marked, type RendererThis, type Tokens } from 'marked';
import { unescapeHtml } from '../base/unescape-html.ts';
import { parseCodeInfo } from './code-info.ts';
import { escapeHtml } from './escape-html.ts';
import { HeadingIds } from './heading-ids.ts';
import { highlight } from './highlight.ts';
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
