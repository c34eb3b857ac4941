import type { Language } from '../../html/language.ts';
import { type Formatter, LOCALES } from '../format.ts';
import type { PlotTimes } from './plot.ts';

const HEADINGS: Readonly<Record<Language, string>> = { en: 'Day', ja: '日付' };

/** Returns the formats of a chart's dates in the page's language and the shop's time zone. */
export function plotTimes({ language, zone: timeZone }: Formatter): PlotTimes {
  const locale = LOCALES[language];
  const month = language === 'ja' ? 'numeric' : 'short';
  const day = new Intl.DateTimeFormat(locale, { day: 'numeric', month, timeZone });
  const long = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone });
  return {
    heading: HEADINGS[language],
    label: (at) => long.format(at),
    tick: (at) => day.format(at),
  };
}

interface TrendMessages {
  readonly none: string;
  readonly same: (value: string) => string;
  readonly up: (from: string, to: string, by: string) => string;
  readonly down: (from: string, to: string, by: string) => string;
  readonly span: (low: string, high: string) => string;
}

export const TREND_MESSAGES: Readonly<Record<Language, TrendMessages>> = {
  en: {
    none: 'No data yet.',
    same: (value) => `Unchanged at ${value}.`,
    up: (from, to, by) => `Up ${by}, from ${from} to ${to}.`,
    down: (from, to, by) => `Down ${by}, from ${from} to ${to}.`,
    span: (low, high) => ` Lowest ${low}, highest ${high}.`,
  },
  ja: {
    none: 'データはまだありません。',
    same: (value) => `${value} から変化はありません。`,
    up: (from, to, by) => `${from} から ${to} に ${by} 増加しました。`,
    down: (from, to, by) => `${from} から ${to} に ${by} 減少しました。`,
    span: (low, high) => `最小 ${low}、最大 ${high} です。`,
  },
};

/** Describes in words how a value changed over time, for the summary of a chart. */
export function describeTrend(format: Formatter, values: readonly number[]): string {
  const messages = TREND_MESSAGES[format.language];
  const [first] = values;
  const last = values.at(-1);
  if (first === undefined || last === undefined) return messages.none;
  const text = format.number;
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const span = low === high ? '' : messages.span(text(low), text(high));
  if (first === last) return messages.same(text(last)) + span;
  const say = last > first ? messages.up : messages.down;
  return say(text(first), text(last), text(Math.abs(last - first))) + span;
}
