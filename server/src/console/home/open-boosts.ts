import { html } from 'hono/html';
import type { BoostRow } from '../../boosts/boost-row.ts';
import { type BoostStatus, statusAt } from '../../boosts/boost-status.ts';
import { type CatalogTarget, readCatalogTargets } from '../../boosts/boost-target.ts';
import { readLiveRows } from '../../boosts/browse-boosts.ts';
import { targetOf } from '../../boosts/render-boost.ts';
import type { Queryable } from '../../database/database.ts';
import type { MessagesOf } from '../../html/messages.ts';
import type { Markup } from '../../html/page.ts';
import { describeTarget, gradeOfTarget } from '../parts/boost-text.ts';
import { linkButton } from '../parts/button.ts';
import { itemNameOf } from '../parts/item-text.ts';
import { boostStateMessages } from '../parts/messages/catalog.ts';
import { emptyState } from '../parts/notes.ts';
import { table } from '../parts/table.ts';
import type { RequestContext } from '../request-context.ts';
import {
  type AttentionGroup,
  type AttentionItem,
  groupItems,
  ITEMS_PER_KIND,
} from './attention.ts';
import { openBoostMessages } from './messages.ts';

/** The number of boosts that Home shows: those with the highest prices, which apps list first. */
const SHOWN_BOOSTS = 5;
/** A boost that ends within a day is reported, so that a daily check sees it. */
const ENDS_SOON_MS = 24 * 3_600_000;
/** Not a percentage, because a boost's initial quantity is not stored. */
const NEARLY_FILLED_UNITS = 3;

interface NamedBoost {
  readonly row: BoostRow;
  readonly target: CatalogTarget;
}

export interface HomeBoosts {
  readonly counts: ReadonlyMap<BoostStatus, number>;
  readonly top: readonly NamedBoost[];
  /** The boosts that end soon, earliest end first. Home shows the names of the first few. */
  readonly ending: { readonly shown: readonly NamedBoost[]; readonly count: number };
  /** Fewest units left first. Home shows the names of the first few. */
  readonly nearlyFilled: { readonly shown: readonly NamedBoost[]; readonly count: number };
}

/** Reads all live boosts in one statement, then the targets of the few that Home shows. */
export async function readHomeBoosts(
  db: Queryable,
  shopId: string,
  now: Date,
): Promise<HomeBoosts> {
  const live = await readLiveRows(db, shopId, now);
  const counts = new Map<BoostStatus, number>();
  for (const row of live) {
    const status = statusAt(row, now);
    counts.set(status, (counts.get(status) ?? 0) + 1);
  }
  const open = live.filter((row) => statusAt(row, now) === 'open');
  const top = open
    .toSorted((a, b) => b.priceMinor - a.priceMinor || compareIds(a, b))
    .slice(0, SHOWN_BOOSTS);
  const endsBefore = now.getTime() + ENDS_SOON_MS;
  const endOf = ({ endsAt }: BoostRow): number => endsAt?.getTime() ?? Number.POSITIVE_INFINITY;
  const ending = open
    .filter((row) => endOf(row) <= endsBefore)
    .toSorted((a, b) => endOf(a) - endOf(b) || compareIds(a, b));
  const leftOf = ({ remainingQuantity }: BoostRow): number =>
    remainingQuantity ?? Number.POSITIVE_INFINITY;
  const nearly = open
    .filter((row) => leftOf(row) <= NEARLY_FILLED_UNITS)
    .toSorted((a, b) => leftOf(a) - leftOf(b) || compareIds(a, b));
  const firstEnding = ending.slice(0, ITEMS_PER_KIND);
  const firstNearly = nearly.slice(0, ITEMS_PER_KIND);
  const resolve = await readCatalogTargets(db, shopId, [...top, ...firstEnding, ...firstNearly]);
  const name = (row: BoostRow): NamedBoost => ({ row, target: targetOf(row, resolve) });
  return {
    counts,
    top: top.map(name),
    ending: { shown: firstEnding.map(name), count: ending.length },
    nearlyFilled: { shown: firstNearly.map(name), count: nearly.length },
  };
}

/** Returns the boosts that end within a day and the boosts with at most three units left. */
export function attentionOfBoosts(
  context: RequestContext,
  { ending, nearlyFilled }: HomeBoosts,
): AttentionGroup[] {
  const { language, format } = context;
  const messages = openBoostMessages[language];
  const item = (
    { row, target }: NamedBoost,
    title: (name: string) => string,
    detail: Markup | string,
  ): AttentionItem => ({
    tone: 'warn',
    title: title(itemNameOf(target, language).text),
    details: [detail],
    href: context.shopPath(`/boosts/${row.id}`),
  });
  const group = (
    { shown, count }: HomeBoosts['ending'],
    detailOf: (row: BoostRow) => Markup | string,
    title: (name: string) => string,
    more: (count: string) => string,
  ): AttentionGroup => {
    const items = shown.map((boost) => item(boost, title, detailOf(boost.row)));
    const left = count - shown.length;
    const line = { title: more(format.number(left)), href: context.shopPath('/boosts') };
    return { ...groupItems(items, () => line), more: left > 0 ? line : null };
  };
  return [
    group(
      ending,
      ({ endsAt }) => (endsAt === null ? '' : html`${messages.endsAt}${format.ago(endsAt)}`),
      messages.ends,
      messages.moreEnding,
    ),
    group(
      nearlyFilled,
      ({ remainingQuantity }) => messages.pieces(format.number(remainingQuantity ?? 0)),
      messages.nearly,
      messages.moreNearly,
    ),
  ];
}

export function renderOpenBoosts(context: RequestContext, { counts, top }: HomeBoosts): Markup {
  const { language, format } = context;
  const messages = openBoostMessages[language];
  const states = (['open', 'filled', 'scheduled', 'paused'] as const).filter(
    (status) => status === 'open' || counts.has(status),
  );
  return html`<section class="sheet" aria-labelledby="boosts">
    <h2 id="boosts">${messages.boosts}</h2>
    <ul class="figures">
      ${states.map(
        (status) =>
          html`<li>
            <a href="${context.shopPath(`/boosts?state=${status}`)}"
              ><strong>${format.number(counts.get(status) ?? 0)}</strong>
              ${boostStateMessages[language][status]}</a
            >
          </li>`,
      )}
    </ul>
    ${renderTop(context, top, messages)}
    <p class="to-all"><a href="${context.shopPath('/boosts')}">${messages.all}</a></p>
  </section>`;
}

function renderNone(
  context: RequestContext,
  messages: MessagesOf<typeof openBoostMessages>,
): Markup {
  const href = context.shopPath('/boosts/new');
  const create = context.can('purchases.write') ? linkButton({ href, label: messages.create }) : '';
  return emptyState(messages.none, messages.noneText, create);
}

function renderTop(
  context: RequestContext,
  top: readonly NamedBoost[],
  messages: MessagesOf<typeof openBoostMessages>,
): Markup | '' {
  const { format } = context;
  return table({
    caption: messages.caption,
    rows: top,
    columns: [
      [messages.item, ({ row, target }) => renderItem(context, row, target)],
      [messages.price, ({ row }) => format.money(row.priceMinor, row.currency), 'number'],
      [
        messages.left,
        ({ row: { remainingQuantity: left } }) =>
          left === null ? messages.noLimit : format.number(left),
        'number',
      ],
    ],
    empty: renderNone(context, messages),
  });
}

function renderItem(
  { language, shopPath }: RequestContext,
  { id }: BoostRow,
  target: CatalogTarget,
): Markup {
  const grade = gradeOfTarget(target, language);
  return html`${describeTarget(target, language, shopPath(`/boosts/${id}`))}
  ${grade === null ? '' : html`<span class="item-details">${grade}</span>`}`;
}

function compareIds(a: BoostRow, b: BoostRow): number {
  return a.id < b.id ? -1 : 1;
}
