import { html } from 'hono/html';
import type { Place } from '../../inventory/places.ts';
import type { Language } from '../../pages/language.ts';
import type { Markup } from '../../pages/page.ts';
import { selectField } from '../parts/field.ts';
import type { FormFault } from '../parts/notes.ts';
import { BULK_MOVES, bulkName, isAsked } from './bulk-moves.ts';
import { placeChoices } from './place-choice.ts';
import { stockListMessages } from './messages/list.ts';

/** The state of the bulk form: the ticked units, and why it was rejected. */
export interface BulkState {
  readonly ticked: ReadonlySet<string>;
  readonly fault: FormFault | null;
}

export const EMPTY_BULK: BulkState = { ticked: new Set(), fault: null };

/**
 * The actions for the ticked units. A script keeps them in view while a unit is ticked, and shows
 * the number.
 */
export function renderBulk(
  language: Language,
  places: readonly Place[],
  { fault }: BulkState,
): Markup {
  const messages = stockListMessages[language];
  return html`<section class="sheet bulk" aria-labelledby="bulk">
    <h2 id="bulk">${messages.chosen}</h2>
    <p class="hint">${messages.chosenHint}</p>
    <p class="chosen-count" role="status" data-count="${messages.chosenCount('#')}"></p>
    <div class="actions">
      ${BULK_MOVES.map(
        (move) =>
          html`<button
            type="submit"
            name="do"
            value="${move}"
            class="${isAsked(move) ? 'danger' : 'second'}"
          >
            ${bulkName(move, language)}
          </button>`,
      )}
    </div>
    <div class="filters bulk-move">
      ${selectField({
        name: 'place',
        label: messages.moveTo,
        fault: fault?.field === 'place' ? fault.text : null,
        choices: [{ value: '', label: messages.choosePlace }, ...placeChoices(places, null)],
      })}
      <button type="submit" name="do" value="move" class="second">${messages.move}</button>
    </div>
  </section>`;
}
