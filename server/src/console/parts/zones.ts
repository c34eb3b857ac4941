import { html } from 'hono/html';
import { timezoneField } from '../../inventory/place-field.ts';
import { textInput } from './form/fields.ts';
import type { FormField } from './form/form-field.ts';

/** Suggestions only: other zones that the database knows are accepted too. */
const ZONES = Intl.supportedValuesOf('timeZone');

/** Creates a field for the name of a time zone, with suggestions. */
export function zoneInput(texts: {
  readonly label: string;
  readonly hint: string;
  readonly invalidMessage: string;
}): FormField<string> {
  const field = textInput({
    ...texts,
    accepts: (text) => timezoneField.parse('zone', text).ok,
    list: 'zones',
    autocomplete: 'off',
  });
  return {
    ...field,
    render: async (name, shown) =>
      html`${await field.render(name, shown)}<datalist id="zones">
          ${ZONES.map((zone) => html`<option value="${zone}"></option>`)}
        </datalist>`,
  };
}
