import type { Language } from '../../pages/language.ts';
import type { Markup } from '../../pages/page.ts';
import type { NoticeHours } from '../../webhooks/notice-hour.ts';
import { plot } from '../parts/plot.ts';
import { plotTimes } from '../parts/plot-times.ts';
import type { Visit } from '../visit.ts';

const HOUR_MS = 3_600_000;
/** Hours that the figure shows, the current one among them. */
const SHOWN_HOURS = 48;

interface Words {
  readonly caption: string;
  readonly delivered: string;
  readonly failed: string;
  readonly none: string;
  readonly sum: (delivered: string, failed: string) => string;
  readonly countedTo: (instant: string) => string;
  readonly notCounted: string;
}

const WORDS: Readonly<Record<Language, Words>> = {
  en: {
    caption: 'Notices to apps, the last 48 hours',
    delivered: 'Delivered',
    failed: 'Failed',
    none: 'No notice was sent.',
    sum: (delivered, failed) => `${delivered} delivered, ${failed} failed.`,
    countedTo: (instant) => `Counted up to ${instant}; the current hour is not over.`,
    notCounted: 'Nothing is counted yet: come again in some minutes.',
  },
  ja: {
    caption: 'アプリへの通知（48 時間）',
    delivered: '送信済み',
    failed: '失敗',
    none: '通知は送信されていません。',
    sum: (delivered, failed) => `送信済み ${delivered} 件、失敗 ${failed} 件です。`,
    countedTo: (instant) => `${instant} までの集計です。現在の 1 時間は途中の値です。`,
    notCounted: 'まだ集計されていません。数分後にもう一度ご覧ください。',
  },
};

/** The begin of the first hour that is shown. */
export function noticesBegin(now: Date): Date {
  const hour = now.getTime() - (now.getTime() % HOUR_MS);
  return new Date(hour - (SHOWN_HOURS - 1) * HOUR_MS);
}

/** Notices by the hour, delivered and failed; an hour that is not counted yet has no value. */
export function renderNoticePlot(visit: Visit, { hours, countedTo }: NoticeHours): Markup {
  const { format, now } = visit;
  const text = WORDS[visit.language];
  const begin = noticesBegin(now).getTime();
  const instants = Array.from({ length: SHOWN_HOURS }, (_, i) => new Date(begin + i * HOUR_MS));
  const counts = new Map(hours.map((each) => [each.hour.getTime(), each]));
  const valuesOf = (kind: 'delivered' | 'failed'): (number | null)[] =>
    instants.map((hour) => (hour < countedTo ? (counts.get(hour.getTime())?.[kind] ?? 0) : null));
  const [delivered, failed] = [valuesOf('delivered'), valuesOf('failed')];
  const [sent, lost] = [sumOf(delivered), sumOf(failed)];
  const isCounted = countedTo.getTime() > begin;
  return plot(format, {
    caption: text.caption,
    summary: sent + lost === 0 ? text.none : text.sum(format.number(sent), format.number(lost)),
    kind: 'bars',
    times: plotTimes(format, 'hour'),
    instants,
    series: [
      { label: text.delivered, tone: 'good', values: delivered },
      { label: text.failed, tone: 'bad', values: failed },
    ],
    note: isCounted ? text.countedTo(format.dateTimeText(countedTo)) : text.notCounted,
  });
}

function sumOf(values: readonly (number | null)[]): number {
  return values.reduce<number>((sum, value) => sum + (value ?? 0), 0);
}
