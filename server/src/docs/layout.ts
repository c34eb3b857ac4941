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
  readonly articleLanguage: Language;
  /** True if the page exists in both languages. */
  readonly isTranslated: boolean;
  readonly href: string;
  readonly groups: readonly NavigationGroup[];
  readonly navigationLanguage: Language;
  readonly previous: NavigationEntry | null;
  readonly next: NavigationEntry | null;
  /** The link to the Markdown of the page. */
  readonly sourceHref: string;
  readonly scriptHref: string;
}

/** The style is not formatted, because its CSP hash covers every byte between the tags. */
const styleElement = raw(`<style>${DOCS_STYLE}</style>`);

const LANGUAGE_NAMES: Readonly<Record<Language, string>> = { en: 'English', ja: '日本語' };

/** The minimum number of sections of a page with a table of contents. */
const CONTENTS_MIN = 2;

/** The navigation and the contents occur twice, collapsed and open: CSS shows one, by the width. */
export function renderLayout(options: LayoutOptions): Markup {
  const { language, article, articleLanguage, scriptHref, sourceHref } = options;
  const messages = docsMessages[language];
  const navigation = renderNavigation(options, messages);
  const contents = renderContents(article.headings, articleLanguage);
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
            ${renderLanguageSwitch(options)}
            ${contents === null ? '' : renderFolded(messages.onThisPage, contents)}
            <article lang="${articleLanguage}">${raw(article.html)}</article>
            ${renderNeighbors(options, messages)}
            <p class="source"><a href="${sourceHref}">${messages.source}</a></p>
          </main>
          ${contents === null ? '' : renderAside(messages.onThisPage, contents)}
        </div>
      </body>
    </html> `;
}

function renderLanguageSwitch({
  href,
  articleLanguage,
  isTranslated,
}: LayoutOptions): Markup | string {
  if (!isTranslated) return '';
  const other = articleLanguage === 'ja' ? 'en' : 'ja';
  return html`<p class="language">
    <a href="${href}?lang=${other}" lang="${other}" hreflang="${other}">${LANGUAGE_NAMES[other]}</a>
  </p>`;
}

function renderNavigation(
  { groups, href, navigationLanguage }: LayoutOptions,
  messages: MessagesOf<typeof docsMessages>,
): Markup {
  const shown = groups.map(
    ({ title, entries }) =>
      html`<section>
        <h2 lang="${navigationLanguage}">${title}</h2>
        <ul lang="${navigationLanguage}">
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

function renderContents(headings: readonly Heading[], language: Language): Markup | null {
  const shown = headings.filter(({ depth }) => depth === 2 || depth === 3);
  if (shown.length < CONTENTS_MIN) return null;
  return html`<ul lang="${language}">
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
  { previous, next, navigationLanguage }: LayoutOptions,
  messages: MessagesOf<typeof docsMessages>,
): Markup {
  const link = (entry: NavigationEntry | null, rel: string, label: string): Markup | string =>
    entry === null
      ? ''
      : html`<a rel="${rel}" href="${entry.href}"
          ><small>${label}</small><span lang="${navigationLanguage}">${entry.title}</span></a
        >`;
  return html`<nav class="neighbors" aria-label="${messages.neighbors}">
    ${link(previous, 'prev', messages.previous)}${link(next, 'next', messages.next)}
  </nav>`;
}
