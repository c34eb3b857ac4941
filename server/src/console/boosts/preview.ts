import { html } from 'hono/html';
import type { BoostRow } from '../../boosts/boost-row.ts';
import { type BoostStatus, statusAt } from '../../boosts/boost-status.ts';
import { boostTargetOf, type CatalogTarget } from '../../boosts/boost-target.ts';
import { renderBoost } from '../../boosts/show-boost.ts';
import type { Markup } from '../../pages/page.ts';
import { gradeOfTarget, stateBadge } from '../parts/boost-words.ts';
import { detailsOf, itemName, nameOf } from '../parts/item-words.ts';
import { note } from '../parts/notes.ts';
import type { Visit } from '../visit.ts';
import { boostPreviewMessages } from './messages/form.ts';

/**
 * What apps receive for a boost: whether it is listed and why not, a sketch of a price board, and
 * the exact JSON.
 */
export function renderPreview(visit: Visit, row: BoostRow, target: CatalogTarget): Markup {
  const messages = boostPreviewMessages[visit.language];
  const status = statusAt(row, visit.now);
  const wire = renderBoost(row, JSON.stringify(boostTargetOf(target)), status);
  const pretty = JSON.stringify(JSON.parse(wire), null, 2);
  return html`<section class="sheet">
    <h2>${messages.title}</h2>
    ${note(status === 'open' ? 'good' : 'calm', messages.listed[status])}
    <h3>${messages.board}</h3>
    <p class="hint">${messages.boardHint}</p>
    ${renderBoard(visit, row, target, status)}
    <h3 class="after" id="json">${messages.json}</h3>
    <p class="hint">${messages.jsonHint}</p>
    <pre tabindex="0" role="region" aria-labelledby="json"><code>${pretty}</code></pre>
  </section>`;
}

function renderBoard(
  { language, format }: Visit,
  row: BoostRow,
  target: CatalogTarget,
  status: BoostStatus,
): Markup {
  const messages = boostPreviewMessages[language];
  const details = detailsOf(target, language);
  const grade = gradeOfTarget(target, language);
  const { remainingQuantity: left, endsAt } = row;
  return html`<div class="price-board">
    <p><strong>${itemName(nameOf(target, language), language)}</strong></p>
    <p class="hint">${details}${grade === null ? '' : html` · ${grade}`}</p>
    <p class="amount">${format.money(row.priceMinor, row.currency)}</p>
    <p>
      ${left === null ? messages.noLimit : messages.left(format.number(left))}
      ${stateBadge(status, language)}
    </p>
    ${endsAt === null ? '' : html`<p>${messages.until}: ${format.dateTime(endsAt)}</p>`}
    ${row.note === null ? '' : html`<p>${row.note}</p>`}
  </div>`;
}
