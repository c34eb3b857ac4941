import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { startTestService } from '../../test/service.ts';
import { openTestDatabase } from '../../test/test-database.ts';

const PAGE = new URL('../../../docs/operating.md', import.meta.url);
/** Matches the metrics that every Node process has. The table does not list them. */
const USUAL = /^(?:process|nodejs)_/;

describe('the table of metrics in docs/operating.md', () => {
  it('the table lists every metric with its type and labels', async () => {
    await using base = await openTestDatabase();
    const environment = { METRICS_PORT: '0' };
    await using service = await startTestService(base, { environment, delivers: true });
    await fetch(`${service.url}/livez`);
    const text = await (await fetch(service.metricsUrl ?? '')).text();
    const shown = [...text.matchAll(/^# TYPE (\S+) (\w+)$/gm)]
      .filter(([, name = '']) => !USUAL.test(name))
      .map(([, name = '', type = '']) => {
        const sample = new RegExp(`^${name}(?:_bucket)?\\{(.*)\\} `, 'm').exec(text)?.[1] ?? '';
        const labels = [...sample.matchAll(/(\w+)="/g)].map(([, label]) => label);
        return `${name}{${labels.filter((label) => label !== 'le').join(',')}} ${type}`;
      });
    const rows = readFileSync(PAGE, 'utf8').matchAll(
      /^\| `(\w+)(?:\{(.*?)\})?` \| (counter|gauge|histogram) \|/gm,
    );
    const told = [...rows].map(([, name, labels = '', type]) => `${name}{${labels}} ${type}`);
    assert.deepEqual(told.toSorted(), shown.toSorted());
    for (const name of shown) assert.match(name, /^cardport_/);
    for (const counter of shown.filter((name) => name.endsWith(' counter'))) {
      assert.match(counter, /_total\{/);
    }
    assert.match(text, /_bucket\{le="5",.*\n.*_bucket\{le="7.5",/);
  });
});
