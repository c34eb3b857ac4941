import { html } from 'hono/html';
import type { Markup } from '../../html/page.ts';

export interface FieldOptions {
  /** The control's ids begin with the name, so it must be unique on a page. */
  readonly name: string;
  readonly label: string;
  readonly value?: string | null | undefined;
  /** A sentence of help below the label. */
  readonly hint?: string | undefined;
  /** The reason why the submitted value was rejected. */
  readonly error?: string | null | undefined;
  readonly isRequired?: boolean | undefined;
}

export interface TextFieldOptions extends FieldOptions {
  readonly type?: 'text' | 'email' | 'password' | 'search' | 'datetime-local';
  readonly maxLength?: number;
  readonly inputMode?: 'decimal' | 'numeric' | 'text';
  readonly autocomplete?: string;
  /** True for a control narrower than the form, for short values. */
  readonly isShort?: boolean;
  /** The id of a `datalist` with suggestions. */
  readonly list?: string;
}

/** Renders an attribute, or nothing if the value is missing. */
function attribute(name: string, value: string | number | null | undefined): Markup | '' {
  return value === null || value === undefined ? '' : html` ${name}="${value}"`;
}

/** Returns the id of a field's control, to which error summaries link. */
export function fieldId(name: string): string {
  return `field-${name.replaceAll(/[^A-Za-z0-9_-]/g, '-')}`;
}

/** Returns the ids of the hint and the error, for the control's `aria-describedby`. */
function describedBy({ name, hint, error }: FieldOptions): string | null {
  const id = fieldId(name);
  const ids = [hint ? `${id}-hint` : null, error ? `${id}-fault` : null].filter(Boolean);
  return ids.length === 0 ? null : ids.join(' ');
}

function wrapControl(options: FieldOptions, control: Markup): Markup {
  const { name, label, hint, error } = options;
  const id = fieldId(name);
  return html`<div class="field${error ? ' faulty' : ''}">
    <label for="${id}">${label}</label>
    ${hint ? html`<p class="hint" id="${id}-hint">${hint}</p>` : ''} ${control}
    ${error ? html`<p class="fault" id="${id}-fault">${error}</p>` : ''}
  </div>`;
}

function commonAttributes(options: FieldOptions): Markup {
  const required = options.isRequired === true ? html` required` : '';
  const invalid = options.error ? html` aria-invalid="true"` : '';
  const described = attribute('aria-describedby', describedBy(options));
  return html`id="${fieldId(options.name)}" name="${options.name}"${required}${invalid}${described}`;
}

export function textField(options: TextFieldOptions): Markup {
  const { type = 'text', value, maxLength, inputMode, autocomplete, isShort, list } = options;
  const control = html`<input
    type="${type}"
    ${commonAttributes(options)}${attribute('value', value)}${attribute('maxlength', maxLength)}${attribute('inputmode', inputMode)}${attribute('autocomplete', autocomplete)}${attribute('list', list)}${isShort === true ? html` class="short"` : ''}
  />`;
  return wrapControl(options, control);
}

export function textAreaField(
  options: FieldOptions & {
    readonly rows?: number;
    readonly maxLength?: number;
    readonly placeholder?: string;
  },
): Markup {
  const { rows = 3, value, maxLength, placeholder } = options;
  // HTML drops a line break directly after the tag, so it is not part of the value (§13.2.6.4.7).
  const control = html`<textarea
    rows="${rows}"
    ${commonAttributes(options)}${attribute('maxlength', maxLength)}${attribute('placeholder', placeholder)}
  >
${value ?? ''}</textarea>`;
  return wrapControl(options, control);
}

export interface Choice {
  readonly value: string;
  readonly label: string;
  readonly hint?: string;
  /** An option's `data-kind`, for style sheets. */
  readonly kind?: string;
  /** The person cannot change the checkbox. If ticked, it is still submitted. */
  readonly isReadOnly?: boolean;
}

export function selectField(
  options: FieldOptions & { readonly choices: readonly Choice[] },
): Markup {
  const { choices, value } = options;
  const control = html`<select ${commonAttributes(options)}>
    ${choices.map((choice) => {
      const selected = choice.value === (value ?? '') ? html` selected` : '';
      const attributes = html`value="${choice.value}"${selected}${attribute('data-kind', choice.kind)}`;
      return html`<option ${attributes}>${choice.label}</option>`;
    })}
  </select>`;
  return wrapControl(options, control);
}

/** Renders a group of checkboxes. The input of each is `NAME.VALUE`. */
export function checkboxGroup(options: {
  readonly name: string;
  readonly legend: string;
  readonly hint?: string;
  readonly error?: string | null;
  readonly choices: readonly Choice[];
  readonly ticked: ReadonlySet<string>;
}): Markup {
  const { name, legend, hint, error, choices, ticked } = options;
  const id = fieldId(name);
  return html`<fieldset class="field${error ? ' faulty' : ''}" id="${id}" tabindex="-1">
    <legend>${legend}</legend>
    ${hint ? html`<p class="hint">${hint}</p>` : ''}
    ${choices.map((choice) =>
      checkboxField({
        name: `${name}.${choice.value}`,
        label: choice.label,
        hint: choice.hint,
        isTicked: ticked.has(choice.value),
        isReadOnly: choice.isReadOnly,
      }),
    )}
    ${error ? html`<p class="fault">${error}</p>` : ''}
  </fieldset>`;
}

/** Renders a single checkbox. Its input has the value `on` when ticked. */
export function checkboxField(options: {
  readonly name: string;
  readonly label: string;
  readonly hint?: string | undefined;
  readonly isTicked: boolean;
  readonly isReadOnly?: boolean | undefined;
}): Markup {
  const { name, label, hint, isTicked, isReadOnly = false } = options;
  const id = fieldId(name);
  const described = hint === undefined ? '' : html` aria-describedby="${id}-hint"`;
  return html`<div class="box">
    <input
      type="checkbox"
      id="${id}"
      name="${name}"
      ${isTicked ? html` checked` : ''}${isReadOnly ? html` disabled` : ''}${described}
    />
    ${
      // Browsers do not submit disabled checkboxes, so a hidden input contains the value.
      isTicked && isReadOnly ? html`<input type="hidden" name="${name}" value="on" />` : ''
    }
    <label for="${id}">${label}</label>
    ${hint === undefined ? '' : html`<p class="hint" id="${id}-hint">${hint}</p>`}
  </div>`;
}

export function radioField(
  options: FieldOptions & { readonly choices: readonly Choice[] },
): Markup {
  const { name, label, hint, error, choices, value } = options;
  const id = fieldId(name);
  return html`<fieldset class="field${error ? ' faulty' : ''}" id="${id}" tabindex="-1">
    <legend>${label}</legend>
    ${hint ? html`<p class="hint">${hint}</p>` : ''}
    ${choices.map(
      (choice, index) =>
        html`<div class="box">
          <input
            type="radio"
            id="${id}-${index}"
            name="${name}"
            value="${choice.value}"
            ${choice.value === value ? html` checked` : ''}
          />
          <label for="${id}-${index}">${choice.label}</label>
        </div>`,
    )}
    ${error ? html`<p class="fault">${error}</p>` : ''}
  </fieldset>`;
}
