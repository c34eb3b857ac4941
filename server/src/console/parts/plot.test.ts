import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { formatOf } from '../format.ts';
import { plot, type PlotOptions, WORDS as PLOT } from './plot.ts';
import { describeTrend, plotTimes, TRENDS } from './plot-times.ts';

const NOW = new Date('2026-06-01T12:00:00Z');
const english = formatOf('en', 'Asia/Tokyo', NOW);
const japanese = formatOf('ja', 'Asia/Tokyo', NOW);
const hour = (n: number): Date => new Date(NOW.getTime() + n * 3_600_000);

function options(points: number, change: Partial<PlotOptions> = {}): PlotOptions {
  return {
    caption: 'Notices',
    summary: 'Up by 2.',
    kind: 'line',
    times: plotTimes(english, 'hour'),
    instants: Array.from({ length: points }, (_, i) => hour(i)),
    series: [
      { label: 'Sent', tone: 'strong', values: Array.from({ length: points }, (_, i) => i) },
    ],
    ...change,
  };
}

describe('a figure over time', () => {
  it('has its values as an open table, its trend as the text of the picture, and no script or style', async () => {
    const text = String(await plot(english, options(2)));
    assert.match(text, /<div class="plot-area" role="img" aria-label="Notices: Up by 2\." hidden>/);
    assert.match(text, /<details open>[\s\S]*<caption class="unseen">\s*Notices\s*<\/caption>/);
    assert.match(text, /<th scope="row">1 Jun 2026, 21:00<\/th>\s*<td class="number">0<\/td>/);
    assert.equal(/<script|style=/.test(text), false);
  });

  it('carries the same for its script, escaped', async () => {
    const series = [{ label: `"><script>`, tone: 'bad' as const, values: [1, null] }];
    const text = String(await plot(english, options(2, { series })));
    assert.equal(text.includes('<script'), false);
    const json = /data-plot="([^"]*)"/.exec(text)?.[1]?.replaceAll('&quot;', '"');
    const data: unknown = JSON.parse(json?.replaceAll('&gt;', '>').replaceAll('&lt;', '<') ?? '');
    assert.deepEqual(data, {
      kind: 'line',
      at: [hour(0).getTime() / 1_000, hour(1).getTime() / 1_000],
      labels: ['1 Jun 2026, 21:00', '1 Jun 2026, 22:00'],
      ticks: ['21:00\n1 Jun', '22:00\n1 Jun'],
      series,
    });
    assert.ok(text.includes(`<span class="unseen">${PLOT.en.none}</span>`));
  });

  it('has 400 points at most', () => {
    assert.ok(plot(english, options(400)));
    assert.throws(() => plot(english, options(401)));
  });

  it('says its course in words, in both languages', () => {
    assert.equal(describeTrend(english, []), TRENDS.en.none);
    assert.equal(describeTrend(english, [7]), TRENDS.en.same('7'));
    const up = TRENDS.en.up('1,000', '1,200', '200') + TRENDS.en.span('900', '1,200');
    assert.equal(describeTrend(english, [1_000, null, 900, 1_200]), up);
    assert.equal(
      describeTrend(english, [3, 1]),
      TRENDS.en.down('3', '1', '2') + TRENDS.en.span('1', '3'),
    );
    assert.equal(
      describeTrend(japanese, [3, 1]),
      TRENDS.ja.down('3', '1', '2') + TRENDS.ja.span('1', '3'),
    );
    assert.equal(describeTrend(japanese, [4, 4]), TRENDS.ja.same('4'));
    assert.equal(plotTimes(japanese, 'day').tick(NOW), '6/1');
  });
});
