import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { temporaryFolder } from '../../test/cardport.ts';
import { environmentOf, runCardportInProcess } from '../../test/cardport-in-process.ts';
import { startTestService } from '../../test/service.ts';
import { openTestDatabase, type TestDatabase } from '../../test/test-database.ts';
import { waitUntil } from '../../test/wait-until.ts';
import { readLastBackup } from '../database/last-backup.ts';

/** Starts a service and reads its metric of the last backup, in seconds. */
async function readMetric(base: TestDatabase): Promise<number> {
  await using service = await startTestService(base, { environment: { METRICS_PORT: '0' } });
  const read = async (): Promise<string> => {
    const text = await (await fetch(service.metricsUrl ?? '')).text();
    return /^cardport_backup_last_timestamp_seconds (\S+)$/m.exec(text)?.[1] ?? '';
  };
  const isKnown = !Number.isNaN(await readLastBackup(base.db));
  if (isKnown) await waitUntil(async () => (await read()) !== 'Nan');
  return Number(await read());
}

describe('the time of the last backup', () => {
  it('the time of the last backup is recorded only by a complete backup, and is a metric of the service', async () => {
    await using base = await openTestDatabase();
    using folder = temporaryFolder();
    const environment = environmentOf(base);
    assert.ok(Number.isNaN(await readMetric(base)));
    const file = join(folder.path, 'a.backup');
    const missing = join(folder.path, 'none', 'a.backup');
    assert.equal((await runCardportInProcess(['backup', missing], { environment })).code, 1);
    assert.ok(Number.isNaN(await readLastBackup(base.db)));

    const earliest = Date.now() / 1_000 - 1;
    assert.equal((await runCardportInProcess(['backup', file], { environment })).code, 0);
    const first = await readLastBackup(base.db);
    assert.ok(first >= earliest && first <= Date.now() / 1_000 + 1, String(first));
    assert.equal(await readMetric(base), first);
    // This fails, because the file already exists.
    assert.equal((await runCardportInProcess(['backup', file], { environment })).code, 1);
    assert.equal(await readLastBackup(base.db), first);
    assert.equal((await runCardportInProcess(['backup', `${file}2`], { environment })).code, 0);
    assert.ok((await readLastBackup(base.db)) > first);
  });
});
