import { html } from 'hono/html';
import { listPlaces, type Place } from '../../inventory/places.ts';
import {
  findStockUnit,
  type StockUnitDetails,
  type UnitStatusChange,
} from '../../inventory/stock-unit.ts';
import { nextStatuses, type UnitStatus } from '../../inventory/unit-status.ts';
import type { Markup } from '../../pages/page.ts';
import { listConnections } from '../../webhooks/shown-connection.ts';
import { type ConsoleAnswer, NOT_FOUND, showPage } from '../answer.ts';
import type { ConsoleDeps } from '../deps.ts';
import { actionButton, linkButton, submitButton } from '../parts/button.ts';
import { selectField } from '../parts/field.ts';
import { itemName, detailsOf, nameOf } from '../parts/item-words.ts';
import { facts } from '../parts/notes.ts';
import { listPath } from '../parts/stock-filter.ts';
import { table } from '../parts/table.ts';
import { statusBadge, statusName } from '../parts/unit-status.ts';
import type { Visit } from '../visit.ts';
import { askedStatus } from './asked-status.ts';
import { gradeOf } from './item-cell.ts';
import { placeChoices, placeText, placeValue } from './place-choice.ts';
import { moveName } from './status-words.ts';
import { renderFeed } from './unit-feed.ts';
import { type PhotoFault, renderPhotos } from './unit-photos.ts';
import { unitMessages } from './messages/unit.ts';

/** More than the active connections of any shop. */
const CONNECTIONS_MAX = 1_000;

/** Shows a unit; with `photoFault` after a refused upload. */
export async function unitPage(
  { db }: Pick<ConsoleDeps, 'db'>,
  visit: Visit,
  unitId: string,
  photoFault: PhotoFault | null = null,
): Promise<ConsoleAnswer> {
  const { shop, now } = visit;
  const page = { afterId: null, limit: CONNECTIONS_MAX, status: 'active' } as const;
  const [unit, places, connections] = await Promise.all([
    findStockUnit(db, shop.id, unitId),
    visit.may('inventory.write') ? listPlaces(db, shop.id) : [],
    listConnections(db, shop.id, page, now),
  ]);
  if (unit === undefined) return NOT_FOUND;
  const messages = unitMessages[visit.language];
  const mayWrite = visit.may('inventory.write');
  return showPage({
    title: nameOf(unit.item, visit.language).text,
    section: 'stock',
    status: photoFault === null ? 200 : 422,
    scripts: mayWrite ? ['photo'] : [],
    back: { href: visit.path('/stock'), label: messages.stock },
    tools: mayWrite
      ? linkButton({ href: visit.path(`/stock/${unit.id}/edit`), label: messages.edit })
      : undefined,
    content: html`<div class="unit-page">
        ${renderPhotos(visit, unit, photoFault)}
        <div class="unit-status">
          ${renderStatus(visit, unit)} ${mayWrite ? renderPlaceForm(visit, unit, places) : ''}
        </div>
        <div class="unit-facts">${renderFacts(visit, unit)}</div>
      </div>
      ${renderHistory(visit, unit)} ${renderFeed(visit, unit, connections)}`,
  });
}

function renderFacts(visit: Visit, unit: StockUnitDetails): Markup {
  const { language, format } = visit;
  const messages = unitMessages[language];
  const { item } = unit;
  const money = (minor: number | null): string =>
    minor === null ? '–' : format.money(minor, unit.currency);
  const ofItem = item.kind === 'card' ? { cardId: item.card.id } : { productId: item.product.id };
  const grade: readonly (readonly [string, string])[] =
    item.kind === 'card' ? [[messages.grade, gradeOf(item) ?? messages.ungraded]] : [];
  const cost: readonly (readonly [string, string])[] = visit.may('inventory.cost')
    ? [[messages.cost, money(unit.costMinor)]]
    : [];
  return html`<section class="sheet" aria-labelledby="facts">
    <h2 id="facts">${messages.details}</h2>
    <p class="item-line">
      ${itemName(nameOf(item, language), language)}
      <span class="item-details">${detailsOf(item, language)}</span>
    </p>
    ${facts([
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
    <p><a href="${listPath(visit, ofItem)}">${messages.sameItem}</a></p>
  </section>`;
}

/** The status; for members who may change it, also the possible moves. */
function renderStatus(visit: Visit, unit: StockUnitDetails): Markup {
  const { language, format } = visit;
  const messages = unitMessages[language];
  const next = nextStatuses(unit.status);
  const since = format.dateTimeText(unit.statusChangedAt);
  const button = (to: UnitStatus): Markup => {
    const label = moveName(unit.status, to, language);
    if (askedStatus(to) !== null) {
      const href = `${visit.path(`/stock/${unit.id}/confirm`)}?to=${to}`;
      return linkButton({ href, label, kind: 'danger' });
    }
    return actionButton(visit, {
      action: visit.path(`/stock/${unit.id}/status`),
      label,
      fields: { to, from: unit.status },
    });
  };
  return html`<section class="sheet" aria-labelledby="status">
    <h2 id="status">${messages.status}</h2>
    <p>
      ${statusBadge(unit.status, language)}
      <span class="small soft">${messages.since(since)}</span>
    </p>
    ${visit.may('inventory.write') && next.length > 0 ? html`<div class="actions">${next.map(button)}</div>` : ''}
    ${next.length === 0 ? html`<p class="soft">${messages.final}</p>` : ''}
  </section>`;
}

function renderPlaceForm(visit: Visit, unit: StockUnitDetails, places: readonly Place[]): Markup {
  const messages = unitMessages[visit.language];
  const here = placeValue({ siteId: unit.site.id, locationId: unit.location?.id ?? null });
  return html`<section class="sheet" aria-labelledby="move">
    <h2 id="move">${messages.moveTitle}</h2>
    <form method="post" action="${visit.path(`/stock/${unit.id}/move`)}">
      ${visit.formToken}
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

function renderHistory(visit: Visit, unit: StockUnitDetails): Markup {
  const { language, format } = visit;
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
        [messages.who, (change) => actorText(visit, change)],
      ],
      empty: html`<p class="soft">${messages.noHistory}</p>`,
    })}
    ${rows.length >= HISTORY_SHOWN_MAX ? html`<p class="hint">${messages.moreHistory}</p>` : ''}
  </section>`;
}

/** The limit of `findStockUnit`. */
const HISTORY_SHOWN_MAX = 200;

/**
 * Names of apps and keys are for members who manage them; names of members are visible to all
 * members.
 */
function actorText(visit: Visit, { by }: UnitStatusChange): string {
  const kind = unitMessages[visit.language].actors[by.kind];
  if (by.name === null) return kind;
  if (by.kind === 'member') return by.name;
  return visit.may('integrations.manage') ? `${kind}: ${by.name}` : kind;
}
