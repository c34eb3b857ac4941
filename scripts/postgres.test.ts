import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import pg from 'pg';
import { waitUntil } from '../server/test/wait-until.ts';

/** A script that starts a cluster, prints its URL, and keeps running. */
const STARTER = `
  import { startCluster } from '${new URL('postgres.ts', import.meta.url).href}';
  import { findPackagedBinaries } from '${new URL('../server/src/database/packaged/binaries.ts', import.meta.url).href}';
  const cluster = await startCluster(findPackagedBinaries(), { isDurable: false });
  console.log(cluster.url);
  setInterval(() => undefined, 60_000);
`;

describe('a temporary server', () => {
  it('a temporary server ends when the process that started it is killed', async () => {
    const starter = spawn(process.execPath, ['--input-type=module', '--eval', STARTER], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [url] = await once(starter.stdout, 'data');
    const data = await dataFolderOf(String(url).trim());
    const postmaster = Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[0]);
    assert.ok(isAlive(postmaster));
    const ended = once(starter, 'exit');
    starter.kill('SIGKILL');
    await ended;
    await waitUntil(() => !isAlive(postmaster) && !existsSync(dirname(data)));
  });
});

async function dataFolderOf(url: string): Promise<string> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ data_directory: string }>('show data_directory');
  await client.end();
  return rows[0]?.data_directory ?? '';
}

/** Returns whether a process runs. A zombie process counts as ended. */
function isAlive(pid: number): boolean {
  try {
    return !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ');
  } catch {
    return false;
  }
}
