import type { Language } from '../../pages/language.ts';
import type { Markup } from '../../pages/page.ts';
import type { LagSample } from '../../webhooks/lag-sample.ts';
import type { Format } from '../format.ts';
import { plot } from '../parts/plot.ts';
import { describeTrend, plotTimes } from '../parts/plot-times.ts';

interface Words {
  readonly caption: string;
  readonly behind: string;
  readonly note: string;
}

const WORDS: Readonly<Record<Language, Words>> = {
  en: {
    caption: 'Changes that the app has not read yet, over the last three days',
    behind: 'Changes behind',
    note: 'Looked at every 15 minutes.',
  },
  ja: {
    caption: 'アプリの未読の変更（過去 3 日間）',
    behind: '未読の変更',
    note: '15 分ごとの値です。',
  },
};

/** How far a connection has lain behind, as a figure with a table of the same values. */
export function lagPlot(format: Format, samples: readonly LagSample[]): Markup {
  const text = WORDS[format.language];
  const values = samples.map(({ changes }) => changes);
  return plot(format, {
    caption: text.caption,
    summary: describeTrend(format, values),
    kind: 'line',
    times: plotTimes(format, 'instant'),
    instants: samples.map(({ sampledAt }) => sampledAt),
    series: [{ label: text.behind, tone: 'strong', values }],
    note: text.note,
  });
}
