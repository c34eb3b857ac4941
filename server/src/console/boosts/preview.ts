import { html } from 'hono/html';
import type { BoostRow } from '../../boosts/boost-row.ts';
import { type BoostStatus, statusAt } from '../../boosts/boost-status.ts';
import { boostTargetOf, type CatalogTarget } from '../../boosts/boost-target.ts';
import { renderBoost } from '../../boosts/show-boost.ts';
import type { Language } from '../../pages/language.ts';
import type { Markup } from '../../pages/page.ts';
import { itemName } from '../cards/item-words.ts';
import { note } from '../parts/notes.ts';
import type { Visit } from '../visit.ts';
import { stateBadge } from './state-words.ts';
import { detailsOfTarget, gradeOfTarget, nameOfTarget } from './target-words.ts';

interface Words {
  readonly title: string;
  readonly board: string;
  readonly boardHint: string;
  readonly json: string;
  readonly jsonHint: string;
  readonly listed: Readonly<Record<BoostStatus, string>>;
  readonly left: (left: string) => string;
  readonly noLimit: string;
  readonly until: string;
}

export const WORDS: Readonly<Record<Language, Words>> = {
  en: {
    title: 'What apps see',
    board: 'On a price board',
    boardHint: 'Each app draws it in its own way; the facts are these.',
    json: 'What an app reads',
    jsonHint:
      'GET /purchase-boosts lists every open buy boost of your shop, the highest price first. This one in it, exactly:',
    listed: {
      open: 'Apps see this buy boost now.',
      filled:
        'Nothing is left to buy: apps see it only when they ask for filled ones too. Raise the quantity to open it again.',
      scheduled: 'Apps do not see it yet: it has not started. It appears by itself at its start.',
      paused: 'Apps do not see it: it is paused. It appears again when you resume it.',
      expired: 'Apps no longer see it: its end has passed. A later end opens it again.',
      ended: 'Apps no longer see it: it was ended, which is final.',
    },
    left: (left) => `${left} more wanted`,
    noLimit: 'No limit',
    until: 'Until',
  },
  ja: {
    title: 'アプリでの見え方',
    board: '価格表での表示例',
    boardHint: '見た目はアプリごとに異なります。伝わる内容は次のとおりです。',
    json: 'アプリが受け取るデータ',
    jsonHint:
      'GET /purchase-boosts は、ショップの受付中の買取強化を価格の高い順に返します。この買取強化は次のとおり含まれます。',
    listed: {
      open: '現在アプリに表示されています。',
      filled:
        '残りの買取数が 0 のため、上限到達分も求めるアプリにだけ表示されます。買取数を増やすと再び受付中になります。',
      scheduled:
        '開始前のため、まだアプリには表示されません。開始日時になると自動的に表示されます。',
      paused: '一時停止中のため、アプリには表示されません。再開すると表示されます。',
      expired:
        '終了日時を過ぎたため、アプリには表示されません。終了日時を延ばすと再び表示されます。',
      ended: '終了したため、アプリには表示されません。終了は取り消せません。',
    },
    left: (left) => `あと ${left} 点`,
    noLimit: '無制限',
    until: '期限',
  },
};

/** What apps are told of a boost: whether it is listed and why not, a sketch of a price board, and the very JSON. */
export function renderPreview(visit: Visit, row: BoostRow, target: CatalogTarget): Markup {
  const text = WORDS[visit.language];
  const status = statusAt(row, visit.now);
  const wire = renderBoost(row, JSON.stringify(boostTargetOf(target)), status);
  const pretty = JSON.stringify(JSON.parse(wire), null, 2);
  return html`<section class="sheet">
    <h2>${text.title}</h2>
    ${note(status === 'open' ? 'good' : 'calm', text.listed[status])}
    <h3>${text.board}</h3>
    <p class="hint">${text.boardHint}</p>
    ${renderBoard(visit, row, target, status)}
    <h3 class="after" id="json">${text.json}</h3>
    <p class="hint">${text.jsonHint}</p>
    <pre tabindex="0" role="region" aria-labelledby="json"><code>${pretty}</code></pre>
  </section>`;
}

function renderBoard(
  { language, format }: Visit,
  row: BoostRow,
  target: CatalogTarget,
  status: BoostStatus,
): Markup {
  const text = WORDS[language];
  const details = detailsOfTarget(target, language);
  const grade = gradeOfTarget(target, language);
  const { remainingQuantity: left, endsAt } = row;
  return html`<div class="price-board">
    <p><strong>${itemName(nameOfTarget(target, language), language)}</strong></p>
    <p class="hint">${details}${grade === null ? '' : html` · ${grade}`}</p>
    <p class="amount">${format.money(row.priceMinor, row.currency)}</p>
    <p>
      ${left === null ? text.noLimit : text.left(format.number(left))}
      ${stateBadge(status, language)}
    </p>
    ${endsAt === null ? '' : html`<p>${text.until}: ${format.dateTime(endsAt)}</p>`}
    ${row.note === null ? '' : html`<p>${row.note}</p>`}
  </div>`;
}
