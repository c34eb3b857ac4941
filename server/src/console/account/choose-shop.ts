import { html } from 'hono/html';
import type { Language } from '../../pages/language.ts';
import { listShopsOfAccount, type ShopOfAccount } from '../../shops/shop-list.ts';
import { type ConsoleAnswer, goTo, showPage } from '../answer.ts';
import type { ConsoleDeps } from '../deps.ts';
import { permissionsInWords } from '../members/permission-boxes.ts';
import { linkButton } from '../parts/button.ts';
import { emptyState } from '../parts/notes.ts';
import type { AccountRoutes } from '../section.ts';
import type { Visitor } from '../visit.ts';

interface Words {
  readonly title: string;
  readonly none: string;
  readonly noneText: string;
  readonly account: string;
}

export const WORDS: Readonly<Record<Language, Words>> = {
  en: {
    title: 'Choose a shop',
    none: 'You are not a member of any shop',
    noneText:
      'Ask somebody who manages the members of your shop to invite you to this address, or, if you were deactivated, to activate you again. The link comes by mail.',
    account: 'My account',
  },
  ja: {
    title: 'ショップを選択',
    none: '所属しているショップはありません',
    noneText:
      'ショップのメンバーを管理している方に、このメールアドレスへの招待、または利用の再開を依頼してください。招待のリンクはメールで届きます。',
    account: 'アカウント',
  },
};

/** Mounts `/console`: on to the one shop, or a choice, or what to do without one. */
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
  const text = WORDS[language];
  if (shops.length === 0) {
    return showPage({
      title: text.none,
      section: null,
      content: emptyState(
        account.email,
        text.noneText,
        linkButton({ href: '/console/account', label: text.account }),
      ),
    });
  }
  return showPage({
    title: text.title,
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
