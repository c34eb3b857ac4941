// `cardport doctor` against a bucket, a machine with a wrong clock, and a standby.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startCluster } from '../../../scripts/postgres.ts';
import { REPLICATION_SETTINGS, startStandby } from '../../../scripts/standby.ts';
import { environmentOf, runCardportInProcess } from '../../test/cardport-in-process.ts';
import { runCardport } from '../../test/cardport.ts';
import { startS3Server } from '../../test/s3-server.ts';
import { TEST_SECRET_KEY } from '../../test/service.ts';
import { openTestDatabase } from '../../test/test-database.ts';
import { findPackagedBinaries } from '../database/packaged/binaries.ts';
import type { Finding } from './finding.ts';

const SHIFTED_CLOCK = new URL('../../test/shifted-clock.ts', import.meta.url).href;

function findingOf(stdout: string, check: string): Finding {
  const { findings }: { readonly findings: readonly Finding[] } = JSON.parse(stdout);
  const found = findings.find((each) => each.check === check);
  assert.ok(found !== undefined, stdout);
  return found;
}

describe('cardport doctor', () => {
  it('doctor writes a photo to the bucket, and says which bucket is missing or does not respond', async () => {
    await using base = await openTestDatabase();
    await using s3 = await startS3Server();
    const check = async (bucket: string): Promise<Finding> => {
      const store = `s3://${bucket}/shop?endpoint=${s3.endpoint}&pathStyle=true`;
      const environment = { ...environmentOf(base), PHOTO_STORE: store };
      const { stdout } = await runCardportInProcess(['doctor', '--json'], { environment });
      return findingOf(stdout, 'photo store');
    };
    const right = await check('cards');
    assert.equal(right.message, 'a photo was written to s3://cards, read and removed');
    const missing = await check('pictures');
    assert.equal(missing.status, 'problem');
    assert.match(missing.message, /bucket/);
    await s3.stop();
    const away = await check('cards');
    assert.equal(away.status, 'problem');
    assert.match(away.message, /ECONNREFUSED|closed|within/);
    assert.match(away.advice ?? '', /^check PHOTO_STORE, the AWS_ variables/);
  });

  for (const [seconds, status] of [
    [10, 'warning'],
    [-90, 'problem'],
  ] as const) {
    it(`doctor reports a clock that is ${seconds} s off as a ${status}`, async () => {
      await using base = await openTestDatabase();
      const environment = {
        ...environmentOf(base),
        NODE_OPTIONS: `--import=${SHIFTED_CLOCK}`,
        SHIFTED_SECONDS: String(seconds),
      };
      const { stdout } = await runCardport(['doctor', '--json'], { environment });
      const clock = findingOf(stdout, 'clock');
      assert.equal(clock.status, status);
      assert.match(
        clock.message,
        seconds > 0 ? /s ahead of the database/ : /s behind the database/,
      );
      assert.match(clock.advice ?? '', /NTP/);
    });
  }

  it('doctor reports a standby, which accepts no writes', async () => {
    await using stack = new AsyncDisposableStack();
    const binaries = findPackagedBinaries();
    const primary = await startCluster(binaries, {
      isDurable: false,
      settings: REPLICATION_SETTINGS,
    });
    stack.defer(async () => await primary.stop());
    const standby = await startStandby(binaries, primary, { isDurable: false });
    stack.defer(async () => await standby.stop());
    const environment = { DATABASE_URL: standby.url, SECRET_KEY: TEST_SECRET_KEY };
    const { code, stdout } = await runCardportInProcess(['doctor', '--json'], { environment });
    assert.equal(code, 1);
    const database = findingOf(stdout, 'database');
    assert.equal(database.status, 'problem');
    assert.match(database.message, /read-only|standby|takes no writes/);
    assert.match(database.advice ?? '', /is running and accepts writes/);
  });
});
