import { html } from 'hono/html';
import type { Place } from '../../inventory/places.ts';
import type { Language } from '../../html/language.ts';
import type { Markup } from '../../html/page.ts';
import { selectField } from '../parts/field.ts';
import type { FormError } from '../parts/notes.ts';
import { BULK_ACTIONS, bulkActionName, needsConfirmation } from './bulk-actions.ts';
import { placeChoices } from './place-choice.ts';
import { stockListMessages } from './messages/list.ts';

/** The state of the bulk form: the ticked units, and the reason why the form was rejected. */
export interface BulkState {
  readonly ticked: ReadonlySet<string>;
  readonly error: FormError | null;
}

export const EMPTY_BULK_STATE: BulkState = { ticked: new Set(), error: null };

/**
 * Renders the actions for the ticked units. While a unit is ticked, a script keeps the actions in
 * view and shows the number of units.
 */
export function renderBulkBar(
  language: Language,
  places: readonly Place[],
  { error }: BulkState,
): Markup {
  const messages = stockListMessages[language];
  return html`<section class="sheet bulk" aria-labelledby="bulk">
    <h2 id="bulk">${messages.chosen}</h2>
    <p class="hint">${messages.chosenHint}</p>
    <p class="chosen-count" role="status" data-count="${messages.chosenCount('#')}"></p>
    <div class="actions">
      ${BULK_ACTIONS.map(
        (action) =>
          html`<button
            type="submit"
            name="do"
            value="${action}"
            class="${needsConfirmation(action) ? 'danger' : 'second'}"
          >
            ${bulkActionName(action, language)}
          </button>`,
      )}
    </div>
    <div class="filters bulk-move">
      ${selectField({
        name: 'place',
        label: messages.moveTo,
        error: error?.field === 'place' ? error.text : null,
        choices: [{ value: '', label: messages.choosePlace }, ...placeChoices(places, null)],
      })}
      <button type="submit" name="do" value="move" class="second">${messages.move}</button>
    </div>
  </section>`;
}
