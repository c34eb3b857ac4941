import JAPANESE from '../ja.json' with { type: 'json' };

/** HTML in both languages. Any other text is escaped when it is added to a page. */
export type Markup = Readonly<Record<'en' | 'ja', string>>;
export type Text = keyof typeof JAPANESE;
export type Value = Markup | string | number | false | null | undefined | readonly Value[];

/** A text of the board in both languages, with a value in place of `…`. */
export function say(text: Text, value?: Value): Markup {
  const fill = (template: string): Markup => markup(template.split('…'), value);
  return { en: fill(text).en, ja: fill(JAPANESE[text]).ja };
}

/** A part of a page: in markup`<b>${name}</b>` the name is escaped. */
export function markup(texts: readonly string[], ...values: readonly Value[]): Markup {
  const join = (language: keyof Markup): string =>
    texts.map((text, index) => text + render(values[index], language)).join('');
  return { en: join('en'), ja: join('ja') };
}

function render(value: Value, language: keyof Markup): string {
  if (value === false || value === null || value === undefined) return '';
  if (Array.isArray(value)) return value.map((part: Value) => render(part, language)).join('');
  if (typeof value === 'object') return (value as Markup)[language];
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

export function formatTime(instant: string, timeZone: string): Markup {
  const style = { dateStyle: 'medium', timeStyle: 'short', timeZone } as const;
  const time = new Date(instant);
  return { en: time.toLocaleString('en-GB', style), ja: time.toLocaleString('ja', style) };
}
