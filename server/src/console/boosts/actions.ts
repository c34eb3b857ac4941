import { html } from 'hono/html';
import { readCatalogTargets } from '../../boosts/boost-target.ts';
import {
  endBoost,
  type ChangeBoostStateResult,
  pauseBoost,
  resumeBoost,
} from '../../boosts/change-boost-state.ts';
import { recordBoostEdit } from '../../boosts/last-boost-edit.ts';
import { raiseBoost, REMAINING_MAX } from '../../boosts/raise-boost.ts';
import { targetOf } from '../../boosts/render-boost.ts';
import type { Transaction } from '../../database/database.ts';
import { type ConsoleResponse, redirectTo, NOT_FOUND } from '../response.ts';
import { parseCount } from '../parse-count.ts';
import type { ConsoleDeps } from '../deps.ts';
import type { FlashCode } from '../flash.ts';
import { describeTarget } from '../parts/boost-text.ts';
import { confirmPage } from '../parts/confirm-page.ts';
import { callout } from '../parts/notes.ts';
import type { RequestContext } from '../request-context.ts';
import { findBoostByPath } from './find-boost.ts';
import { showBoostPage } from './boost-page.ts';
import { boostActionMessages } from './messages/boost.ts';

type Transition = (
  tx: Transaction,
  shopId: string,
  id: string,
  now: Date,
) => Promise<ChangeBoostStateResult>;

const TRANSITIONS: Readonly<
  Record<'pause' | 'resume' | 'end', { readonly transition: Transition; readonly flash: FlashCode }>
> = {
  pause: { transition: pauseBoost, flash: 'boost_paused' },
  resume: { transition: resumeBoost, flash: 'boost_resumed' },
  end: { transition: endBoost, flash: 'boost_ended' },
};

/** Pauses, resumes or ends a boost, and returns to the page that contained the button. */
export async function changeBoostState(
  context: RequestContext,
  deps: ConsoleDeps,
  name: keyof typeof TRANSITIONS,
): Promise<ConsoleResponse> {
  const { shop, now, form, language } = context;
  const row = await findBoostByPath(context, deps);
  if (row === undefined) return NOT_FOUND;
  const { transition, flash } = TRANSITIONS[name];
  const result = await deps.write(shop.id, async (tx) => {
    const changed = await transition(tx, shop.id, row.id, now);
    if (changed.kind === 'updated') {
      await recordBoostEdit(tx, shop.id, row.id, context.actor, now);
    }
    return changed;
  });
  switch (result.kind) {
    case 'not_found':
      return NOT_FOUND;
    case 'conflict': {
      const errors = [{ field: null, text: boostActionMessages[language].ended }];
      return await showBoostPage(context, deps, { errors, by: '' });
    }
    case 'unchanged':
    case 'updated': {
      const back = form.get('back') === 'list' ? '/boosts' : `/boosts/${row.id}`;
      return redirectTo(context.shopPath(back), result.kind === 'updated' ? flash : 'unchanged');
    }
  }
}

export async function confirmEnd(
  context: RequestContext,
  deps: ConsoleDeps,
): Promise<ConsoleResponse> {
  const row = await findBoostByPath(context, deps);
  if (row === undefined) return NOT_FOUND;
  const href = context.shopPath(`/boosts/${row.id}`);
  if (row.endedAt !== null) return redirectTo(href);
  const messages = boostActionMessages[context.language];
  const target = targetOf(row, await readCatalogTargets(deps.db, context.shop.id, [row]));
  return confirmPage(context, {
    title: messages.endTitle,
    section: 'boosts',
    back: { href, label: messages.boost },
    content: html`<p>${describeTarget(target, context.language)}</p>
      <p>${context.format.money(row.priceMinor, row.currency)}</p>
      ${callout('warn', messages.endFinal)}`,
    action: `${href}/end`,
    button: messages.end,
    cancelLabel: messages.keep,
  });
}

export async function raiseQuantity(
  context: RequestContext,
  deps: ConsoleDeps,
): Promise<ConsoleResponse> {
  const { shop, now, form, format, language } = context;
  const messages = boostActionMessages[language];
  const row = await findBoostByPath(context, deps);
  if (row === undefined) return NOT_FOUND;
  const typed = form.get('by') ?? '';
  const refuse = async (field: string | null, error: string): Promise<ConsoleResponse> =>
    await showBoostPage(context, deps, { errors: [{ field, text: error }], by: typed });
  const by = parseCount(typed, 1, REMAINING_MAX);
  if (by === null) return await refuse('by', messages.raiseBy);
  const shownQuantity = parseCount(form.get('left_seen') ?? '', 0, REMAINING_MAX) ?? 0;
  const result = await deps.write(shop.id, async (tx) => {
    const raised = await raiseBoost(tx, shop.id, row.id, { by, shownQuantity }, now);
    if (raised.kind === 'raised') await recordBoostEdit(tx, shop.id, row.id, context.actor, now);
    return raised;
  });
  switch (result.kind) {
    case 'raised':
      return redirectTo(context.shopPath(`/boosts/${row.id}`), 'boost_raised');
    case 'no_limit':
      return await refuse(null, messages.noLimit);
    case 'raised_before':
      return await refuse('by', messages.raisedBefore(format.number(result.left)));
    case 'too_many':
      return await refuse('by', messages.tooMany);
    case 'ended':
      return await refuse(null, messages.ended);
    case 'not_found':
      return NOT_FOUND;
  }
}
