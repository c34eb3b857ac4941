import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import {
  cleanEnvironment,
  CARDPORT_PROGRAM,
  type Run,
  temporaryFolder,
} from '../../test/cardport.ts';
import { runCardportInProcess, environmentOf } from '../../test/cardport-in-process.ts';
import { openTestDatabase } from '../../test/test-database.ts';
import { newId } from '../base/secrets.ts';

/** Lines that hardly compress, so that the compressed file can be cut at the intended line. */
const sites = Array.from({ length: 120 }, (_, n) =>
  JSON.stringify({
    kind: 'site',
    id: newId(),
    data: {
      code: `site-${n}`,
      name: newId(),
      kind: 'store',
      countryCode: 'JP',
      timezone: 'Asia/Tokyo',
    },
  }),
);

describe('an import of unreadable input (decision 0021)', () => {
  it('the lines before the damage are imported, and then the import fails', async () => {
    await using base = await openTestDatabase();
    using folder = temporaryFolder();
    const environment = environmentOf(base);
    const run = async (...args: readonly string[]): Promise<Run> =>
      await runCardportInProcess(args, { environment });
    assert.equal((await run('shop', 'add', '--name', 'A', '--slug', 'a')).code, 0);
    const load = async (file: string, ...options: string[]): Promise<Run> =>
      await run('inventory', 'import', '--shop', 'a', file, ...options);

    const cut = join(folder.path, 'cut.gz');
    const packed = gzipSync(['no json', ...sites].join('\n'));
    writeFileSync(cut, packed.subarray(0, packed.length / 2));
    const first = await load(cut, '--json');
    assert.equal(first.code, 1);
    const report = readReport(first.stdout);
    assert.ok(report.accepted > 20 && report.accepted < 100);
    const end = report.accepted + 2;
    assert.deepEqual(report.rejected, [
      { line: 1, error: 'invalid_request', detail: 'The line is not valid JSON.' },
      { line: end, error: 'invalid_request', detail: 'The gzip data ends early.' },
    ]);
    assert.match(
      first.stderr,
      new RegExp(`not be read completely: reading stopped at line ${end}\\.`),
    );

    const spoilt = gzipSync(sites.join('\n'));
    // Damage only the checksum, so that the same lines are decompressed in every run.
    writeFileSync(cut, spoilt.fill(0xff, spoilt.length - 8, spoilt.length - 4));
    const damaged = await load(cut);
    assert.equal(damaged.code, 1, damaged.stderr);
    assert.match(damaged.stdout, /^Accepted \d+ lines\.\n$/, damaged.stderr);
    assert.match(damaged.stderr, /^cardport: the input .* The gzip data is damaged\. /m);

    writeFileSync(cut, packed.subarray(0, 4));
    const empty = await load(cut, '--json');
    assert.equal(empty.code, 1);
    assert.deepEqual(readReport(empty.stdout).rejected.length, 1);
  });

  it('the error says why the input cannot be read, and does not mention the service', async () => {
    await using base = await openTestDatabase();
    using folder = temporaryFolder();
    const environment = environmentOf(base);
    mkdirSync(join(folder.path, 'empty'));
    for (const [file, reason] of [
      [
        join(folder.path, 'empty'),
        /empty cannot be read: it is a folder without \.json, \.jsonl or \.ndjson files\n$/,
      ],
      [join(folder.path, 'none'), /none cannot be read: the file does not exist\n$/],
      // The file can be opened, but its first read fails.
      ['/proc/self/mem', /^cardport: the input cannot be read: EIO/],
    ] as const) {
      const refused = await runCardportInProcess(['catalog', 'import', file], { environment });
      assert.equal(refused.code, 1);
      assert.equal(refused.stdout, '');
      assert.match(refused.stderr, reason);
      assert.doesNotMatch(refused.stderr, /service/);
    }
    const descriptor = openSync(folder.path, 'r');
    const refused = spawnSync(CARDPORT_PROGRAM, ['catalog', 'import', '-'], {
      env: cleanEnvironment(environment),
      stdio: [descriptor, 'pipe', 'pipe'],
      encoding: 'utf8',
    });
    closeSync(descriptor);
    assert.equal(refused.status, 1);
    assert.match(refused.stderr, /standard input cannot be read: it is a folder\n$/);
  });
});

interface Report {
  readonly accepted: number;
  readonly rejected: readonly unknown[];
}

function readReport(text: string): Report {
  const report: unknown = JSON.parse(text);
  assert.ok(typeof report === 'object' && report !== null);
  assert.ok('accepted' in report && typeof report.accepted === 'number');
  assert.ok('rejected' in report && Array.isArray(report.rejected));
  return { accepted: report.accepted, rejected: report.rejected };
}
