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
import type { Language } from '../../pages/language.ts';
import { type ConsoleAnswer, goTo, NOT_FOUND, showPage } from '../answer.ts';
import { parseCount } from '../count-text.ts';
import type { ConsoleDeps } from '../deps.ts';
import type { FlashCode } from '../flash.ts';
import { actionButton, linkButton } from '../parts/button.ts';
import { note } from '../parts/notes.ts';
import type { Visit } from '../visit.ts';
import { findBoostOf } from './boost-of.ts';
import { showBoostPage } from './boost-page.ts';
import { describeTarget } from './target-words.ts';

interface Words {
  readonly ended: string;
  readonly raiseBy: string;
  readonly noLimit: string;
  readonly tooMany: string;
  readonly raisedBefore: (left: string) => string;
  readonly endTitle: string;
  readonly endFinal: string;
  readonly end: string;
  readonly keep: string;
  readonly boost: string;
}

export const WORDS: Readonly<Record<Language, Words>> = {
  en: {
    ended: 'This buy boost was ended, which is final.',
    raiseBy: 'Enter a whole number from 1 to 1,000,000,000.',
    noLimit: 'This buy boost has no limit: there is nothing to raise.',
    tooMany: 'At most 1,000,000,000 can be left.',
    raisedBefore: (left) =>
      `The quantity was raised since this page was shown: ${left} are left to buy now. Nothing was added this time. To buy more still, raise it again.`,
    endTitle: 'End this buy boost?',
    endFinal:
      'Ending is final: the buy boost disappears from apps at once and can be neither changed nor opened again. To stop for a while, pause it instead.',
    end: 'End it for good',
    keep: 'Keep it',
    boost: 'Buy boost',
  },
  ja: {
    ended: 'この買取強化は終了しています。終了は取り消せません。',
    raiseBy: '1 から 1,000,000,000 までの整数を入力してください。',
    noLimit: 'この買取強化は無制限のため、増やす必要はありません。',
    tooMany: '残りの買取数は 1,000,000,000 までです。',
    raisedBefore: (left) =>
      `このページを表示した後に買取数が増やされ、現在の残りは ${left} です。今回は追加していません。さらに増やす場合は、もう一度実行してください。`,
    endTitle: 'この買取強化を終了しますか？',
    endFinal:
      '終了は取り消せません。アプリからすぐに消え、変更も再開もできなくなります。しばらく止めるだけの場合は、一時停止をご利用ください。',
    end: '完全に終了する',
    keep: '終了しない',
    boost: '買取強化の詳細',
  },
};

type Move = (tx: Transaction, shopId: string, id: string, now: Date) => Promise<MoveBoostResult>;

const MOVES: Readonly<
  Record<'pause' | 'resume' | 'end', { readonly move: Move; readonly flash: FlashCode }>
> = {
  pause: { move: pauseBoost, flash: 'boost_paused' },
  resume: { move: resumeBoost, flash: 'boost_resumed' },
  end: { move: endBoost, flash: 'boost_ended' },
};

/** Pauses, resumes or ends a boost, and goes back to where the button was pressed. */
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
      const faults = [{ field: null, text: WORDS[language].ended }];
      return await showBoostPage(visit, deps, { faults, by: '' });
    }
    case 'unchanged':
    case 'updated': {
      const back = form.get('back') === 'list' ? '/boosts' : `/boosts/${row.id}`;
      return goTo(visit.path(back), result.kind === 'updated' ? flash : 'unchanged');
    }
  }
}

/** Asks whether a boost is to be ended for good. */
export async function confirmEnd(visit: Visit, deps: ConsoleDeps): Promise<ConsoleAnswer> {
  const row = await findBoostOf(visit, deps);
  if (row === undefined) return NOT_FOUND;
  const href = visit.path(`/boosts/${row.id}`);
  if (row.endedAt !== null) return goTo(href);
  const text = WORDS[visit.language];
  const target = targetOf(row, await readCatalogTargets(deps.db, visit.shop.id, [row]));
  const content = html`<section class="sheet">
    <p>${describeTarget(target, visit.language)}</p>
    <p>${visit.format.money(row.priceMinor, row.currency)}</p>
    ${note('warn', text.endFinal)}
    <div class="actions">
      ${actionButton(visit, { action: `${href}/end`, label: text.end, kind: 'danger' })}
      ${linkButton({ href, label: text.keep })}
    </div>
  </section>`;
  return showPage({
    title: text.endTitle,
    content,
    section: 'boosts',
    back: { href, label: text.boost },
  });
}

/** Raises what is left of a boost by what was typed. */
export async function raise(visit: Visit, deps: ConsoleDeps): Promise<ConsoleAnswer> {
  const { shop, now, form, format, language } = visit;
  const text = WORDS[language];
  const row = await findBoostOf(visit, deps);
  if (row === undefined) return NOT_FOUND;
  const typed = form.get('by') ?? '';
  const refuse = async (field: string | null, fault: string): Promise<ConsoleAnswer> =>
    await showBoostPage(visit, deps, { faults: [{ field, text: fault }], by: typed });
  const by = parseCount(typed, 1, REMAINING_MAX);
  if (by === null) return await refuse('by', text.raiseBy);
  const leftSeen = parseCount(form.get('left_seen') ?? '', 0, REMAINING_MAX) ?? 0;
  const result = await deps.write(
    shop.id,
    async (tx) => await raiseBoost(tx, shop.id, row.id, { by, leftSeen }, now),
  );
  switch (result.kind) {
    case 'raised':
      return goTo(visit.path(`/boosts/${row.id}`), 'boost_raised');
    case 'no_limit':
      return await refuse(null, text.noLimit);
    case 'raised_before':
      return await refuse('by', text.raisedBefore(format.number(result.left)));
    case 'too_many':
      return await refuse('by', text.tooMany);
    case 'ended':
      return await refuse(null, text.ended);
    case 'not_found':
      return NOT_FOUND;
  }
}
