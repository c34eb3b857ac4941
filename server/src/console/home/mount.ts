import { html } from 'hono/html';
import type { Markup } from '../../pages/page.ts';
import { type Invitation, listInvitations } from '../../shops/invitation.ts';
import { type AppCare, listAppCare } from '../../webhooks/app-care.ts';
import { showPage } from '../answer.ts';
import type { ConsoleDeps } from '../deps.ts';
import { emptyState } from '../parts/notes.ts';
import type { MountSection } from '../section.ts';
import type { Visit } from '../visit.ts';
import { attentionOfApps } from './app-attention.ts';
import { renderApps } from './apps.ts';
import { type AttentionGroup, renderAttention } from './attention.ts';
import {
  attentionOfBoosts,
  type BoostsOfHome,
  readBoostsOfHome,
  renderOpenBoosts,
} from './open-boosts.ts';
import { readStockOfHome, renderStock, type StockOfHome } from './stock.ts';
import { homeMessages } from './messages.ts';

/** The data of Home; null for what the member may not see. */
interface HomeData {
  readonly boosts: BoostsOfHome | null;
  readonly stock: StockOfHome | null;
  readonly apps: readonly AppCare[] | null;
  readonly invitations: readonly Invitation[] | null;
}

/**
 * Mounts Home: what needs attention, then each part of the shop that the member may see (decision
 * 0194).
 */
export const mountHome: MountSection = (routes, deps) => {
  routes.page('', null, async (visit) => {
    const data = await readHome(visit, deps);
    const { title } = homeMessages[visit.language];
    return showPage({
      title,
      section: 'home',
      content: renderHome(visit, data),
      scripts: ['plot'],
      isWide: true,
    });
  });
};

/** A shop has tens of apps, a large one a few hundred. */
const ALL_APPS = { name: null, after: null, limit: 1_000 };

/** The parts are independent, so they are read concurrently. */
async function readHome(visit: Visit, { db }: ConsoleDeps): Promise<HomeData> {
  const { shop, now } = visit;
  const [boosts, stock, apps, invitations] = await Promise.all([
    visit.may('purchases.read') ? readBoostsOfHome(db, shop.id, now) : null,
    visit.may('inventory.read') ? readStockOfHome(db, visit) : null,
    visit.may('integrations.manage') ? listAppCare(db, shop.id, ALL_APPS, now) : null,
    visit.may('members.manage') ? listInvitations(db, shop.id, now) : null,
  ]);
  return { boosts, stock, apps, invitations };
}

function renderHome(visit: Visit, data: HomeData): Markup {
  const { boosts, stock, apps, invitations } = data;
  if (Object.values(data).every((part) => part === null)) {
    const messages = homeMessages[visit.language];
    return emptyState(messages.nothing, messages.nothingText);
  }
  const groups: AttentionGroup[] = [
    ...(apps === null ? [] : attentionOfApps(visit, apps)),
    ...(boosts === null ? [] : attentionOfBoosts(visit, boosts)),
    ...(invitations === null ? [] : [attentionOfInvitations(visit, invitations)]),
  ];
  return html`${renderAttention(groups, visit.language)}
    <div class="grid home">
      ${boosts === null ? '' : renderOpenBoosts(visit, boosts)}
      ${stock === null ? '' : renderStock(visit, stock)}
      ${apps === null ? '' : renderApps(visit, apps)}
    </div>`;
}

/** All invitations as one item: they need no individual action. */
function attentionOfInvitations(visit: Visit, invitations: readonly Invitation[]): AttentionGroup {
  const { format } = visit;
  const messages = homeMessages[visit.language];
  const [first] = invitations.toSorted((a, b) => a.expiresAt.getTime() - b.expiresAt.getTime());
  if (first === undefined) return { items: [], more: null };
  const count = invitations.length;
  const item = {
    tone: 'calm' as const,
    title: messages.invitations(format.number(count), count > 1),
    details: [html`${messages.expires(count > 1)}${format.ago(first.expiresAt)}`],
    href: visit.path('/members'),
    link: messages.members,
  };
  return { items: [item], more: null };
}
