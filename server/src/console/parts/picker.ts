import { html } from 'hono/html';
import type { Language } from '../../html/language.ts';
import type { Markup } from '../../html/page.ts';
import { fieldId } from './field.ts';
import type { RequestContext } from '../request-context.ts';
import { renderItemName } from './item-text.ts';
import {
  type PickerState,
  type CatalogKind,
  type CatalogEntry,
  type LookupResult,
  SEARCH_CHARACTERS_MAX,
} from './catalog-lookup.ts';
import { pickerMessages } from './messages/catalog.ts';

/** The options of a picker. `CatalogLookup.read` returns the `state`. */
interface PickerOptions {
  readonly label: string;
  readonly state: PickerState;
  readonly error: string | null;
}

/**
 * Renders a hidden submit button. Enter presses the first submit button of a form, so this button,
 * placed before the pickers, keeps Enter from pressing a picker's search button.
 */
export function defaultSubmitButton(): Markup {
  return html`<button type="submit" hidden></button>`;
}

/** Renders the options of the picker's list, and a sentence for screen readers. */
export function renderHits(kind: CatalogKind, search: LookupResult, language: Language): Markup {
  const options = search.kind === 'found' ? search.options : [];
  return html`<p data-status>${resultText(kind, search, language)}</p>
    <ul>
      ${options.map(
        (option) =>
          html`<li
            role="option"
            aria-selected="false"
            data-id="${option.id}"
            data-text="${textOf(option)}"
          >
            ${describeEntry(option, language)}
          </li>`,
      )}
    </ul>`;
}

export function describeEntry({ name, details }: CatalogEntry, language: Language): Markup {
  return html`<span class="item-name">${renderItemName(name, language)}</span>
    ${details === '' ? '' : html`<span class="item-details">${details}</span>`}`;
}

/**
 * Renders inputs to choose a card or sealed product of the catalog. With a script, the picker
 * searches while the member types; without a script, a button shows the hits. The input `KIND`
 * contains the id, and `KIND_q` the text. `KIND_find` is the search button. An empty card picker has
 * the focus.
 */
export function picker(
  context: RequestContext,
  kind: CatalogKind,
  { label, state, error }: PickerOptions,
): Markup {
  const { language } = context;
  const messages = pickerMessages[language];
  const id = fieldId(kind);
  const typed = state.text === '' && state.chosen !== null ? textOf(state.chosen) : state.text;
  const hasFocus = kind === 'card' && typed === '' && !error;
  const described = error ? `${id}-hint ${id}-fault` : `${id}-hint`;
  const source = context.shopPath(kind === 'card' ? '/cards' : '/products');
  return html`<fieldset
    class="field picker${error ? ' faulty' : ''}"
    data-picker="${kind}"
    data-source="${source}"
    data-failed="${messages.failed}"
  >
    <legend>${label}</legend>
    <p class="hint" id="${id}-hint">${messages.hint[kind]}</p>
    <div class="picker-search">
      <label class="unseen" for="${id}">${label}</label>
      <input
        type="text"
        id="${id}"
        name="${kind}_q"
        value="${typed}"
        maxlength="${2 * SEARCH_CHARACTERS_MAX}"
        ${hasFocus ? html` autofocus` : ''}
        autocomplete="off"
        autocapitalize="off"
        spellcheck="false"
        enterkeyhint="search"
        aria-describedby="${described}"
        ${error ? html` aria-invalid="true"` : ''}
      />
      <button type="submit" class="second" name="${kind}_find" value="1">
        ${messages.find[kind]}
      </button>
    </div>
    ${error ? html`<p class="fault" id="${id}-fault">${error}</p>` : ''}
    ${renderChoices(kind, language, { label, state })}
    <p class="picker-status" role="status"></p>
  </fieldset>`;
}

/** Renders the chosen entry, then the hits, as radio buttons. */
function renderChoices(
  kind: CatalogKind,
  language: Language,
  { label, state }: Omit<PickerOptions, 'error'>,
): Markup | '' {
  const { chosen, result } = state;
  const found = result?.kind === 'found' ? result.options : [];
  const others = found.filter(({ id }) => id !== chosen?.id);
  const shown = chosen === null ? others : [chosen, ...others];
  if (shown.length === 0 && result === null) return '';
  return html`<div class="picker-choices" role="radiogroup" aria-label="${label}">
    ${result === null ? '' : html`<p class="picker-count">${resultText(kind, result, language)}</p>`}
    ${shown.map((option) => renderChoice(kind, option, option.id === chosen?.id, language))}
  </div>`;
}

function renderChoice(
  name: string,
  option: CatalogEntry,
  isChosen: boolean,
  language: Language,
): Markup {
  return html`<label class="picker-choice">
    <input
      type="radio"
      name="${name}"
      value="${option.id}"
      data-text="${textOf(option)}"
      ${isChosen ? html` checked` : ''}
    />
    <span>${describeEntry(option, language)}</span>
  </label>`;
}

function textOf({ name, details }: CatalogEntry): string {
  return details === '' ? name.text : `${name.text} · ${details}`;
}

function resultText(kind: CatalogKind, search: LookupResult, language: Language): string {
  const messages = pickerMessages[language];
  switch (search.kind) {
    case 'found':
      return search.options.length === 0
        ? messages.nothing[kind]
        : messages.count(search.options.length);
    case 'empty':
      return messages.empty;
    case 'too_long':
      return messages.tooLong;
    case 'unavailable':
      return messages.searchBusy;
  }
}
