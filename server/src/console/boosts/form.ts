import { html } from 'hono/html';
import { findGrade } from '../../catalog/shop-grade.ts';
import type { Language } from '../../pages/language.ts';
import type { Markup } from '../../pages/page.ts';
import { isUuid } from '../../base/field.ts';
import { gradeChoices } from '../cards/grade-choices.ts';
import { gradeText } from '../cards/item-words.ts';
import type { Pick } from '../cards/pick.ts';
import { cardPicker, enterButton, productPicker } from '../cards/picker.ts';
import type { ConsoleDeps } from '../deps.ts';
import { linkButton, submitButton } from '../parts/button.ts';
import { type Choice, radioField, selectField, textField } from '../parts/field.ts';
import { faultOf, faultSummary, type FormFault } from '../parts/notes.ts';
import type { Visit } from '../visit.ts';
import { type BoostTexts, NOTE_CHARACTERS_MAX } from './form-values.ts';

/** A form of a boost as it is shown. */
export interface BoostForm {
  readonly action: string;
  readonly texts: BoostTexts;
  readonly card: Pick;
  readonly product: Pick;
  readonly faults: readonly FormFault[];
  /** Fields that go along unseen. */
  readonly hidden: Readonly<Record<string, string>>;
  readonly submit: string;
  readonly cancelHref: string;
}

interface Words {
  readonly faults: string;
  readonly kind: string;
  readonly card: string;
  readonly product: string;
  readonly cardKind: string;
  readonly productKind: string;
  readonly grade: string;
  readonly gradeHint: string;
  readonly anyGrade: string;
  readonly price: string;
  readonly priceHint: string;
  readonly currency: string;
  readonly currencyHint: string;
  readonly left: string;
  readonly leftHint: string;
  readonly starts: string;
  readonly startsHint: string;
  readonly ends: string;
  readonly endsHint: string;
  readonly zone: (zone: string) => string;
  readonly note: string;
  readonly noteHint: string;
  readonly cancel: string;
}

const WORDS: Readonly<Record<Language, Words>> = {
  en: {
    faults: 'This could not be saved yet:',
    kind: 'What do you want to buy?',
    card: 'Card',
    product: 'Product',
    cardKind: 'A card',
    productKind: 'A sealed product',
    grade: 'Grade',
    gradeHint: 'Which condition you pay this price for.',
    anyGrade: 'Any grade',
    price: 'Price for each',
    priceHint: 'Such as 1200, or 12.50.',
    currency: 'Currency',
    currencyHint: 'The code of three letters. Leave it as it is, as a rule.',
    left: 'How many you still buy',
    leftHint: 'Leave it empty for no limit.',
    starts: 'Start',
    startsHint: 'Leave it empty to start at once.',
    ends: 'End',
    endsHint: 'Leave it empty for no end.',
    zone: (zone) => ` Times are those of ${zone}.`,
    note: 'Note',
    noteHint: `One line that customers see with the boost, at most ${NOTE_CHARACTERS_MAX} characters.`,
    cancel: 'Cancel',
  },
  ja: {
    faults: '入力内容をご確認ください。',
    kind: '買取の対象',
    card: 'カード',
    product: '商品',
    cardKind: 'カード',
    productKind: '未開封商品',
    grade: 'グレード',
    gradeHint: 'この価格で買い取るグレードを選んでください。',
    anyGrade: 'グレード不問',
    price: '1 点あたりの買取価格',
    priceHint: '例：1200、12.50',
    currency: '通貨',
    currencyHint: '通常は変更する必要はありません（英字 3 文字）。',
    left: '残りの買取数',
    leftHint: '空欄にすると無制限になります。',
    starts: '開始日時',
    startsHint: '空欄にするとすぐに始まります。',
    ends: '終了日時',
    endsHint: '空欄にすると期限なしになります。',
    zone: (zone) => `${zone} の時刻です。`,
    note: 'メモ',
    noteHint: `買取強化と一緒にお客様に表示される 1 行です（${NOTE_CHARACTERS_MAX} 文字まで）。`,
    cancel: 'キャンセル',
  },
};

/** Lays the form of a boost out. */
export async function renderBoostForm(
  visit: Visit,
  db: ConsoleDeps['db'],
  form: BoostForm,
): Promise<Markup> {
  const text = WORDS[visit.language];
  const { texts, faults, hidden } = form;
  const grades = await readGradeChoices(db, visit, texts.grade);
  return html`${faultSummary(text.faults, faults)}
    <form class="sheet stack boost-form" method="post" action="${form.action}" novalidate>
      ${visit.formToken}${enterButton()}
      ${Object.entries(hidden).map(
        ([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`,
      )}
      ${renderTarget(visit, form, [{ value: '', label: text.anyGrade }, ...grades])}
      ${renderTerms(visit, form)}
      <div class="actions">
        ${submitButton(form.submit)}
        ${linkButton({ href: form.cancelHref, label: text.cancel, kind: 'plain' })}
      </div>
    </form>`;
}

function renderTarget(visit: Visit, form: BoostForm, grades: readonly Choice[]): Markup {
  const text = WORDS[visit.language];
  const { texts, faults, card, product } = form;
  return html`${radioField({
      name: 'kind',
      label: text.kind,
      value: texts.kind,
      choices: [
        { value: 'card', label: text.cardKind },
        { value: 'product', label: text.productKind },
      ],
    })}
    <div class="for-card">
      ${cardPicker(visit, {
        name: 'card',
        label: text.card,
        pick: card,
        fault: faultOf(faults, 'card'),
      })}
      ${selectField({
        name: 'grade',
        label: text.grade,
        hint: text.gradeHint,
        value: texts.grade,
        fault: faultOf(faults, 'grade'),
        choices: grades,
      })}
    </div>
    <div class="for-product">
      ${productPicker(visit, {
        name: 'product',
        label: text.product,
        pick: product,
        fault: faultOf(faults, 'product'),
      })}
    </div>`;
}

function renderTerms({ language, format }: Visit, { texts, faults }: BoostForm): Markup {
  const text = WORDS[language];
  const zone = text.zone(format.zone);
  return html`<div class="side-by-side">
      ${textField({
        name: 'price',
        label: text.price,
        hint: text.priceHint,
        value: texts.price,
        fault: faultOf(faults, 'price'),
        inputMode: 'decimal',
        maxLength: 24,
        autocomplete: 'off',
      })}
      ${textField({
        name: 'currency',
        label: text.currency,
        hint: text.currencyHint,
        value: texts.currency,
        fault: faultOf(faults, 'currency'),
        maxLength: 3,
        isShort: true,
        autocomplete: 'off',
      })}
    </div>
    ${textField({
      name: 'left',
      label: text.left,
      hint: text.leftHint,
      value: texts.left,
      fault: faultOf(faults, 'left'),
      inputMode: 'numeric',
      maxLength: 12,
      isShort: true,
      autocomplete: 'off',
    })}
    <div class="side-by-side">
      ${textField({
        name: 'starts',
        label: text.starts,
        hint: text.startsHint + zone,
        type: 'datetime-local',
        value: texts.starts,
        fault: faultOf(faults, 'starts'),
      })}
      ${textField({
        name: 'ends',
        label: text.ends,
        hint: text.endsHint + zone,
        type: 'datetime-local',
        value: texts.ends,
        fault: faultOf(faults, 'ends'),
      })}
    </div>
    ${textField({
      name: 'note',
      label: text.note,
      hint: text.noteHint,
      value: texts.note,
      fault: faultOf(faults, 'note'),
      // A character takes at most two units.
      maxLength: 2 * NOTE_CHARACTERS_MAX,
      autocomplete: 'off',
    })}
    <p
      class="counter"
      data-counter="note"
      data-max="${NOTE_CHARACTERS_MAX}"
      aria-hidden="true"
    ></p>`;
}

/** The choices of the shop, and the grade that is chosen should it not be among them. */
async function readGradeChoices(
  db: ConsoleDeps['db'],
  { shop }: Visit,
  chosen: string,
): Promise<readonly Choice[]> {
  const choices = await gradeChoices(db, shop.id);
  if (!isUuid(chosen) || choices.some(({ value }) => value === chosen)) return choices;
  const grade = await findGrade(db, shop.id, chosen);
  return grade === undefined ? choices : [...choices, { value: grade.id, label: gradeText(grade) }];
}
