import { html } from 'hono/html';
import type { Language } from '../html/language.ts';
import type { Markup } from '../html/page.ts';
import { currencyDigits } from '../shops/currency-digits.ts';

/** Formats instants, numbers and amounts in a person's language and the shop's time zone. */
export interface Formatter {
  readonly language: Language;
  /** The name of the time zone in the IANA database. */
  readonly zone: string;
  /** Renders a day, such as `2026年11月22日`. */
  readonly date: (instant: Date) => Markup;
  readonly dateTime: (instant: Date) => Markup;
  /** Renders a relative time, such as `3 分前`, with the full date and time as its title. */
  readonly ago: (instant: Date) => Markup;
  /** Formats like `dateTime`, but without markup, for attributes and sentences. */
  readonly dateTimeText: (instant: Date) => string;
  readonly agoText: (instant: Date) => string;
  readonly number: (value: number) => string;
  /** Formats an amount in the currency's minor unit. */
  readonly money: (minor: number, currency: string) => string;
}

/** The locales in which each language formats dates and numbers. */
export const LOCALES: Readonly<Record<Language, string>> = { en: 'en-GB', ja: 'ja-JP' };

/** The units of relative time in seconds, largest first. */
const SPANS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;

const JUST_NOW: Readonly<Record<Language, string>> = { en: 'just now', ja: 'たった今' };
const SOON: Readonly<Record<Language, string>> = { en: 'in a moment', ja: 'まもなく' };

const formatterCache = new Map<string, IntlFormatters>();
/** One for each language and time zone. Creating one takes a millisecond and a few kilobytes. */
const FORMATTER_CACHE_MAX = 200;

const moneyFormatterCache = new Map<string, Intl.NumberFormat>();
/** The maximum number of cached money formatters, enough for two languages and all currencies. */
const MONEY_FORMATTER_CACHE_MAX = 400;

interface IntlFormatters {
  readonly date: Intl.DateTimeFormat;
  readonly dateTime: Intl.DateTimeFormat;
  readonly number: Intl.NumberFormat;
  readonly relative: Intl.RelativeTimeFormat;
}

/**
 * Creates the formatter for a language and a time zone, or for UTC if this runtime does not know
 * the zone. Relative times count from `now`.
 */
export function createFormatter(language: Language, zone: string, now: Date): Formatter {
  const { formatters, zone: used } = findIntlFormatters(language, zone);
  const agoText = (instant: Date): string => {
    const seconds = Math.round((instant.getTime() - now.getTime()) / 1_000);
    const span = SPANS.find(([, each]) => Math.abs(seconds) >= each);
    if (span === undefined) return (seconds > 0 ? SOON : JUST_NOW)[language];
    return formatters.relative.format(Math.trunc(seconds / span[1]), span[0]);
  };
  const dateTimeText = (instant: Date): string => formatters.dateTime.format(instant);
  const time = (instant: Date, text: string): Markup =>
    html`<time datetime="${instant.toISOString()}">${text}</time>`;
  return {
    language,
    zone: used,
    date: (instant) => time(instant, formatters.date.format(instant)),
    dateTime: (instant) => time(instant, dateTimeText(instant)),
    ago: (instant) =>
      html`<time datetime="${instant.toISOString()}" title="${dateTimeText(instant)}"
        >${agoText(instant)}</time
      >`,
    dateTimeText,
    agoText,
    number: (value) => formatters.number.format(value),
    money: (minor, currency) =>
      moneyFormatter(language, currency).format(minor / 10 ** currencyDigits(currency)),
  };
}

/** Returns the cached value of a key, or creates it. A full cache is emptied first. */
function getOrCreate<T>(cache: Map<string, T>, max: number, key: string, make: () => T): T {
  const found = cache.get(key) ?? make();
  if (!cache.has(key) && cache.size >= max) cache.clear();
  cache.set(key, found);
  return found;
}

function moneyFormatter(language: Language, currency: string): Intl.NumberFormat {
  return getOrCreate(
    moneyFormatterCache,
    MONEY_FORMATTER_CACHE_MAX,
    `${language} ${currency}`,
    () => {
      const digits = currencyDigits(currency);
      return new Intl.NumberFormat(LOCALES[language], {
        style: 'currency',
        currency,
        // Use the short symbol only for the yen: other currencies share theirs, such as `$`.
        currencyDisplay: currency === 'JPY' ? 'narrowSymbol' : 'symbol',
        minimumFractionDigits: digits,
        maximumFractionDigits: digits,
      });
    },
  );
}

function findIntlFormatters(
  language: Language,
  zone: string,
): { readonly formatters: IntlFormatters; readonly zone: string } {
  try {
    const make = (): IntlFormatters => createIntlFormatters(language, zone);
    return {
      formatters: getOrCreate(formatterCache, FORMATTER_CACHE_MAX, `${language} ${zone}`, make),
      zone,
    };
  } catch (error) {
    // The zone was valid when it was saved, but this runtime may have other time zone data.
    if (zone === 'UTC' || !(error instanceof RangeError)) throw error;
    return findIntlFormatters(language, 'UTC');
  }
}

function createIntlFormatters(language: Language, timeZone: string): IntlFormatters {
  const locale = LOCALES[language];
  return {
    date: new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone }),
    dateTime: new Intl.DateTimeFormat(locale, {
      dateStyle: 'medium',
      timeStyle: 'short',
      timeZone,
    }),
    number: new Intl.NumberFormat(locale),
    relative: new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }),
  };
}
