import { html } from 'hono/html';
import { isUuid } from '../../base/field.ts';
import { findGrade } from '../../catalog/shop-grade.ts';
import type { Markup } from '../../pages/page.ts';
import type { ConsoleDeps } from '../deps.ts';
import { linkButton, submitButton } from '../parts/button.ts';
import { type Choice, radioField, selectField, textField } from '../parts/field.ts';
import { gradeChoices } from '../parts/grade-choices.ts';
import { gradeText } from '../parts/item-words.ts';
import { faultOf, faultSummary, type FormFault } from '../parts/notes.ts';
import type { Pick } from '../parts/pick.ts';
import { cardPicker, enterButton, productPicker } from '../parts/picker.ts';
import type { Visit } from '../visit.ts';
import { type BoostTexts, NOTE_CHARACTERS_MAX } from './form-values.ts';
import { boostFormMessages } from './messages/form.ts';

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

/** Lays the form of a boost out. */
export async function renderBoostForm(
  visit: Visit,
  db: ConsoleDeps['db'],
  form: BoostForm,
): Promise<Markup> {
  const messages = boostFormMessages[visit.language];
  const { texts, faults, hidden } = form;
  const grades = await readGradeChoices(db, visit, texts.grade);
  return html`${faultSummary(messages.faults, faults)}
    <form class="sheet stack boost-form" method="post" action="${form.action}" novalidate>
      ${visit.formToken}${enterButton()}
      ${Object.entries(hidden).map(
        ([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`,
      )}
      ${renderTarget(visit, form, [{ value: '', label: messages.anyGrade }, ...grades])}
      ${renderTerms(visit, form)}
      <div class="actions">
        ${submitButton(form.submit)}
        ${linkButton({ href: form.cancelHref, label: messages.cancel, kind: 'plain' })}
      </div>
    </form>`;
}

function renderTarget(visit: Visit, form: BoostForm, grades: readonly Choice[]): Markup {
  const messages = boostFormMessages[visit.language];
  const { texts, faults, card, product } = form;
  return html`${radioField({
      name: 'kind',
      label: messages.kind,
      value: texts.kind,
      choices: [
        { value: 'card', label: messages.cardKind },
        { value: 'product', label: messages.productKind },
      ],
    })}
    <div class="for-card">
      ${cardPicker(visit, {
        name: 'card',
        label: messages.card,
        pick: card,
        fault: faultOf(faults, 'card'),
      })}
      ${selectField({
        name: 'grade',
        label: messages.grade,
        hint: messages.gradeHint,
        value: texts.grade,
        fault: faultOf(faults, 'grade'),
        choices: grades,
      })}
    </div>
    <div class="for-product">
      ${productPicker(visit, {
        name: 'product',
        label: messages.product,
        pick: product,
        fault: faultOf(faults, 'product'),
      })}
    </div>`;
}

function renderTerms({ language, format }: Visit, { texts, faults }: BoostForm): Markup {
  const messages = boostFormMessages[language];
  const zone = messages.zone(format.zone);
  return html`<div class="side-by-side">
      ${textField({
        name: 'price',
        label: messages.price,
        hint: messages.priceHint,
        value: texts.price,
        fault: faultOf(faults, 'price'),
        inputMode: 'decimal',
        maxLength: 24,
        autocomplete: 'off',
      })}
      ${textField({
        name: 'currency',
        label: messages.currency,
        hint: messages.currencyHint,
        value: texts.currency,
        fault: faultOf(faults, 'currency'),
        maxLength: 3,
        isShort: true,
        autocomplete: 'off',
      })}
    </div>
    ${textField({
      name: 'left',
      label: messages.left,
      hint: messages.leftHint,
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
        label: messages.starts,
        hint: messages.startsHint + zone,
        type: 'datetime-local',
        value: texts.starts,
        fault: faultOf(faults, 'starts'),
      })}
      ${textField({
        name: 'ends',
        label: messages.ends,
        hint: messages.endsHint + zone,
        type: 'datetime-local',
        value: texts.ends,
        fault: faultOf(faults, 'ends'),
      })}
    </div>
    ${textField({
      name: 'note',
      label: messages.note,
      hint: messages.noteHint(NOTE_CHARACTERS_MAX),
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
