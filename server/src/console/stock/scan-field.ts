import { html } from 'hono/html';
import type { Markup } from '../../html/page.ts';
import { cameraButton } from '../parts/camera-button.ts';
import { fieldId } from '../parts/field.ts';
import type { FormField, RenderedInputs } from '../parts/form/form-field.ts';
import { SEARCH_CHARACTERS_MAX } from '../parts/catalog-lookup.ts';
import { describeEntry } from '../parts/picker.ts';
import type { RequestContext } from '../request-context.ts';
import type { FoundEntry } from './find-scanned.ts';
import { receiveLineMessages } from './messages/receive.ts';

interface ScanState {
  /** The matches to choose from. */
  readonly entries: readonly FoundEntry[];
  /** The name of the item that was added last, or null. */
  readonly added: string | null;
}

/** Creates the field that a scanner types into. `receive` handles its text. */
export function scanField(context: RequestContext, state: ScanState): FormField<string> {
  return {
    label: receiveLineMessages[context.language].scan,
    names: () => ['scan'],
    show: () => ({}),
    read: () => '',
    say: (_name, inputs) => inputs.get('scan') ?? '',
    render: (_name, shown) => renderScan(context, shown, state),
  };
}

/**
 * Renders the field that has the focus. The field's button is the first button of the form, so that
 * a scanner's Enter adds a line.
 */
function renderScan(
  { language, format }: RequestContext,
  { textOf, errorOf }: Pick<RenderedInputs, 'textOf' | 'errorOf'>,
  { entries, added }: ScanState,
): Markup {
  const messages = receiveLineMessages[language];
  const [id, error] = [fieldId('scan'), errorOf('scan')];
  const described = error === null ? `${id}-hint` : `${id}-hint ${id}-fault`;
  return html`<div class="field${error === null ? '' : ' faulty'}">
      <label for="${id}">${messages.scan}</label>
      <p class="hint" id="${id}-hint">
        ${added === null ? messages.scanHint : messages.added(added)}
      </p>
      <div class="picker-search">
        <input
          type="text"
          id="${id}"
          name="scan"
          value="${textOf('scan')}"
          maxlength="${2 * SEARCH_CHARACTERS_MAX}"
          autofocus
          autocomplete="off"
          autocapitalize="off"
          spellcheck="false"
          enterkeyhint="enter"
          aria-describedby="${described}"
          ${error === null ? '' : html` aria-invalid="true" data-focus`}
        />
        <button type="submit" class="second" name="add" value="1">${messages.add}</button>
        ${cameraButton(language, 'scan')}
      </div>
      ${error === null ? '' : html`<p class="fault" id="${id}-fault">${error}</p>`}
    </div>
    ${
      entries.length === 0
        ? ''
        : html`<div class="picker-choices" role="group" aria-label="${messages.choose}">
            <p class="picker-count" role="status">
              ${messages.several(format.number(entries.length))}
            </p>
            ${entries.map(
              (entry) =>
                html`<button
                  type="submit"
                  class="plain picker-choice"
                  name="pick"
                  value="${entry.kind}/${entry.id}"
                >
                  <span>${describeEntry(entry, language)}</span>
                </button>`,
            )}
          </div>`
    }`;
}
