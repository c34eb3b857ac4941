import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createFormatter } from '../format.ts';
import { plot, type PlotOptions } from './plot.ts';
import { describeTrend, plotTimes, TREND_MESSAGES } from './plot-times.ts';

const NOW = new Date('2026-06-01T12:00:00Z');
const english = createFormatter('en', 'Asia/Tokyo', NOW);
const japanese = createFormatter('ja', 'Asia/Tokyo', NOW);
const day = (n: number): Date => new Date(NOW.getTime() + n * 86_400_000);

function options(points: number, change: Partial<PlotOptions> = {}): PlotOptions {
  return {
    caption: 'Stock',
    summary: 'Up by 2.',
    times: plotTimes(english),
    instants: Array.from({ length: points }, (_, i) => day(i)),
    label: 'Units',
    values: Array.from({ length: points }, (_, i) => i),
    ...change,
  };
}

describe('a chart over time', () => {
  it('a chart has its values as an open table, its trend as alternative text, and no script or style', async () => {
    const text = String(await plot(english, options(2)));
    assert.match(text, /<div class="plot-area" role="img" aria-label="Stock: Up by 2\." hidden>/);
    assert.match(text, /<details open>[\s\S]*<caption class="unseen">\s*Stock\s*<\/caption>/);
    assert.match(text, /<th scope="row">1 Jun 2026<\/th>\s*<td class="number">0<\/td>/);
    assert.equal(/<script|style=/.test(text), false);
  });

  it('a chart has the same values, escaped, in `data-plot` for its script', async () => {
    const change = { label: `"><script>`, values: [1, 5] };
    const text = String(await plot(english, options(2, change)));
    assert.equal(text.includes('<script'), false);
    const json = /data-plot="([^"]*)"/.exec(text)?.[1]?.replaceAll('&quot;', '"');
    const data: unknown = JSON.parse(json?.replaceAll('&gt;', '>').replaceAll('&lt;', '<') ?? '');
    assert.deepEqual(data, {
      at: [day(0).getTime() / 1_000, day(1).getTime() / 1_000],
      labels: ['1 Jun 2026', '2 Jun 2026'],
      ticks: ['1 Jun', '2 Jun'],
      ...change,
    });
  });

  it('a chart has at most 400 points', () => {
    assert.ok(plot(english, options(400)));
    assert.throws(() => plot(english, options(401)));
  });

  it('a chart describes its trend in words, in both languages', () => {
    assert.equal(describeTrend(english, []), TREND_MESSAGES.en.none);
    assert.equal(describeTrend(english, [7]), TREND_MESSAGES.en.same('7'));
    const up =
      TREND_MESSAGES.en.up('1,000', '1,200', '200') + TREND_MESSAGES.en.span('900', '1,200');
    assert.equal(describeTrend(english, [1_000, 900, 1_200]), up);
    assert.equal(
      describeTrend(english, [3, 1]),
      TREND_MESSAGES.en.down('3', '1', '2') + TREND_MESSAGES.en.span('1', '3'),
    );
    assert.equal(
      describeTrend(japanese, [3, 1]),
      TREND_MESSAGES.ja.down('3', '1', '2') + TREND_MESSAGES.ja.span('1', '3'),
    );
    assert.equal(describeTrend(japanese, [4, 4]), TREND_MESSAGES.ja.same('4'));
    assert.equal(plotTimes(japanese).tick(NOW), '6/1');
  });
});
