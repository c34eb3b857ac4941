import { html } from 'hono/html';
import type { BoostRow } from '../../boosts/boost-row.ts';
import { statusAt } from '../../boosts/boost-status.ts';
import { type CatalogTarget, readCatalogTargets } from '../../boosts/boost-target.ts';
import { targetOf } from '../../boosts/show-boost.ts';
import type { Markup } from '../../pages/page.ts';
import { type ConsoleAnswer, NOT_FOUND, showPage } from '../answer.ts';
import type { ConsoleDeps } from '../deps.ts';
import { describeTarget, gradeOfTarget, stateBadge } from '../parts/boost-words.ts';
import { actionButton, linkButton, submitButton } from '../parts/button.ts';
import { textField } from '../parts/field.ts';
import { nameOf } from '../parts/item-words.ts';
import { facts, faultOf, faultSummary, type FormFault } from '../parts/notes.ts';
import type { Visit } from '../visit.ts';
import { findBoostOf } from './boost-of.ts';
import { renderPreview } from './preview.ts';
import { renderPurchases } from './purchases.ts';
import { boostMessages } from './messages/boost.ts';

export interface RefusedOnPage {
  readonly faults: readonly FormFault[];
  /** The number typed into the raise field. */
  readonly by: string;
}

export async function showBoostPage(
  visit: Visit,
  deps: ConsoleDeps,
  refused: RefusedOnPage | null = null,
): Promise<ConsoleAnswer> {
  const row = await findBoostOf(visit, deps);
  if (row === undefined) return NOT_FOUND;
  const target = targetOf(row, await readCatalogTargets(deps.db, visit.shop.id, [row]));
  const messages = boostMessages[visit.language];
  const { faults = [], by = '' } = refused ?? {};
  const content = html`${faultSummary(messages.faults, faults)}
    <section class="sheet">
      <h2>${messages.facts}</h2>
      ${renderFacts(visit, row, target)}
    </section>
    ${canRaise(visit, row) ? renderRaise(visit, row, { faults, by }) : ''}
    ${await renderPurchases(visit, deps, row)} ${renderPreview(visit, row, target)}`;
  return showPage({
    title: nameOf(target, visit.language).text,
    content,
    section: 'boosts',
    status: faults.length === 0 ? 200 : 422,
    back: { href: visit.path('/boosts'), label: messages.boosts },
    tools: renderTools(visit, row),
  });
}

function renderFacts(
  { language, format, now }: Visit,
  row: BoostRow,
  target: CatalogTarget,
): Markup {
  const messages = boostMessages[language];
  const status = statusAt(row, now);
  const { remainingQuantity: left, startsAt, endsAt } = row;
  const grade = gradeOfTarget(target, language);
  const badges = html`${stateBadge(status, language)}${row.isPaused && status !== 'paused' && status !== 'ended' ? html` ${messages.paused}` : ''}`;
  return facts([
    [messages.status, badges],
    [messages.target, describeTarget(target, language)],
    ...(grade === null ? [] : [[messages.grade, grade] as const]),
    [messages.priceEach, format.money(row.priceMinor, row.currency)],
    [messages.left, left === null ? messages.noLimit : format.number(left)],
    [messages.starts, startsAt === null ? messages.atOnce : format.dateTime(startsAt)],
    [messages.ends, endsAt === null ? messages.noEnd : format.dateTime(endsAt)],
    [messages.note, row.note ?? messages.none],
    [messages.changed, format.dateTime(row.updatedAt)],
    [messages.created, format.dateTime(row.createdAt)],
    [messages.id, html`<code>${row.id}</code>`],
  ]);
}

function renderTools(visit: Visit, row: BoostRow): Markup {
  if (!visit.may('purchases.write') || row.endedAt !== null) return html``;
  const messages = boostMessages[visit.language];
  const href = visit.path(`/boosts/${row.id}`);
  return html`${linkButton({ href: `${href}/edit`, label: messages.edit })}
  ${
    row.isPaused
      ? actionButton(visit, { action: `${href}/resume`, label: messages.resume })
      : actionButton(visit, { action: `${href}/pause`, label: messages.pause })
  }
  ${linkButton({ href: `${href}/end`, label: messages.end, kind: 'danger' })}`;
}

function canRaise(visit: Visit, row: BoostRow): boolean {
  return visit.may('purchases.write') && row.endedAt === null && row.remainingQuantity !== null;
}

function renderRaise(visit: Visit, row: BoostRow, { faults, by }: RefusedOnPage): Markup {
  const messages = boostMessages[visit.language];
  return html`<section class="sheet">
    <h2>${messages.raiseTitle}</h2>
    <form class="stack" method="post" action="${visit.path(`/boosts/${row.id}/raise`)}" novalidate>
      ${visit.formToken}
      <input type="hidden" name="left_seen" value="${row.remainingQuantity ?? 0}" />
      ${textField({
        name: 'by',
        label: messages.raiseBy,
        hint: messages.raiseHint,
        value: by,
        fault: faultOf(faults, 'by'),
        inputMode: 'numeric',
        maxLength: 12,
        isShort: true,
        autocomplete: 'off',
      })}
      ${submitButton(messages.raise)}
    </form>
  </section>`;
}
