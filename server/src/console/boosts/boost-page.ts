import { html } from 'hono/html';
import type { BoostRow } from '../../boosts/boost-row.ts';
import { statusAt } from '../../boosts/boost-status.ts';
import { type CatalogTarget, readCatalogTargets } from '../../boosts/boost-target.ts';
import { type LastBoostEdit, selectLastBoostEdit } from '../../boosts/last-boost-edit.ts';
import { targetOf } from '../../boosts/render-boost.ts';
import type { Markup } from '../../html/page.ts';
import { type ConsoleResponse, NOT_FOUND, showPage } from '../response.ts';
import type { ConsoleDeps } from '../deps.ts';
import { actorText } from '../parts/actor-text.ts';
import { describeTarget, gradeOfTarget, stateBadge } from '../parts/boost-text.ts';
import { actionButton, linkButton, submitButton } from '../parts/button.ts';
import { textField } from '../parts/field.ts';
import { itemNameOf } from '../parts/item-text.ts';
import { renderReceiptNote } from '../parts/receipt-note.ts';
import { descriptionList, errorOf, errorSummary, type FormError } from '../parts/notes.ts';
import type { RequestContext } from '../request-context.ts';
import { BUY_ON_BOOST_PERMISSIONS } from '../section.ts';
import { findBoostByPath } from './find-boost.ts';
import { renderPreview } from './preview.ts';
import { renderPurchases } from './purchases.ts';
import { boostMessages } from './messages/boost.ts';

export interface BoostPageErrors {
  readonly errors: readonly FormError[];
  /** The number that was typed into the raise field. */
  readonly by: string;
}

export async function showBoostPage(
  context: RequestContext,
  deps: ConsoleDeps,
  refused: BoostPageErrors | null = null,
): Promise<ConsoleResponse> {
  const row = await findBoostByPath(context, deps);
  if (row === undefined) return NOT_FOUND;
  const target = targetOf(row, await readCatalogTargets(deps.db, context.shop.id, [row]));
  const messages = boostMessages[context.language];
  const { errors = [], by = '' } = refused ?? {};
  const content = html`${errorSummary(messages.faults, errors)}
    ${await renderReceiptNote(context, deps, context.query['bought'])}
    <section class="sheet">
      <h2>${messages.facts}</h2>
      ${renderFacts(context, row, target, await deps.db.one(selectLastBoostEdit, [context.shop.id, row.id]))}
    </section>
    ${canRaise(context, row) ? renderRaise(context, row, { errors, by }) : ''}
    ${await renderPurchases(context, deps, row)} ${renderPreview(context, row, target)}`;
  return showPage({
    title: itemNameOf(target, context.language).text,
    content,
    section: 'boosts',
    status: errors.length === 0 ? 200 : 422,
    back: { href: context.shopPath('/boosts'), label: messages.boosts },
    headerActions: renderTools(context, row),
  });
}

function renderFacts(
  context: RequestContext,
  row: BoostRow,
  target: CatalogTarget,
  lastEdit: LastBoostEdit | undefined,
): Markup {
  const { language, format, now } = context;
  const messages = boostMessages[language];
  const status = statusAt(row, now);
  const { remainingQuantity: left, startsAt, endsAt } = row;
  const grade = gradeOfTarget(target, language);
  const badges = html`${stateBadge(status, language)}${row.isPaused && status !== 'paused' && status !== 'ended' ? html` ${messages.paused}` : ''}`;
  return descriptionList([
    [messages.status, badges],
    [messages.target, describeTarget(target, language)],
    ...(grade === null ? [] : [[messages.grade, grade] as const]),
    [messages.priceEach, format.money(row.priceMinor, row.currency)],
    [messages.left, left === null ? messages.noLimit : format.number(left)],
    [messages.starts, startsAt === null ? messages.atOnce : format.dateTime(startsAt)],
    [messages.ends, endsAt === null ? messages.noEnd : format.dateTime(endsAt)],
    [messages.note, row.note ?? messages.none],
    ...(lastEdit === undefined
      ? []
      : [
          [
            messages.edited,
            html`${format.dateTime(lastEdit.editedAt)} · ${actorText(context, lastEdit)}`,
          ] as const,
        ]),
    [messages.changed, format.dateTime(row.updatedAt)],
    [messages.created, format.dateTime(row.createdAt)],
    [messages.id, html`<code>${row.id}</code>`],
  ]);
}

function renderTools(context: RequestContext, row: BoostRow): Markup {
  if (!context.can('purchases.write') || row.endedAt !== null) return html``;
  const messages = boostMessages[context.language];
  const href = context.shopPath(`/boosts/${row.id}`);
  const canBuy = BUY_ON_BOOST_PERMISSIONS.all.every(context.can) && row.remainingQuantity !== 0;
  return html`${canBuy ? linkButton({ href: `${href}/buy`, label: messages.buy, kind: 'first' }) : ''}
  ${linkButton({ href: `${href}/edit`, label: messages.edit })}
  ${
    row.isPaused
      ? actionButton(context, { action: `${href}/resume`, label: messages.resume })
      : actionButton(context, { action: `${href}/pause`, label: messages.pause })
  }
  ${linkButton({ href: `${href}/end`, label: messages.end, kind: 'danger' })}`;
}

function canRaise(context: RequestContext, row: BoostRow): boolean {
  return context.can('purchases.write') && row.endedAt === null && row.remainingQuantity !== null;
}

function renderRaise(
  context: RequestContext,
  row: BoostRow,
  { errors, by }: BoostPageErrors,
): Markup {
  const messages = boostMessages[context.language];
  return html`<section class="sheet">
    <h2>${messages.raiseTitle}</h2>
    <form
      class="stack"
      method="post"
      action="${context.shopPath(`/boosts/${row.id}/raise`)}"
      novalidate
    >
      ${context.formToken}
      <input type="hidden" name="left_seen" value="${row.remainingQuantity ?? 0}" />
      ${textField({
        name: 'by',
        label: messages.raiseBy,
        hint: messages.raiseHint,
        value: by,
        error: errorOf(errors, 'by'),
        inputMode: 'numeric',
        maxLength: 12,
        isShort: true,
        autocomplete: 'off',
      })}
      ${submitButton(messages.raise)}
    </form>
  </section>`;
}
