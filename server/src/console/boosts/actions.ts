import { html } from 'hono/html';
import { readCatalogTargets } from '../../boosts/boost-target.ts';
import {
  endBoost,
  type MoveBoostResult,
  pauseBoost,
  resumeBoost,
} from '../../boosts/move-boost.ts';
import { raiseBoost, REMAINING_MAX } from '../../boosts/raise-boost.ts';
import { targetOf } from '../../boosts/show-boost.ts';
import type { Transaction } from '../../database/database.ts';
import { type ConsoleAnswer, goTo, NOT_FOUND } from '../answer.ts';
import { parseCount } from '../count-text.ts';
import type { ConsoleDeps } from '../deps.ts';
import type { FlashCode } from '../flash.ts';
import { describeTarget } from '../parts/boost-words.ts';
import { confirmPage } from '../parts/confirm-page.ts';
import { note } from '../parts/notes.ts';
import type { Visit } from '../visit.ts';
import { findBoostOf } from './boost-of.ts';
import { showBoostPage } from './boost-page.ts';
import { boostActionMessages } from './messages/boost.ts';

type Move = (tx: Transaction, shopId: string, id: string, now: Date) => Promise<MoveBoostResult>;

const MOVES: Readonly<
  Record<'pause' | 'resume' | 'end', { readonly move: Move; readonly flash: FlashCode }>
> = {
  pause: { move: pauseBoost, flash: 'boost_paused' },
  resume: { move: resumeBoost, flash: 'boost_resumed' },
  end: { move: endBoost, flash: 'boost_ended' },
};

/** Pauses, resumes or ends a boost, and returns to the page of the button. */
export async function moveOf(
  visit: Visit,
  deps: ConsoleDeps,
  name: keyof typeof MOVES,
): Promise<ConsoleAnswer> {
  const { shop, now, form, language } = visit;
  const row = await findBoostOf(visit, deps);
  if (row === undefined) return NOT_FOUND;
  const { move, flash } = MOVES[name];
  const result = await deps.write(shop.id, async (tx) => await move(tx, shop.id, row.id, now));
  switch (result.kind) {
    case 'not_found':
      return NOT_FOUND;
    case 'conflict': {
      const faults = [{ field: null, text: boostActionMessages[language].ended }];
      return await showBoostPage(visit, deps, { faults, by: '' });
    }
    case 'unchanged':
    case 'updated': {
      const back = form.get('back') === 'list' ? '/boosts' : `/boosts/${row.id}`;
      return goTo(visit.path(back), result.kind === 'updated' ? flash : 'unchanged');
    }
  }
}

export async function confirmEnd(visit: Visit, deps: ConsoleDeps): Promise<ConsoleAnswer> {
  const row = await findBoostOf(visit, deps);
  if (row === undefined) return NOT_FOUND;
  const href = visit.path(`/boosts/${row.id}`);
  if (row.endedAt !== null) return goTo(href);
  const messages = boostActionMessages[visit.language];
  const target = targetOf(row, await readCatalogTargets(deps.db, visit.shop.id, [row]));
  return confirmPage(visit, {
    title: messages.endTitle,
    section: 'boosts',
    back: { href, label: messages.boost },
    content: html`<p>${describeTarget(target, visit.language)}</p>
      <p>${visit.format.money(row.priceMinor, row.currency)}</p>
      ${note('warn', messages.endFinal)}`,
    action: `${href}/end`,
    button: messages.end,
    keep: messages.keep,
  });
}

export async function raise(visit: Visit, deps: ConsoleDeps): Promise<ConsoleAnswer> {
  const { shop, now, form, format, language } = visit;
  const messages = boostActionMessages[language];
  const row = await findBoostOf(visit, deps);
  if (row === undefined) return NOT_FOUND;
  const typed = form.get('by') ?? '';
  const refuse = async (field: string | null, fault: string): Promise<ConsoleAnswer> =>
    await showBoostPage(visit, deps, { faults: [{ field, text: fault }], by: typed });
  const by = parseCount(typed, 1, REMAINING_MAX);
  if (by === null) return await refuse('by', messages.raiseBy);
  const leftSeen = parseCount(form.get('left_seen') ?? '', 0, REMAINING_MAX) ?? 0;
  const result = await deps.write(
    shop.id,
    async (tx) => await raiseBoost(tx, shop.id, row.id, { by, leftSeen }, now),
  );
  switch (result.kind) {
    case 'raised':
      return goTo(visit.path(`/boosts/${row.id}`), 'boost_raised');
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
