import { html } from 'hono/html';
import type { Language } from '../../pages/language.ts';
import type { Markup } from '../../pages/page.ts';
import { fieldId } from './field.ts';
import type { Visit } from '../visit.ts';
import { itemName } from './item-words.ts';
import {
  type Pick,
  type PickKind,
  type PickOption,
  type PickSearch,
  SEARCH_CHARACTERS_MAX,
} from './pick.ts';
import { pickerMessages } from './messages/catalog.ts';

/** The options of a picker. `pick` is the result of `CatalogPicks.read`. */
interface PickerOptions {
  readonly label: string;
  readonly pick: Pick;
  readonly fault: string | null;
}

/**
 * Enter presses the first submit button of a form. Placed before the pickers, this hidden one keeps
 * Enter from pressing a picker's search button.
 */
export function enterButton(): Markup {
  return html`<button type="submit" hidden></button>`;
}

/** The hits for the picker's script: options for its list, and a sentence for screen readers. */
export function renderHits(kind: PickKind, search: PickSearch, language: Language): Markup {
  const options = search.kind === 'found' ? search.options : [];
  return html`<p data-status>${sentenceOf(kind, search, language)}</p>
    <ul>
      ${options.map(
        (option) =>
          html`<li
            role="option"
            aria-selected="false"
            data-id="${option.id}"
            data-text="${textOf(option)}"
          >
            ${describeOption(option, language)}
          </li>`,
      )}
    </ul>`;
}

/** Name and details of a catalog entry, for a row or a heading. */
export function describeOption({ name, details }: PickOption, language: Language): Markup {
  return html`<span class="item-name">${itemName(name, language)}</span>
    ${details === '' ? '' : html`<span class="item-details">${details}</span>`}`;
}

/**
 * Picks a card or a sealed product of the catalog. With a script it searches during typing; without
 * one, a button shows the hits. The input called `kind` holds the id, `KIND_q` the text, and
 * `KIND_find` is the search button.
 */
export function picker(
  visit: Visit,
  kind: PickKind,
  { label, pick, fault }: PickerOptions,
): Markup {
  const { language } = visit;
  const messages = pickerMessages[language];
  const id = fieldId(kind);
  const typed = pick.text === '' && pick.chosen !== null ? textOf(pick.chosen) : pick.text;
  const described = fault ? `${id}-hint ${id}-fault` : `${id}-hint`;
  const source = visit.path(kind === 'card' ? '/cards' : '/products');
  return html`<fieldset
    class="field picker${fault ? ' faulty' : ''}"
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
        autocomplete="off"
        autocapitalize="off"
        spellcheck="false"
        enterkeyhint="search"
        aria-describedby="${described}"
        ${fault ? html` aria-invalid="true"` : ''}
      />
      <button type="submit" class="second" name="${kind}_find" value="1">
        ${messages.find[kind]}
      </button>
    </div>
    ${fault ? html`<p class="fault" id="${id}-fault">${fault}</p>` : ''}
    ${renderChoices(kind, language, { label, pick })}
    <p class="picker-status" role="status"></p>
  </fieldset>`;
}

/** The chosen entry, then the hits, as radio buttons. */
function renderChoices(
  kind: PickKind,
  language: Language,
  { label, pick }: Omit<PickerOptions, 'fault'>,
): Markup | '' {
  const { chosen, search } = pick;
  const found = search?.kind === 'found' ? search.options : [];
  const others = found.filter(({ id }) => id !== chosen?.id);
  const shown = chosen === null ? others : [chosen, ...others];
  if (shown.length === 0 && search === null) return '';
  return html`<div class="picker-choices" role="radiogroup" aria-label="${label}">
    ${search === null ? '' : html`<p class="picker-count">${sentenceOf(kind, search, language)}</p>`}
    ${shown.map((option) => renderChoice(kind, option, option.id === chosen?.id, language))}
  </div>`;
}

function renderChoice(
  name: string,
  option: PickOption,
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
    <span>${describeOption(option, language)}</span>
  </label>`;
}

function textOf({ name, details }: PickOption): string {
  return details === '' ? name.text : `${name.text} · ${details}`;
}

function sentenceOf(kind: PickKind, search: PickSearch, language: Language): string {
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
