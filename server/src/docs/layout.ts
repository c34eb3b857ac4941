import { html, raw } from 'hono/html';
import type { Language } from '../html/language.ts';
import type { Markup } from '../html/page.ts';
import type { Article, Heading } from './markdown.ts';
import type { NavigationEntry, NavigationGroup } from './navigation.ts';
import { DOCS_STYLE } from './style.ts';
import type { MessagesOf } from '../html/messages.ts';
import { docsMessages } from './messages.ts';

export interface LayoutOptions {
  readonly language: Language;
  readonly article: Article;
  readonly href: string;
  readonly groups: readonly NavigationGroup[];
  readonly previous: NavigationEntry | null;
  readonly next: NavigationEntry | null;
  /** The link to the Markdown of the page. */
  readonly sourceHref: string;
  readonly scriptHref: string;
}

/** The style is not formatted, because its CSP hash covers every byte between the tags. */
const styleElement = raw(`<style>${DOCS_STYLE}</style>`);

/** The minimum number of sections of a page with a table of contents. */
const CONTENTS_MIN = 2;

/**
 * Renders a page. It contains the navigation and the table of contents twice, collapsed for narrow
 * windows and open for wide ones. CSS shows one of each.
 */
export function renderLayout(options: LayoutOptions): Markup {
  const { language, article, scriptHref, sourceHref } = options;
  const messages = docsMessages[language];
  const navigation = renderNavigation(options, messages);
  const contents = renderContents(article.headings);
  return html`<!doctype html>
    <html lang="${language}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${article.title} · Cardport</title>
        <link rel="icon" href="data:," />
        <link rel="alternate" type="text/markdown" href="${sourceHref}" />
        ${styleElement}
        <script src="${scriptHref}" defer></script>
      </head>
      <body data-copy="${messages.copy}" data-copied="${messages.copied}">
        <a class="skip" href="#text">${messages.skip}</a>
        <header class="top">
          <p>
            <a class="brand" href="/">Cardport</a>
            <a href="/docs" lang="${language}">${messages.docs}</a>
            <a class="aside" href="/docs/reference">${messages.reference}</a>
          </p>
        </header>
        <div class="columns">
          <details class="narrow">
            <summary>${messages.pages}</summary>
            <nav aria-label="${messages.pages}">${navigation}</nav>
          </details>
          <nav class="wide" aria-label="${messages.pages}">${navigation}</nav>
          <main id="text" tabindex="-1">
            ${contents === null ? '' : renderFolded(messages.onThisPage, contents)}
            <article lang="en">${raw(article.html)}</article>
            ${renderNeighbors(options, messages)}
            <p class="source"><a href="${sourceHref}">${messages.source}</a></p>
          </main>
          ${contents === null ? '' : renderAside(messages.onThisPage, contents)}
        </div>
      </body>
    </html> `;
}

function renderNavigation(
  { groups, href }: LayoutOptions,
  messages: MessagesOf<typeof docsMessages>,
): Markup {
  const shown = groups.map(
    ({ title, entries }) =>
      html`<section>
        <h2 lang="en">${title}</h2>
        <ul lang="en">
          ${entries.map((entry) => renderEntry(entry, href))}
        </ul>
      </section>`,
  );
  return html`${shown}
    <section>
      <h2>${messages.reference}</h2>
      <ul>
        <li><a href="/docs/reference">${messages.partnerApi}</a></li>
        <li><a href="/docs/reference?api=shop">${messages.shopApi}</a></li>
      </ul>
    </section>`;
}

function renderEntry(entry: NavigationEntry, currentHref: string): Markup {
  if (entry.href !== currentHref) return html`<li><a href="${entry.href}">${entry.title}</a></li>`;
  return html`<li><a href="${entry.href}" aria-current="page">${entry.title}</a></li>`;
}

function renderContents(headings: readonly Heading[]): Markup | null {
  const shown = headings.filter(({ depth }) => depth === 2 || depth === 3);
  if (shown.length < CONTENTS_MIN) return null;
  return html`<ul lang="en">
    ${shown.map(
      ({ depth, id, text }) =>
        html`<li class="${depth === 3 ? 'deeper' : 'section'}"><a href="#${id}">${text}</a></li>`,
    )}
  </ul>`;
}

function renderFolded(title: string, contents: Markup): Markup {
  return html`<details class="narrow contents">
    <summary>${title}</summary>
    <nav aria-label="${title}">${contents}</nav>
  </details>`;
}

function renderAside(title: string, contents: Markup): Markup {
  return html`<nav class="wide contents" aria-label="${title}">
    <h2>${title}</h2>
    ${contents}
  </nav>`;
}

function renderNeighbors(
  { previous, next }: LayoutOptions,
  messages: MessagesOf<typeof docsMessages>,
): Markup {
  const link = (entry: NavigationEntry | null, rel: string, label: string): Markup | string =>
    entry === null
      ? ''
      : html`<a rel="${rel}" href="${entry.href}"
          ><small>${label}</small><span lang="en">${entry.title}</span></a
        >`;
  return html`<nav class="neighbors" aria-label="${messages.neighbors}">
    ${link(previous, 'prev', messages.previous)}${link(next, 'next', messages.next)}
  </nav>`;
}
