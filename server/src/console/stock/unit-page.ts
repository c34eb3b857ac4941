import { html } from 'hono/html';
import { listPlaces, type Place } from '../../inventory/places.ts';
import { findStockUnit, type StockUnitDetails } from '../../inventory/stock-unit.ts';
import { nextStatuses, type UnitStatus } from '../../inventory/unit-status.ts';
import type { Markup } from '../../html/page.ts';
import { listConnections } from '../../webhooks/connection-details.ts';
import { type ConsoleResponse, NOT_FOUND, showPage } from '../response.ts';
import type { ConsoleDeps } from '../deps.ts';
import { actorText } from '../parts/actor-text.ts';
import { actionButton, linkButton, submitButton } from '../parts/button.ts';
import { selectField } from '../parts/field.ts';
import { renderItemName, itemDetailsOf, itemNameOf } from '../parts/item-text.ts';
import { descriptionList } from '../parts/notes.ts';
import { stockListPath } from '../parts/stock-filter.ts';
import { table } from '../parts/table.ts';
import { statusBadge, statusName } from '../parts/unit-status.ts';
import type { RequestContext } from '../request-context.ts';
import { parseConfirmedStatus } from './confirmed-status.ts';
import { itemGradeText } from './item-cell.ts';
import { placeChoices, placeText, placeValue } from './place-choice.ts';
import { transitionName } from './status-text.ts';
import { renderReadProgress } from './unit-feed.ts';
import { type PhotoError, renderPhotos } from './unit-photos.ts';
import { unitMessages } from './messages/unit.ts';

/** The maximum number of connections that are read. No shop has that many active connections. */
const CONNECTIONS_MAX = 1_000;

/** Shows the page of a unit. After a refused upload, `photoError` says why. */
export async function unitPage(
  { db }: Pick<ConsoleDeps, 'db'>,
  context: RequestContext,
  unitId: string,
  photoError: PhotoError | null = null,
): Promise<ConsoleResponse> {
  const { shop, now } = context;
  const page = { afterId: null, limit: CONNECTIONS_MAX, status: 'active' } as const;
  const [unit, places, connections] = await Promise.all([
    findStockUnit(db, shop.id, unitId),
    context.can('inventory.write') ? listPlaces(db, shop.id) : [],
    listConnections(db, shop.id, page, now),
  ]);
  if (unit === undefined) return NOT_FOUND;
  const messages = unitMessages[context.language];
  const canWrite = context.can('inventory.write');
  return showPage({
    title: itemNameOf(unit.item, context.language).text,
    section: 'stock',
    status: photoError === null ? 200 : 422,
    scripts: canWrite ? ['photo'] : [],
    back: { href: context.shopPath('/stock'), label: messages.stock },
    headerActions: canWrite
      ? html`${renderMainAction(context, unit)}
        ${linkButton({ href: context.shopPath(`/stock/${unit.id}/edit`), label: messages.edit })}`
      : undefined,
    content: html`<div class="unit-page">
        <div class="unit-facts">${renderFacts(context, unit)}</div>
        <div class="unit-status">
          ${renderStatus(context, unit)} ${canWrite ? renderPlaceForm(context, unit, places) : ''}
        </div>
        ${renderPhotos(context, unit, photoError)}
      </div>
      ${renderHistory(context, unit)} ${renderReadProgress(context, unit, connections)}`,
  });
}

function renderFacts(context: RequestContext, unit: StockUnitDetails): Markup {
  const { language, format } = context;
  const messages = unitMessages[language];
  const { item } = unit;
  const money = (minor: number | null): string =>
    minor === null ? '–' : format.money(minor, unit.currency);
  const itemFilter =
    item.kind === 'card' ? { cardId: item.card.id } : { productId: item.product.id };
  const grade: readonly (readonly [string, string])[] =
    item.kind === 'card' ? [[messages.grade, itemGradeText(item) ?? messages.ungraded]] : [];
  const cost: readonly (readonly [string, string])[] = context.can('inventory.cost')
    ? [[messages.cost, money(unit.costMinor)]]
    : [];
  return html`<section class="sheet" aria-labelledby="facts">
    <h2 id="facts">${messages.details}</h2>
    <p class="item-line">
      ${renderItemName(itemNameOf(item, language), language)}
      <span class="item-details">${itemDetailsOf(item, language)}</span>
    </p>
    ${descriptionList([
      [messages.status, statusBadge(unit.status, language)],
      ...grade,
      [messages.place, placeText(unit.site, unit.location)],
      [messages.price, money(unit.priceMinor)],
      ...cost,
      [messages.certificate, unit.certNumber ?? '–'],
      [messages.serial, unit.serialNumber ?? '–'],
      [messages.ownership, unit.ownership === 'owned' ? messages.owned : messages.consigned],
      [messages.acquired, unit.acquiredAt === null ? '–' : format.dateTime(unit.acquiredAt)],
      [messages.created, format.dateTime(unit.createdAt)],
      [messages.changed, format.dateTime(unit.updatedAt)],
      [messages.id, html`<code>${unit.id}</code>`],
    ])}
    <p><a href="${stockListPath(context, itemFilter)}">${messages.sameItem}</a></p>
  </section>`;
}

/** Of these statuses, the first one that the unit can change to has a prominent button. */
const MAIN_STATUSES: readonly UnitStatus[] = ['sold', 'in_stock'];

function mainStatus({ status }: StockUnitDetails): UnitStatus | undefined {
  const next = nextStatuses(status);
  return MAIN_STATUSES.find((each) => next.includes(each));
}

/** Renders the button that sells the unit, or after that the button that undoes the sale. */
function renderMainAction(context: RequestContext, unit: StockUnitDetails): Markup | '' {
  const to = mainStatus(unit);
  return to === undefined ? '' : renderTransition(context, unit, to, 'first');
}

function renderTransition(
  context: RequestContext,
  unit: StockUnitDetails,
  to: UnitStatus,
  kind: 'first' | 'second',
): Markup {
  const label = transitionName(unit.status, to, context.language);
  if (parseConfirmedStatus(to) !== null) {
    const href = `${context.shopPath(`/stock/${unit.id}/confirm`)}?to=${to}`;
    return linkButton({ href, label, kind: 'danger' });
  }
  return actionButton(context, {
    action: context.shopPath(`/stock/${unit.id}/status`),
    label,
    kind,
    fields: { to, from: unit.status },
  });
}

/** Renders the status of a unit, and the other buttons to change it for members who may. */
function renderStatus(context: RequestContext, unit: StockUnitDetails): Markup {
  const { language, format } = context;
  const messages = unitMessages[language];
  const next = nextStatuses(unit.status);
  const others = next.filter((status) => status !== mainStatus(unit));
  const since = format.dateTimeText(unit.statusChangedAt);
  return html`<section class="sheet" aria-labelledby="status">
    <h2 id="status">${messages.status}</h2>
    <p>
      ${statusBadge(unit.status, language)}
      <span class="small soft">${messages.since(since)}</span>
    </p>
    ${
      context.can('inventory.write') && others.length > 0
        ? html`<details class="more">
            <summary>${messages.moreActions}</summary>
            <div class="actions">
              ${others.map((to) => renderTransition(context, unit, to, 'second'))}
            </div>
          </details>`
        : ''
    }
    ${next.length === 0 ? html`<p class="soft">${messages.final}</p>` : ''}
  </section>`;
}

function renderPlaceForm(
  context: RequestContext,
  unit: StockUnitDetails,
  places: readonly Place[],
): Markup {
  const messages = unitMessages[context.language];
  const here = placeValue({ siteId: unit.site.id, locationId: unit.location?.id ?? null });
  return html`<section class="sheet" aria-labelledby="move">
    <h2 id="move">${messages.moveTitle}</h2>
    <form method="post" action="${context.shopPath(`/stock/${unit.id}/move`)}">
      ${context.formToken}
      ${selectField({
        name: 'place',
        label: messages.moveTo,
        value: here,
        choices: placeChoices(places, here),
      })}
      ${submitButton(messages.move, 'second')}
    </form>
  </section>`;
}

function renderHistory(context: RequestContext, unit: StockUnitDetails): Markup {
  const { language, format } = context;
  const messages = unitMessages[language];
  const rows = unit.history;
  return html`<section class="sheet" aria-labelledby="history">
    <h2 id="history">${messages.history}</h2>
    ${table({
      caption: messages.history,
      rows,
      columns: [
        [messages.when, ({ changedAt }) => format.dateTime(changedAt)],
        [messages.from, ({ from }) => statusName(from, language)],
        [messages.to, ({ to }) => statusName(to, language)],
        [messages.who, ({ by }) => actorText(context, by)],
      ],
      empty: html`<p class="soft">${messages.noHistory}</p>`,
    })}
    ${rows.length >= HISTORY_SHOWN_MAX ? html`<p class="hint">${messages.moreHistory}</p>` : ''}
  </section>`;
}

/** The maximum number of entries in the history, the same as in `findStockUnit`. */
const HISTORY_SHOWN_MAX = 200;
