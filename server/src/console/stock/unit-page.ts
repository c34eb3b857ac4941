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
import { itemName } from '../cards/item-words.ts';
import type { ConsoleDeps } from '../deps.ts';
import { actionButton, linkButton, submitButton } from '../parts/button.ts';
import { selectField } from '../parts/field.ts';
import { facts } from '../parts/notes.ts';
import { table } from '../parts/table.ts';
import type { Visit } from '../visit.ts';
import { detailsOf, gradeText, nameOf } from './item-cell.ts';
import { listPath } from './list-filter.ts';
import { placeChoices, placeText, placeValue } from './place-choice.ts';
import { moveName, statusBadge, statusName } from './status-words.ts';
import { renderFeed } from './unit-feed.ts';
import { type PhotoFault, renderPhotos } from './unit-photos.ts';
import { UNIT_WORDS } from './unit-words.ts';

/** Active connections of a shop that are looked at: more than any shop has. */
const CONNECTIONS_MAX = 1_000;
/** Statuses that a unit never leaves: asked twice before. */
export const FINAL_STATUSES: readonly UnitStatus[] = ['returned', 'voided'];

/** Shows a unit; with `photoFault` after an upload that was refused. */
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
  const text = UNIT_WORDS[visit.language];
  const mayWrite = visit.may('inventory.write');
  return showPage({
    title: nameOf(unit.item, visit.language).text,
    section: 'stock',
    status: photoFault === null ? 200 : 422,
    scripts: mayWrite ? ['photo'] : [],
    back: { href: visit.path('/stock'), label: text.stock },
    ...(mayWrite
      ? {
          tools: linkButton({
            href: visit.path(`/stock/${unit.id}/edit`),
            label: text.edit,
          }),
        }
      : {}),
    content: html`<div class="grid two unit-page">
        <div>
          ${renderFacts(visit, unit)}
          ${mayWrite ? html`${renderMoves(visit, unit)}${renderPlaceForm(visit, unit, places)}` : ''}
        </div>
        ${renderPhotos(visit, unit, photoFault)}
      </div>
      ${renderHistory(visit, unit)} ${renderFeed(visit, unit, connections)}`,
  });
}

function renderFacts(visit: Visit, unit: StockUnitDetails): Markup {
  const { language, format } = visit;
  const text = UNIT_WORDS[language];
  const { item } = unit;
  const money = (minor: number | null): string =>
    minor === null ? '–' : format.money(minor, unit.currency);
  const ofItem = item.kind === 'card' ? { cardId: item.card.id } : { productId: item.product.id };
  const grade: readonly (readonly [string, string])[] =
    item.kind === 'card' ? [[text.grade, gradeText(item) ?? text.noGrade]] : [];
  const cost: readonly (readonly [string, string])[] = visit.may('inventory.cost')
    ? [[text.cost, money(unit.costMinor)]]
    : [];
  const since = format.dateTimeText(unit.statusChangedAt);
  return html`<section class="sheet" aria-labelledby="facts">
    <h2 id="facts">${text.facts}</h2>
    <p class="item-line">
      ${itemName(nameOf(item, language), language)}
      <span class="item-details">${detailsOf(item, language)}</span>
    </p>
    ${facts([
      [
        text.status,
        html`${statusBadge(unit.status, language)}
          <span class="small soft">${text.since(since)}</span>`,
      ],
      ...grade,
      [text.place, placeText(unit.site, unit.location)],
      [text.price, money(unit.priceMinor)],
      ...cost,
      [text.certificate, unit.certNumber ?? '–'],
      [text.serial, unit.serialNumber ?? '–'],
      [text.ownership, unit.ownership === 'owned' ? text.owned : text.consigned],
      [text.acquired, unit.acquiredAt === null ? '–' : format.dateTime(unit.acquiredAt)],
      [text.created, format.dateTime(unit.createdAt)],
      [text.changed, format.dateTime(unit.updatedAt)],
      [text.id, html`<code>${unit.id}</code>`],
    ])}
    <p><a href="${listPath(visit, ofItem)}">${text.sameItem}</a></p>
  </section>`;
}

function renderMoves(visit: Visit, unit: StockUnitDetails): Markup {
  const { language } = visit;
  const text = UNIT_WORDS[language];
  const next = nextStatuses(unit.status);
  const button = (to: UnitStatus): Markup => {
    const label = moveName(unit.status, to, language);
    if (FINAL_STATUSES.includes(to)) {
      const href = `${visit.path(`/stock/${unit.id}/confirm`)}?to=${to}`;
      return linkButton({ href, label, kind: 'danger' });
    }
    return actionButton(visit, {
      action: visit.path(`/stock/${unit.id}/status`),
      label,
      kind: to === 'written_off' ? 'danger' : 'second',
      fields: { to, from: unit.status },
    });
  };
  return html`<section class="sheet" aria-labelledby="change">
    <h2 id="change">${text.change}</h2>
    ${
      next.length === 0
        ? html`<p class="soft">${text.final}</p>`
        : html`<div class="actions">${next.map(button)}</div>`
    }
  </section>`;
}

function renderPlaceForm(visit: Visit, unit: StockUnitDetails, places: readonly Place[]): Markup {
  const text = UNIT_WORDS[visit.language];
  const here = placeValue({ siteId: unit.site.id, locationId: unit.location?.id ?? null });
  return html`<section class="sheet" aria-labelledby="move">
    <h2 id="move">${text.moveTitle}</h2>
    <form method="post" action="${visit.path(`/stock/${unit.id}/move`)}">
      ${visit.formToken}
      ${selectField({
        name: 'place',
        label: text.moveTo,
        value: here,
        choices: placeChoices(places, here),
      })}
      ${submitButton(text.move, 'second')}
    </form>
  </section>`;
}

function renderHistory(visit: Visit, unit: StockUnitDetails): Markup {
  const { language, format } = visit;
  const text = UNIT_WORDS[language];
  const rows = unit.history.map((change) => [
    format.dateTime(change.changedAt),
    statusName(change.from, language),
    statusName(change.to, language),
    actorText(visit, change),
  ]);
  return html`<section class="sheet" aria-labelledby="history">
    <h2 id="history">${text.history}</h2>
    ${
      rows.length === 0
        ? html`<p class="soft">${text.noHistory}</p>`
        : table({
            caption: text.history,
            isCaptionUnseen: true,
            columns: [
              { label: text.when },
              { label: text.from },
              { label: text.to },
              { label: text.who },
            ],
            rows,
          })
    }
    ${rows.length >= HISTORY_SHOWN_MAX ? html`<p class="hint">${text.moreHistory}</p>` : ''}
  </section>`;
}

/** As many changes as `findStockUnit` reads. */
const HISTORY_SHOWN_MAX = 200;

/** Names of apps and keys are for who manages them; those of members are known in a shop. */
function actorText(visit: Visit, { by }: UnitStatusChange): string {
  const kind = UNIT_WORDS[visit.language].actors[by.kind];
  if (by.name === null) return kind;
  if (by.kind === 'member') return by.name;
  return visit.may('integrations.manage') ? `${kind}: ${by.name}` : kind;
}
