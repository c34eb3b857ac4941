import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Histogram, Registry } from 'prom-client';
import { BUCKETS_SECONDS, RequestTimes } from './request-times.ts';

describe('the request duration metric', () => {
  it('is rendered like the library’s histogram, also for values at a bucket’s bound', async () => {
    const times = new RequestTimes('a_seconds', 'How long.');
    const registry = new Registry();
    const histogram = new Histogram({
      name: 'a_seconds',
      help: 'How long.',
      labelNames: ['route', 'status'],
      buckets: BUCKETS_SECONDS,
      registers: [registry],
    });
    for (const [route, status, milliseconds] of [
      ['/cards', 200, 0],
      ['/cards', 200, 1],
      ['/cards', 201, 1.25],
      ['/cards', 404, 10_000],
      ['/cards', 405, 10_001],
      ['/units/:id', 200, 1_000],
      [String.raw`/"\x`, 500, 3],
    ] as const) {
      times.observe(route, status, milliseconds);
      histogram.labels(route, String(status)).observe(milliseconds / 1_000);
    }
    assert.equal(times.render(), await registry.metrics());
  });
});
