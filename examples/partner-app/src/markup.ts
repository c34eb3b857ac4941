/** Text that is HTML already. Everything else is escaped when it comes into a page. */
export class Markup extends String {}

type Value = Markup | string | number | false | null | undefined | readonly Value[];

/** A piece of a page: in markup`<b>${name}</b>` the name is escaped. */
export function markup(texts: TemplateStringsArray, ...values: readonly Value[]): Markup {
  return new Markup(texts.map((text, index) => text + render(values[index])).join(''));
}

function render(value: Value): string {
  if (value === false || value === null || value === undefined) return '';
  if (value instanceof Markup) return value.toString();
  if (Array.isArray(value)) return value.map(render).join('');
  return String(value).replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

/** An amount in its currency: 1200 minor units are 1,200 yen, or 12 dollars. */
export function money(minor: number, currency: string): string {
  const format = new Intl.NumberFormat('en', { style: 'currency', currency });
  return format.format(minor / 10 ** (format.resolvedOptions().maximumFractionDigits ?? 0));
}

/** An instant as the shop's clocks show it. */
export function time(instant: string, timeZone: string): string {
  const style = { dateStyle: 'medium', timeStyle: 'short', timeZone } as const;
  return new Intl.DateTimeFormat('en-GB', style).format(new Date(instant));
}
