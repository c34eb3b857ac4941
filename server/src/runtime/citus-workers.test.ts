import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startServe } from '../../test/cardport.ts';
import { environmentOf, runCardportInProcess } from '../../test/cardport-in-process.ts';
import { IS_ON_CITUS } from '../../test/citus-nodes.ts';
import { FAKE_CITUS_WORKERS } from '../../test/fake-citus.ts';
import { openTestDatabase, type TestDatabase } from '../../test/test-database.ts';
import { waitUntil } from '../../test/wait-until.ts';

const REFUSED = 'failed to connect to 10.0.0.2:5432';

async function openWithLostWorker(): Promise<TestDatabase> {
  const base = await openTestDatabase();
  await base.db.runScript(`${FAKE_CITUS_WORKERS};
    insert into fake_worker values ('10.0.0.1', 5432, true, ''), ('10.0.0.2', 5432, false, '${REFUSED}')`);
  return base;
}

async function readReadiness(url: string): Promise<{ status: string; warnings?: string[] }> {
  const response = await fetch(`${url}/readyz`);
  assert.equal(response.status, 200);
  return JSON.parse(await response.text());
}

// server/prove/citus-outage.proof.ts does the same with the workers of a cluster.
describe('a lost worker of a Citus cluster', { skip: IS_ON_CITUS }, () => {
  it('serve starts, and /readyz warns until the worker responds, without its address', async () => {
    await using base = await openWithLostWorker();
    await using service = await startServe({ ...environmentOf(base), DRAIN_NOTICE_SECONDS: '0' });
    assert.deepEqual(await readReadiness(service.url), {
      status: 'ready',
      warnings: ['some shops get 503: Citus workers that cannot be used: 1'],
    });
    assert.match(service.printed(), new RegExp(`"problems":\\["[^"]*${REFUSED}"\\]`));
    await base.db.runScript(`update fake_worker set success = true, result = ''`);
    await waitUntil(async () => (await readReadiness(service.url)).warnings === undefined, 60_000);
    await waitUntil(() => /all Citus workers can be used again/.test(service.printed()));
    assert.equal(await service.stop('SIGTERM'), 0);
  });

  it('migrate fails with one sentence that names the worker', async () => {
    await using base = await openWithLostWorker();
    const run = await runCardportInProcess(['migrate'], { environment: environmentOf(base) });
    assert.equal(run.code, 1);
    assert.equal(run.stdout, 'The schema is up to date.\n');
    const sentence = `cardport: the Citus worker 10.0.0.2:5432 cannot be used: ${REFUSED}\n`;
    assert.equal(run.stderr, sentence);
  });

  it('doctor finds a worker that does not respond, and settings that must be changed', async () => {
    await using base = await openWithLostWorker();
    const run = await runCardportInProcess(['doctor'], { environment: environmentOf(base) });
    assert.equal(run.code, 1);
    assert.match(run.stdout, new RegExp(`^problem  Citus worker 10.0.0.2:5432: ${REFUSED}$`, 'm'));
    assert.match(
      run.stdout,
      /^problem {2}Citus coordinator: max_prepared_transactions is less than max_connections/m,
    );
    assert.match(run.stdout, /^ok {7}Citus worker 10.0.0.1:5432: responds$/m);
  });
});
