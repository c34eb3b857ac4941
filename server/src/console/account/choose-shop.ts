import { html } from 'hono/html';
import { listShopsOfAccount, type ShopOfAccount } from '../../shops/shop-list.ts';
import { type ConsoleResponse, redirectTo, showPage } from '../response.ts';
import type { ConsoleDeps } from '../deps.ts';
import { linkButton } from '../parts/button.ts';
import { emptyState } from '../parts/notes.ts';
import { summarizePermissions } from '../permission-text.ts';
import type { AccountRoutes } from '../section.ts';
import type { AccountContext } from '../request-context.ts';
import { chooseShopMessages } from './messages.ts';

/**
 * Mounts `/console`, which redirects to the person's only shop, lets the person choose one of
 * several shops, or explains what to do without a shop.
 */
export function mountShopChoice(routes: AccountRoutes, { db }: ConsoleDeps): void {
  routes.page('', async (context) => {
    const shops = await listShopsOfAccount(db, context.account.id);
    const [only] = shops;
    return only !== undefined && shops.length === 1
      ? redirectTo(pathOf(only))
      : showChoice(context, shops);
  });
}

function showChoice(
  { language, account }: AccountContext,
  shops: readonly ShopOfAccount[],
): ConsoleResponse {
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
            <span class="soft small below"
              >${summarizePermissions(shop.permissions, language)}</span
            >
          </li>`,
      )}
    </ul>`,
  });
}

function pathOf({ slug }: ShopOfAccount): string {
  return `/console/shops/${slug}`;
}
