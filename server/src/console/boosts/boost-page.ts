import { html } from 'hono/html';
import type { BoostRow } from '../../boosts/boost-row.ts';
import { statusAt } from '../../boosts/boost-status.ts';
import { type CatalogTarget, readCatalogTargets } from '../../boosts/boost-target.ts';
import { targetOf } from '../../boosts/show-boost.ts';
import type { Language } from '../../pages/language.ts';
import type { Markup } from '../../pages/page.ts';
import { type ConsoleAnswer, NOT_FOUND, showPage } from '../answer.ts';
import type { ConsoleDeps } from '../deps.ts';
import { actionButton, linkButton, submitButton } from '../parts/button.ts';
import { textField } from '../parts/field.ts';
import { facts, faultOf, faultSummary, type FormFault } from '../parts/notes.ts';
import type { Visit } from '../visit.ts';
import { findBoostOf } from './boost-of.ts';
import { renderPreview } from './preview.ts';
import { renderPurchases } from './purchases.ts';
import { stateBadge } from './state-words.ts';
import { describeTarget, gradeOfTarget, nameOfTarget } from './target-words.ts';

interface Words {
  readonly list: string;
  readonly facts: string;
  readonly state: string;
  readonly target: string;
  readonly grade: string;
  readonly price: string;
  readonly left: string;
  readonly noLimit: string;
  readonly starts: string;
  readonly atOnce: string;
  readonly ends: string;
  readonly noEnd: string;
  readonly note: string;
  readonly none: string;
  readonly changed: string;
  readonly created: string;
  readonly id: string;
  readonly edit: string;
  readonly pause: string;
  readonly resume: string;
  readonly end: string;
  readonly raiseTitle: string;
  readonly raiseBy: string;
  readonly raiseHint: string;
  readonly raise: string;
  readonly faults: string;
  readonly paused: string;
}

const WORDS: Readonly<Record<Language, Words>> = {
  en: {
    list: 'Buy boosts',
    facts: 'Terms',
    state: 'Status',
    target: 'Card or product',
    grade: 'Grade',
    price: 'Price for each',
    left: 'Still to buy',
    noLimit: 'No limit',
    starts: 'Start',
    atOnce: 'At once',
    ends: 'End',
    noEnd: 'No end',
    note: 'Note',
    none: 'None',
    changed: 'Last changed',
    created: 'Created',
    id: 'Id',
    edit: 'Edit',
    pause: 'Pause',
    resume: 'Resume',
    end: 'End…',
    raiseTitle: 'Buy more',
    raiseBy: 'How many more',
    raiseHint: 'Added to what is left at that moment: purchases of the till are not lost.',
    raise: 'Raise the quantity',
    faults: 'This was not done:',
    paused: 'Paused by your shop',
  },
  ja: {
    list: '買取強化',
    facts: '条件',
    state: '状態',
    target: '対象',
    grade: 'グレード',
    price: '1 点あたりの買取価格',
    left: '残りの買取数',
    noLimit: '無制限',
    starts: '開始日時',
    atOnce: 'すぐに開始',
    ends: '終了日時',
    noEnd: '終了日時なし',
    note: 'メモ',
    none: 'なし',
    changed: '最終変更',
    created: '登録日時',
    id: 'ID',
    edit: '編集',
    pause: '一時停止',
    resume: '再開',
    end: '終了…',
    raiseTitle: '買取数の追加',
    raiseBy: '追加する数',
    raiseHint: 'その時点の残りに加算されます。レジでの買取が失われることはありません。',
    raise: '買取数を増やす',
    faults: '実行できませんでした。',
    paused: 'ショップが一時停止しています',
  },
};

/** What a form of the page was refused with. */
export interface RefusedOnPage {
  readonly faults: readonly FormFault[];
  /** What was typed as the number to raise by. */
  readonly by: string;
}

/** Everything about one boost, and what may be done with it. */
export async function showBoostPage(
  visit: Visit,
  deps: ConsoleDeps,
  refused: RefusedOnPage | null = null,
): Promise<ConsoleAnswer> {
  const row = await findBoostOf(visit, deps);
  if (row === undefined) return NOT_FOUND;
  const target = targetOf(row, await readCatalogTargets(deps.db, visit.shop.id, [row]));
  const text = WORDS[visit.language];
  const { faults = [], by = '' } = refused ?? {};
  const content = html`${faultSummary(text.faults, faults)}
    <section class="sheet">
      <h2>${text.facts}</h2>
      ${renderFacts(visit, row, target)}
    </section>
    ${canRaise(visit, row) ? renderRaise(visit, row, { faults, by }) : ''}
    ${await renderPurchases(visit, deps, row)} ${renderPreview(visit, row, target)}`;
  return showPage({
    title: nameOfTarget(target, visit.language).text,
    content,
    section: 'boosts',
    status: faults.length === 0 ? 200 : 422,
    back: { href: visit.path('/boosts'), label: text.list },
    tools: renderTools(visit, row),
  });
}

function renderFacts(
  { language, format, now }: Visit,
  row: BoostRow,
  target: CatalogTarget,
): Markup {
  const text = WORDS[language];
  const status = statusAt(row, now);
  const { remainingQuantity: left, startsAt, endsAt } = row;
  const grade = gradeOfTarget(target, language);
  const badges = html`${stateBadge(status, language)}${row.isPaused && status !== 'paused' && status !== 'ended' ? html` ${text.paused}` : ''}`;
  return facts([
    [text.state, badges],
    [text.target, describeTarget(target, language)],
    ...(grade === null ? [] : [[text.grade, grade] as const]),
    [text.price, format.money(row.priceMinor, row.currency)],
    [text.left, left === null ? text.noLimit : format.number(left)],
    [text.starts, startsAt === null ? text.atOnce : format.dateTime(startsAt)],
    [text.ends, endsAt === null ? text.noEnd : format.dateTime(endsAt)],
    [text.note, row.note ?? text.none],
    [text.changed, format.dateTime(row.updatedAt)],
    [text.created, format.dateTime(row.createdAt)],
    [text.id, html`<code>${row.id}</code>`],
  ]);
}

function renderTools(visit: Visit, row: BoostRow): Markup {
  if (!visit.may('purchases.write') || row.endedAt !== null) return html``;
  const text = WORDS[visit.language];
  const href = visit.path(`/boosts/${row.id}`);
  return html`${linkButton({ href: `${href}/edit`, label: text.edit })}
  ${
    row.isPaused
      ? actionButton(visit, { action: `${href}/resume`, label: text.resume })
      : actionButton(visit, { action: `${href}/pause`, label: text.pause })
  }
  ${linkButton({ href: `${href}/end`, label: text.end, kind: 'danger' })}`;
}

function canRaise(visit: Visit, row: BoostRow): boolean {
  return visit.may('purchases.write') && row.endedAt === null && row.remainingQuantity !== null;
}

function renderRaise(visit: Visit, row: BoostRow, { faults, by }: RefusedOnPage): Markup {
  const text = WORDS[visit.language];
  return html`<section class="sheet">
    <h2>${text.raiseTitle}</h2>
    <form class="stack" method="post" action="${visit.path(`/boosts/${row.id}/raise`)}" novalidate>
      ${visit.formToken}
      <input type="hidden" name="left_seen" value="${row.remainingQuantity ?? 0}" />
      ${textField({
        name: 'by',
        label: text.raiseBy,
        hint: text.raiseHint,
        value: by,
        fault: faultOf(faults, 'by'),
        inputMode: 'numeric',
        maxLength: 12,
        isShort: true,
        autocomplete: 'off',
      })}
      ${submitButton(text.raise)}
    </form>
  </section>`;
}
