import { html } from 'hono/html';
import type { Markup } from '../../html/page.ts';
import type { Database } from '../../database/database.ts';
import { StockValues } from '../../inventory/stock-value.ts';
import { type Invitation, listInvitations } from '../../shops/invitation.ts';
import { type AppOverview, listAppOverviews } from '../../webhooks/app-overview.ts';
import { showPage } from '../response.ts';
import { linkButton } from '../parts/button.ts';
import { filterForm } from '../parts/list.ts';
import { emptyState } from '../parts/notes.ts';
import { EDIT_BOOSTS_PERMISSIONS, EDIT_STOCK_PERMISSIONS, type MountSection } from '../section.ts';
import type { RequestContext } from '../request-context.ts';
import { attentionOfApps } from './app-attention.ts';
import { renderApps } from './apps.ts';
import { type AttentionGroup, renderAttention } from './attention.ts';
import {
  attentionOfBoosts,
  type HomeBoosts,
  readHomeBoosts,
  renderOpenBoosts,
} from './open-boosts.ts';
import { readHomeStock, renderStock, type HomeStock } from './stock.ts';
import { homeMessages } from './messages.ts';

/** The data of Home. A part that the member may not see is null. */
interface HomeData {
  readonly boosts: HomeBoosts | null;
  readonly stock: HomeStock | null;
  readonly apps: readonly AppOverview[] | null;
  readonly invitations: readonly Invitation[] | null;
}

/**
 * Mounts Home, which shows the items that need attention, and then each part of the shop that the
 * member may see (decision 0194).
 */
export const mountHome: MountSection = (routes, { db }) => {
  const stockValues = new StockValues(db);
  routes.page('', null, async (context) => {
    const data = await readHome(context, db, stockValues);
    const { title } = homeMessages[context.language];
    return showPage({
      title,
      section: 'home',
      content: renderHome(context, data),
      headerActions: renderLinks(context),
      scripts: ['plot'],
      isWide: true,
    });
  });
};

/** Loads all apps: a shop has tens of apps, and a large one a few hundred. */
const ALL_APPS = { name: null, after: null, limit: 1_000 };

/** Reads the parts concurrently, because they are independent. */
async function readHome(
  context: RequestContext,
  db: Database,
  stockValues: StockValues,
): Promise<HomeData> {
  const { shop, now } = context;
  const [boosts, stock, apps, invitations] = await Promise.all([
    context.can('purchases.read') ? readHomeBoosts(db, shop.id, now) : null,
    context.can('inventory.read') ? readHomeStock(db, stockValues, context) : null,
    context.can('integrations.manage') ? listAppOverviews(db, shop.id, ALL_APPS, now) : null,
    context.can('members.manage') ? listInvitations(db, shop.id, now) : null,
  ]);
  return { boosts, stock, apps, invitations };
}

function renderHome(context: RequestContext, data: HomeData): Markup {
  const { boosts, stock, apps, invitations } = data;
  if (Object.values(data).every((part) => part === null)) {
    const messages = homeMessages[context.language];
    return emptyState(messages.nothing, messages.nothingText);
  }
  const groups: AttentionGroup[] = [
    ...(apps === null ? [] : attentionOfApps(context, apps)),
    ...(boosts === null ? [] : attentionOfBoosts(context, boosts)),
    ...(invitations === null ? [] : [attentionOfInvitations(context, invitations)]),
  ];
  return html`${stock === null ? '' : renderSearch(context)}
    ${renderAttention(groups, context.language)}
    <div class="grid home">
      ${boosts === null ? '' : renderOpenBoosts(context, boosts)}
      ${stock === null ? '' : renderStock(context, stock)}
      ${apps === null ? '' : renderApps(context, apps)}
    </div>`;
}

/** Omits the tasks for which the member lacks a permission. */
function renderLinks({ can, language, shopPath }: RequestContext): Markup {
  const messages = homeMessages[language];
  const links = [
    { needed: EDIT_STOCK_PERMISSIONS.all, path: '/stock/receive', label: messages.receive },
    { needed: EDIT_BOOSTS_PERMISSIONS.all, path: '/boosts/new', label: messages.newBoost },
  ];
  return html`${links
    .filter(({ needed }) => needed.every(can))
    .map(({ path, label }) => linkButton({ href: shopPath(path), label }))}`;
}

/** Renders the search for stock, so that the counter can look up a card without a detour. */
function renderSearch({ language, shopPath }: RequestContext): Markup {
  const { find, search } = homeMessages[language];
  return filterForm(shopPath('/stock'), {
    filters: [{ name: 'q', label: find, value: null }],
    submit: search,
  });
}

/** Returns all invitations as one item, because they need no individual action. */
function attentionOfInvitations(
  context: RequestContext,
  invitations: readonly Invitation[],
): AttentionGroup {
  const { format } = context;
  const messages = homeMessages[context.language];
  const [first] = invitations.toSorted((a, b) => a.expiresAt.getTime() - b.expiresAt.getTime());
  if (first === undefined) return { items: [], more: null };
  const count = invitations.length;
  const item = {
    tone: 'calm' as const,
    title: messages.invitations(format.number(count), count > 1),
    details: [html`${messages.expires(count > 1)}${format.ago(first.expiresAt)}`],
    href: context.shopPath('/members'),
  };
  return { items: [item], more: null };
}
