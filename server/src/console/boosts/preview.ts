import { html } from 'hono/html';
import type { BoostRow } from '../../boosts/boost-row.ts';
import { type BoostStatus, statusAt } from '../../boosts/boost-status.ts';
import { boostTargetOf, type CatalogTarget } from '../../boosts/boost-target.ts';
import { renderBoost } from '../../boosts/render-boost.ts';
import type { Markup } from '../../html/page.ts';
import { gradeOfTarget, stateBadge } from '../parts/boost-text.ts';
import { itemDetailsOf, renderItemName, itemNameOf } from '../parts/item-text.ts';
import { callout } from '../parts/notes.ts';
import type { RequestContext } from '../request-context.ts';
import { boostPreviewMessages } from './messages/form.ts';

/**
 * Renders how apps see a boost: whether it is listed (or why not), a sketch of a price board, and
 * the exact JSON.
 */
export function renderPreview(
  context: RequestContext,
  row: BoostRow,
  target: CatalogTarget,
): Markup {
  const messages = boostPreviewMessages[context.language];
  const status = statusAt(row, context.now);
  const wire = renderBoost(row, JSON.stringify(boostTargetOf(target)), status);
  const pretty = JSON.stringify(JSON.parse(wire), null, 2);
  return html`<section class="sheet">
    <h2>${messages.title}</h2>
    ${callout(status === 'open' ? 'good' : 'calm', messages.listed[status])}
    <h3>${messages.board}</h3>
    <p class="hint">${messages.boardHint}</p>
    ${renderBoard(context, row, target, status)}
    <h3 class="after" id="json">${messages.json}</h3>
    <p class="hint">${messages.jsonHint}</p>
    <pre tabindex="0" role="region" aria-labelledby="json"><code>${pretty}</code></pre>
  </section>`;
}

function renderBoard(
  { language, format }: RequestContext,
  row: BoostRow,
  target: CatalogTarget,
  status: BoostStatus,
): Markup {
  const messages = boostPreviewMessages[language];
  const details = itemDetailsOf(target, language);
  const grade = gradeOfTarget(target, language);
  const { remainingQuantity: left, endsAt } = row;
  return html`<div class="price-board">
    <p><strong>${renderItemName(itemNameOf(target, language), language)}</strong></p>
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
