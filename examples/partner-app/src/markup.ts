/** HTML. Any other text is escaped when it is added to a page. */
export class Markup extends String {}

type Value = Markup | string | number | false | null | undefined | readonly Value[];

/** A part of a page: in markup`<b>${name}</b>` the name is escaped. */
export function markup(texts: TemplateStringsArray, ...values: readonly Value[]): Markup {
  return new Markup(texts.map((text, index) => text + render(values[index])).join(''));
}

function render(value: Value): string {
  if (value === false || value === null || value === undefined) return '';
  if (value instanceof Markup) return value.toString();
  if (Array.isArray(value)) return value.map(render).join('');
  return String(value).replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

/** An amount with the digits of ISO 4217: 1200 minor units are 1,200 yen, or 12 dollars. */
export function formatMoney(minor: number, currency: string): string {
  const noDigits = 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF';
  const threeDigits = 'BHD IQD JOD KWD LYD OMR TND';
  const digits = noDigits.includes(currency) ? 0 : threeDigits.includes(currency) ? 3 : 2;
  const style = { style: 'currency', currency, minimumFractionDigits: digits } as const;
  return new Intl.NumberFormat('en', style).format(minor / 10 ** digits);
}

/** Formats a date and time in the shop's time zone. */
export function formatTime(instant: string, timeZone: string): string {
  const style = { dateStyle: 'medium', timeStyle: 'short', timeZone } as const;
  return new Intl.DateTimeFormat('en-GB', style).format(new Date(instant));
}
