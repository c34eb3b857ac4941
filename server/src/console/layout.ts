import { html } from 'hono/html';
import type { Markup } from '../html/page.ts';
import type { Permission } from '../shops/permission.ts';
import { type Section, SECTIONS, type ConsolePage } from './response.ts';
import { assetPath } from './assets.ts';
import { flashText } from './flash.ts';
import { icon, type IconName } from './parts/icon.ts';
import type { RequestContext, AccountContext } from './request-context.ts';
import type { MessagesOf } from '../html/messages.ts';
import { layoutMessages } from './messages.ts';

/** Allows only files from this service, and nothing inline. */
export const CONSOLE_CSP = [
  "default-src 'none'",
  "style-src 'self'",
  "script-src 'self'",
  // `data:` allows an empty icon. Without an icon, browsers would request `/favicon.ico`.
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join('; ');

/** A member who has any of a section's permissions sees it. Null means that every member does. */
const SECTION_PERMISSIONS: Readonly<Record<Section, readonly Permission[] | null>> = {
  home: null,
  boosts: ['purchases.read'],
  stock: ['inventory.read'],
  places: ['inventory.read'],
  apps: ['integrations.manage'],
  members: ['members.manage'],
  audit: ['members.manage', 'integrations.manage'],
  settings: ['members.manage'],
};

const ICONS: Readonly<Record<Section, IconName>> = {
  home: 'home',
  boosts: 'boost',
  stock: 'box',
  places: 'place',
  apps: 'plug',
  members: 'people',
  audit: 'list',
  settings: 'sliders',
};

/**
 * Renders a page: the bar with shop and account, the navigation, the message about the last action,
 * and the content.
 */
export async function renderLayout(
  context: AccountContext | RequestContext,
  page: ConsolePage,
): Promise<string> {
  const { language } = context;
  const messages = layoutMessages[language];
  const scripts = ['console', ...(page.scripts ?? [])] as const;
  const shopContext = 'shop' in context ? context : null;
  const titleSuffix = shopContext === null ? 'Cardport' : `${shopContext.shop.name} · Cardport`;
  const document = await html`<!doctype html>
    <html lang="${language}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${page.title} · ${titleSuffix}</title>
        <link rel="icon" href="data:," />
        <link rel="stylesheet" href="${assetPath('console.css')}" />
        ${scripts.map(
          (name) => html`<script type="module" src="${assetPath(`${name}.js`)}"></script>`,
        )}
      </head>
      <body data-zone="${context.format.zone}" data-copied="${messages.copied}">
        <a class="skip" href="#content">${messages.skip}</a>
        ${renderBar(context, shopContext, messages)}
        <div class="frame">
          ${shopContext === null ? '' : renderNavigation(shopContext, page.section, messages)}
          <main id="content" tabindex="-1" class="${page.isWide === true ? 'wide' : ''}">
            ${
              page.back === undefined
                ? ''
                : html`<p class="back"><a href="${page.back.href}">${page.back.label}</a></p>`
            }
            <div class="title">
              <h1>${page.title}</h1>
              ${page.headerActions === undefined ? '' : html`<div class="tools">${page.headerActions}</div>`}
            </div>
            ${
              context.flash === null
                ? ''
                : html`<p class="flash" role="status">${flashText(context.flash, language)}</p>`
            }
            ${page.content}
          </main>
        </div>
      </body>
    </html> `;
  return String(document);
}

function renderBar(
  context: AccountContext,
  shopContext: RequestContext | null,
  messages: MessagesOf<typeof layoutMessages>,
): Markup {
  return html`<header class="bar">
    <p class="where">
      <a class="brand" href="/console">Cardport</a>
      ${shopContext === null ? '' : html`<a class="shop" href="${shopContext.shopPath('')}">${shopContext.shop.name}</a>`}
    </p>
    <details class="me">
      <summary>${icon('person')}<span class="name">${context.account.name}</span></summary>
      <ul>
        <li><a href="/console/account">${messages.account}</a></li>
        <li><a href="/console">${messages.shops}</a></li>
        <li><a href="/docs/console">${messages.docs}</a></li>
        <li>
          <form method="post" action="/console/sign-out">
            ${context.formToken}<button class="plain" type="submit">${messages.signOut}</button>
          </form>
        </li>
      </ul>
    </details>
  </header>`;
}

function renderNavigation(
  context: RequestContext,
  currentSection: Section | null,
  messages: MessagesOf<typeof layoutMessages>,
): Markup {
  const shown = SECTIONS.filter((section) => {
    const needed = SECTION_PERMISSIONS[section];
    return needed === null || needed.some((permission) => context.can(permission));
  });
  return html`<nav class="sections" aria-label="${messages.sections}">
    <ul>
      ${shown.map((section) => {
        const href = context.shopPath(section === 'home' ? '' : `/${section}`);
        const label = html`${icon(ICONS[section])}<span>${messages.names[section]}</span>`;
        return section === currentSection
          ? html`<li><a href="${href}" aria-current="page">${label}</a></li>`
          : html`<li><a href="${href}">${label}</a></li>`;
      })}
    </ul>
  </nav>`;
}
