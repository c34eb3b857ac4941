import { html } from 'hono/html';
import type { Markup } from '../pages/page.ts';
import type { Permission } from '../shops/permission.ts';
import { type Section, SECTIONS, type ShownPage } from './answer.ts';
import { assetPath } from './assets.ts';
import { wordsOfFlash } from './flash.ts';
import { icon, type IconName } from './parts/icon.ts';
import type { Visit, Visitor } from './visit.ts';
import type { MessagesOf } from '../pages/messages.ts';
import { layoutMessages } from './messages.ts';

/** Only files from this service, and nothing inline. */
export const CONSOLE_POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "script-src 'self'",
  // `data:` is the empty icon, which keeps browsers from requesting one.
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join('; ');

/** Who sees a section in the navigation; null: everyone. */
const NEEDED: Readonly<Record<Section, readonly Permission[] | null>> = {
  home: null,
  boosts: ['purchases.read'],
  stock: ['inventory.read'],
  places: ['inventory.read'],
  apps: ['integrations.manage'],
  members: ['members.manage'],
  audit: ['members.manage', 'integrations.manage'],
};

const ICONS: Readonly<Record<Section, IconName>> = {
  home: 'home',
  boosts: 'boost',
  stock: 'box',
  places: 'place',
  apps: 'plug',
  members: 'people',
  audit: 'list',
};

/**
 * Renders a page: the bar with shop and account, the sections that the member may see, the message
 * about the last action, and the content.
 */
export async function renderLayout(visitor: Visitor | Visit, page: ShownPage): Promise<string> {
  const { language } = visitor;
  const messages = layoutMessages[language];
  const scripts = ['console', ...(page.scripts ?? [])] as const;
  const visit = 'shop' in visitor ? visitor : null;
  const place = visit === null ? 'Cardport' : `${visit.shop.name} · Cardport`;
  const document = await html`<!doctype html>
    <html lang="${language}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${page.title} · ${place}</title>
        <link rel="icon" href="data:," />
        <link rel="stylesheet" href="${assetPath('console.css')}" />
        ${scripts.map(
          (name) => html`<script type="module" src="${assetPath(`${name}.js`)}"></script>`,
        )}
      </head>
      <body data-zone="${visitor.format.zone}" data-copied="${messages.copied}">
        <a class="skip" href="#content">${messages.skip}</a>
        ${renderBar(visitor, visit, messages)}
        <div class="frame">
          ${visit === null ? '' : renderNavigation(visit, page.section, messages)}
          <main id="content" tabindex="-1" class="${page.isWide === true ? 'wide' : ''}">
            ${
              page.back === undefined
                ? ''
                : html`<p class="back"><a href="${page.back.href}">${page.back.label}</a></p>`
            }
            <div class="title">
              <h1>${page.title}</h1>
              ${page.tools === undefined ? '' : html`<div class="tools">${page.tools}</div>`}
            </div>
            ${
              visitor.flash === null
                ? ''
                : html`<p class="flash" role="status">${wordsOfFlash(visitor.flash, language)}</p>`
            }
            ${page.content}
          </main>
        </div>
      </body>
    </html> `;
  return String(document);
}

function renderBar(
  visitor: Visitor,
  visit: Visit | null,
  messages: MessagesOf<typeof layoutMessages>,
): Markup {
  return html`<header class="bar">
    <p class="where">
      <a class="brand" href="/console">Cardport</a>
      ${visit === null ? '' : html`<a class="shop" href="${visit.path('')}">${visit.shop.name}</a>`}
    </p>
    <details class="me">
      <summary>${icon('person')}<span class="name">${visitor.account.name}</span></summary>
      <ul>
        <li><a href="/console/account">${messages.account}</a></li>
        <li><a href="/console">${messages.shops}</a></li>
        <li><a href="/docs/console">${messages.docs}</a></li>
        <li>
          <form method="post" action="/console/sign-out">
            ${visitor.formToken}<button class="plain" type="submit">${messages.signOut}</button>
          </form>
        </li>
      </ul>
    </details>
  </header>`;
}

function renderNavigation(
  visit: Visit,
  here: Section | null,
  messages: MessagesOf<typeof layoutMessages>,
): Markup {
  const shown = SECTIONS.filter((section) => {
    const needed = NEEDED[section];
    return needed === null || needed.some((permission) => visit.may(permission));
  });
  return html`<nav class="sections" aria-label="${messages.sections}">
    <ul>
      ${shown.map((section) => {
        const href = visit.path(section === 'home' ? '' : `/${section}`);
        const label = html`${icon(ICONS[section])}<span>${messages.names[section]}</span>`;
        return section === here
          ? html`<li><a href="${href}" aria-current="page">${label}</a></li>`
          : html`<li><a href="${href}">${label}</a></li>`;
      })}
    </ul>
  </nav>`;
}
