import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { platform } from 'node:process';
import { it } from 'node:test';
import { startServe, temporaryFolder } from '../test/cardport.ts';
import { processTreeMemoryMb } from '../test/process-memory.ts';

/**
 * The time limit for drawing the demo's photos after the ready line. On a busy machine, drawing
 * takes two minutes.
 */
const PHOTOS_MS_MAX = 300_000;
const LOOK_MS = 100;
/** The memory limits. The maxima of several starts on a busy machine were 377 and 219 MB. */
const FIRST_START_MB_MAX = 450;
const LATER_START_MB_MAX = 280;

it(
  'the demo, its database and its decoder stay within the memory that docs/operating.md states',
  { skip: platform === 'linux' ? false : 'measured from /proc' },
  async () => {
    using folder = temporaryFolder();
    const start = async (isDone: () => boolean): Promise<number> => {
      const environment = { DATA_DIR: folder.path, LOG_LEVEL: 'warn', DRAIN_NOTICE_SECONDS: '0' };
      await using served = await startServe(environment, ['serve', '--demo']);
      const endMs = performance.now() + PHOTOS_MS_MAX;
      let peakMb = 0;
      do {
        peakMb = Math.max(peakMb, processTreeMemoryMb(served.pid));
        assert.ok(performance.now() < endMs, 'the photos were not drawn in time');
        await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
      } while (!isDone());
      assert.equal(await served.stop('SIGTERM'), 0);
      return peakMb;
    };
    const demo = join(folder.path, 'demo.json');
    const first = await start(() => readFileSync(demo, 'utf8').includes('"photos"'));
    const settledMs = performance.now() + 5_000;
    const later = await start(() => performance.now() > settledMs);
    console.log(`# first start ${Math.round(first)} MB, later ${Math.round(later)} MB`);
    assert.ok(first > 100 && first <= FIRST_START_MB_MAX, `${first} MB`);
    assert.ok(later > 100 && later <= LATER_START_MB_MAX, `${later} MB`);
  },
);
