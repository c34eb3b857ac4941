import { html } from 'hono/html';
import type { BoostRow } from '../../boosts/boost-row.ts';
import {
  type CatalogTarget,
  readCatalogTargets,
  type TargetColumns,
} from '../../boosts/boost-target.ts';
import type { Language } from '../../pages/language.ts';
import type { Markup } from '../../pages/page.ts';
import { isUuid } from '../../base/field.ts';
import { type ConsoleAnswer, showPage } from '../answer.ts';
import type { ConsoleDeps } from '../deps.ts';
import { linkButton, submitButton } from '../parts/button.ts';
import { fieldId } from '../parts/field.ts';
import { note } from '../parts/notes.ts';
import type { Visit } from '../visit.ts';
import { type BoostTexts, differingGroups, type FieldGroup, textsOf } from './form-values.ts';
import { seenFields } from './seen-fields.ts';
import { gradeOfTarget, nameOfTarget } from './target-words.ts';

/** Three states of one boost: what the member was shown, what he made of it, what it is by now. */
interface Differing {
  readonly row: BoostRow;
  readonly was: BoostTexts;
  readonly mine: BoostTexts;
}

interface Words {
  readonly title: string;
  readonly intro: string;
  readonly changedAt: string;
  readonly ended: string;
  readonly groups: Readonly<Record<FieldGroup, string>>;
  readonly now: string;
  readonly mine: string;
  readonly was: string;
  readonly none: Readonly<Record<FieldGroup, string>>;
  readonly others: string;
  readonly submit: string;
  readonly discard: string;
  readonly boost: string;
}

export const WORDS: Readonly<Record<Language, Words>> = {
  en: {
    title: 'Changed meanwhile',
    intro:
      'Somebody else, or the till, changed this buy boost while you edited it. Nothing is saved yet. Choose what counts:',
    changedAt: 'Last changed',
    ended: 'It was ended meanwhile, which is final: your changes cannot be saved.',
    groups: {
      target: 'Card or product',
      price: 'Price for each',
      left: 'How many you still buy',
      starts: 'Start',
      ends: 'End',
      note: 'Note',
    },
    now: 'As it is now',
    mine: 'As you have it',
    was: 'When you opened it',
    none: {
      target: 'unknown',
      price: 'none',
      left: 'no limit',
      starts: 'at once',
      ends: 'no end',
      note: 'no note',
    },
    others: 'Your other changes are kept:',
    submit: 'Save what is chosen',
    discard: 'Discard my changes',
    boost: 'Buy boost',
  },
  ja: {
    title: 'ほかの変更と重なりました',
    intro:
      '編集している間に、この買取強化がほかのメンバーまたはレジによって変更されました。まだ保存していません。どちらを残すか選んでください。',
    changedAt: '最終変更',
    ended: 'この買取強化はすでに終了しているため、変更を保存できません。',
    groups: {
      target: '買取の対象',
      price: '1 点あたりの買取価格',
      left: '残りの買取数',
      starts: '開始日時',
      ends: '終了日時',
      note: 'メモ',
    },
    now: '現在の内容',
    mine: 'あなたの入力',
    was: '編集を始めたとき',
    none: {
      target: '不明',
      price: 'なし',
      left: '無制限',
      starts: 'すぐに開始',
      ends: '終了日時なし',
      note: 'メモなし',
    },
    others: '次の変更はそのまま保存されます。',
    submit: '選んだ内容で保存する',
    discard: '変更を破棄する',
    boost: '買取強化の詳細',
  },
};

/** The boost was changed while it was edited: shows both values of what differs, and lets the member decide (409). */
export async function stalePage(
  visit: Visit,
  { db }: Pick<ConsoleDeps, 'db'>,
  { row, was, mine }: Differing,
): Promise<ConsoleAnswer> {
  const text = WORDS[visit.language];
  const href = visit.path(`/boosts/${row.id}`);
  const now = textsOf(row, visit.format.zone);
  const say = await describer(visit, db, [now, was, mine]);
  const differing = differingGroups(now, mine);
  const changed = differingGroups(now, was);
  const asked = differing.filter((group) => changed.includes(group));
  const kept = differing.filter((group) => !changed.includes(group));
  const hidden = { ...mine, ...seenFields(now, row.updatedAt) };
  const isEnded = row.endedAt !== null;
  const content = html`${note('warn', isEnded ? text.ended : text.intro)}
    <form class="sheet stack" method="post" action="${href}/edit">
      ${visit.formToken}
      ${Object.entries(hidden).map(
        ([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`,
      )}
      <p>${text.changedAt}: ${visit.format.dateTime(row.updatedAt)}</p>
      ${asked.map((group) => {
        const isMine = differingGroups(mine, was).includes(group);
        const values = { now: say(group, now), mine: say(group, mine), was: say(group, was) };
        return renderDecision(text, group, values, isMine);
      })}
      ${
        kept.length === 0
          ? ''
          : html`<p>${text.others}</p>
              <ul>
                ${kept.map((group) => html`<li>${text.groups[group]}: ${say(group, mine)}</li>`)}
              </ul>`
      }
      <div class="actions">
        ${isEnded ? '' : submitButton(text.submit)}
        ${linkButton({ href, label: text.discard, kind: 'plain' })}
      </div>
    </form>`;
  return showPage({
    title: text.title,
    content,
    section: 'boosts',
    status: 409,
    back: { href, label: text.boost },
  });
}

function renderDecision(
  text: Words,
  group: FieldGroup,
  values: Readonly<Record<'now' | 'mine' | 'was', string>>,
  isMine: boolean,
): Markup {
  const id = fieldId(`take_${group}`);
  return html`<fieldset class="decision">
    <legend>${text.groups[group]}</legend>
    <p class="hint">${text.was}: ${values.was}</p>
    ${(['now', 'mine'] as const).map(
      (side) =>
        html`<div class="box">
          <input
            type="radio"
            id="${id}-${side}"
            name="take_${group}"
            value="${side}"
            ${isMine === (side === 'mine') ? html` checked` : ''}
          />
          <label for="${id}-${side}">${text[side]}: <strong>${values[side]}</strong></label>
        </div>`,
    )}
  </fieldset>`;
}

/** Says one group of several forms of a boost, each name of the catalog read once. */
async function describer(
  { language, shop }: Visit,
  db: ConsoleDeps['db'],
  forms: readonly BoostTexts[],
): Promise<(group: FieldGroup, texts: BoostTexts) => string> {
  const text = WORDS[language];
  const resolve = await readCatalogTargets(db, shop.id, forms.map(columnsOf));
  const nameOf = (target: CatalogTarget): string => {
    const grade = gradeOfTarget(target, language);
    const name = nameOfTarget(target, language).text;
    return grade === null ? name : `${name} · ${grade}`;
  };
  return (group, texts) => {
    if (group === 'target') {
      const resolved = resolve(columnsOf(texts));
      return resolved.kind === 'target' ? nameOf(resolved.target) : text.none.target;
    }
    const value = group === 'price' ? `${texts.price} ${texts.currency}` : texts[group];
    return value === '' ? text.none[group] : value.replace('T', group === 'note' ? 'T' : ' ');
  };
}

function columnsOf({ card, grade, product }: BoostTexts): TargetColumns {
  const idOf = (text: string): string | null => (isUuid(text) ? text : null);
  return { cardId: idOf(card), gradeId: idOf(grade), productId: idOf(product) };
}
