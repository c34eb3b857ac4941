import { html } from 'hono/html';
import type { FormField } from './form/form-field.ts';

/**
 * The time zones that the browser suggests. Other zones that the database knows are accepted too.
 */
const ZONES = Intl.supportedValuesOf('timeZone');

/** Adds suggestions of time zone names to a field, whose `list` is `zones`. */
export function withZones(field: FormField<string>): FormField<string> {
  return {
    ...field,
    render: async (name, shown) =>
      html`${await field.render(name, shown)}<datalist id="zones">
          ${ZONES.map((zone) => html`<option value="${zone}"></option>`)}
        </datalist>`,
  };
}
