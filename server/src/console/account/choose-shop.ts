import { html } from 'hono/html';
import { listShopsOfAccount, type ShopOfAccount } from '../../shops/shop-list.ts';
import { type ConsoleAnswer, goTo, showPage } from '../answer.ts';
import type { ConsoleDeps } from '../deps.ts';
import { linkButton } from '../parts/button.ts';
import { emptyState } from '../parts/notes.ts';
import { permissionsInWords } from '../permission-words.ts';
import type { AccountRoutes } from '../section.ts';
import type { Visitor } from '../visit.ts';
import { chooseShopMessages } from './messages.ts';

/**
 * Mounts `/console`, which redirects to the person's only shop, offers a choice, or explains what
 * to do without a shop.
 */
export function mountChoice(routes: AccountRoutes, { db }: ConsoleDeps): void {
  routes.page('', async (visitor) => {
    const shops = await listShopsOfAccount(db, visitor.account.id);
    const [only] = shops;
    return only !== undefined && shops.length === 1
      ? goTo(pathOf(only))
      : showChoice(visitor, shops);
  });
}

function showChoice(
  { language, account }: Visitor,
  shops: readonly ShopOfAccount[],
): ConsoleAnswer {
  const messages = chooseShopMessages[language];
  if (shops.length === 0) {
    return showPage({
      title: messages.none,
      section: null,
      content: emptyState(
        account.email,
        messages.noneText,
        linkButton({ href: '/console/account', label: messages.account }),
      ),
    });
  }
  return showPage({
    title: messages.title,
    section: null,
    content: html`<ul class="choices">
      ${shops.map(
        (shop) =>
          html`<li class="sheet">
            <a href="${pathOf(shop)}">${shop.name}</a>
            <span class="soft small below">${permissionsInWords(shop.permissions, language)}</span>
          </li>`,
      )}
    </ul>`,
  });
}

function pathOf({ slug }: ShopOfAccount): string {
  return `/console/shops/${slug}`;
}
