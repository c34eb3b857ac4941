import { html } from 'hono/html';
import type { Place } from '../../inventory/places.ts';
import type { StockUnitDetails } from '../../inventory/stock-unit.ts';
import type { Markup } from '../../pages/page.ts';
import { type ConsoleAnswer, showPage } from '../answer.ts';
import { linkButton, submitButton } from '../parts/button.ts';
import { type Choice, radioField, selectField, textField } from '../parts/field.ts';
import { nameOf } from '../parts/item-words.ts';
import { emptyState, faultOf, faultSummary, type FormFault, note } from '../parts/notes.ts';
import type { Pick } from '../parts/pick.ts';
import { cardPicker, enterButton, productPicker } from '../parts/picker.ts';
import type { Visit } from '../visit.ts';
import { placeChoices } from './place-choice.ts';
import { renderUnitFields, type UnitFieldTexts } from './unit-fields.ts';
import { receiveMessages } from './messages/unit.ts';

/** The form as it stands. */
export interface ReceiveForm {
  /** What the ids of the pieces are made from. */
  readonly batch: string;
  readonly kind: 'card' | 'product';
  readonly card: Pick;
  readonly product: Pick;
  readonly gradeId: string;
  readonly quantity: string;
  readonly place: string;
  readonly texts: UnitFieldTexts;
  readonly faults: readonly FormFault[];
  /** What the form before has taken in. */
  readonly received: { readonly unit: StockUnitDetails; readonly units: number } | null;
}

/** Shows the form that takes units in. */
export function receiveFormPage(
  visit: Visit,
  form: ReceiveForm,
  {
    places,
    grades,
    isSearching,
  }: {
    readonly places: readonly Place[];
    readonly grades: readonly Choice[];
    readonly isSearching: boolean;
  },
): ConsoleAnswer {
  const messages = receiveMessages[visit.language];
  const hasFaults = form.faults.length > 0;
  const back = { href: visit.path('/stock'), label: messages.stock };
  const choices = placeChoices(places, form.place);
  if (choices.length === 0) {
    const action = linkButton({ href: visit.path('/places/new'), label: messages.addPlace });
    const content = emptyState(messages.title, messages.noPlaces, action);
    return showPage({ title: messages.title, section: 'stock', back, content });
  }
  return showPage({
    title: messages.title,
    section: 'stock',
    status: hasFaults && !isSearching ? 422 : 200,
    scripts: ['card-picker'],
    back,
    content: html`${renderReceived(visit, form)} ${faultSummary(messages.faults, form.faults)}
      <form class="stack" method="post" action="${visit.path('/stock/receive')}">
        ${visit.formToken}${enterButton()}
        <input type="hidden" name="batch" value="${form.batch}" />
        <section class="sheet" aria-labelledby="what">
          <h2 id="what">${messages.what}</h2>
          ${renderWhat(visit, form, grades)}
          ${selectField({
            name: 'place',
            label: messages.place,
            value: form.place,
            fault: faultOf(form.faults, 'place'),
            // The only place there is needs no choice.
            choices:
              form.place === '' && choices.length > 1
                ? [{ value: '', label: messages.choosePlace }, ...choices]
                : choices,
          })}
        </section>
        <section class="sheet" aria-labelledby="details">
          <h2 id="details">${messages.details}</h2>
          ${renderUnitFields(visit, form.texts, {
            currency: visit.shop.currency,
            faults: form.faults,
          })}
        </section>
        <div class="actions">${submitButton(messages.receive)}</div>
      </form>`,
  });
}

function renderWhat(visit: Visit, form: ReceiveForm, grades: readonly Choice[]): Markup {
  const messages = receiveMessages[visit.language];
  const { faults } = form;
  const card = { name: 'card', label: messages.card, pick: form.card, isOptional: true };
  const product = {
    name: 'product',
    label: messages.product,
    pick: form.product,
    isOptional: true,
  };
  return html`${radioField({
      name: 'kind',
      label: messages.kind,
      value: form.kind,
      choices: [
        { value: 'card', label: messages.cardKind },
        { value: 'product', label: messages.productKind },
      ],
    })}
    <div class="for-card">
      ${cardPicker(visit, { ...card, fault: faultOf(faults, 'card') })}
      ${selectField({
        name: 'grade',
        label: messages.grade,
        value: form.gradeId,
        choices: [{ value: '', label: messages.noGrade }, ...grades],
      })}
    </div>
    <div class="for-product">
      ${productPicker(visit, { ...product, fault: faultOf(faults, 'product') })}
    </div>
    ${textField({
      name: 'quantity',
      label: messages.quantity,
      hint: messages.quantityHint,
      value: form.quantity,
      fault: faultOf(faults, 'quantity'),
      type: 'number',
      min: '1',
      max: '100',
      inputMode: 'numeric',
      isShort: true,
      isRequired: true,
    })}`;
}

function renderReceived(visit: Visit, { received }: ReceiveForm): Markup | '' {
  if (received === null) return '';
  const messages = receiveMessages[visit.language];
  const { unit, units } = received;
  const name = nameOf(unit.item, visit.language).text;
  return html`<div role="status">
    ${note(
      'good',
      html`${messages.received(units, name)}
        <a href="${visit.path(`/stock/${unit.id}`)}">${messages.open(units)}</a>`,
    )}
  </div>`;
}
