import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { type Run, temporaryFolder } from '../../test/cardport.ts';
import { environmentOf, runCardportInProcess } from '../../test/cardport-in-process.ts';
import { openTestDatabase } from '../../test/test-database.ts';
import { VERSION } from '../base/version.ts';
import { commands } from './commands.ts';

interface ReportedError {
  readonly code: string;
  readonly message: string;
  readonly problems?: readonly string[];
}

/** Returns the only error on standard error, where each line is a JSON object. */
function errorOf({ stderr }: Run): ReportedError {
  const lines = stderr.split('\n').slice(0, -1);
  const errors = lines
    .map((line): { readonly error?: ReportedError } => JSON.parse(line))
    .flatMap(({ error }) => (error === undefined ? [] : [error]));
  const [error] = errors;
  assert.ok(error !== undefined && errors.length === 1, stderr);
  return error;
}

describe('refusals with --json', () => {
  it('a refusal with --json is one JSON object on standard error, with the same exit code as without --json', async () => {
    await using base = await openTestDatabase();
    using folder = temporaryFolder();
    const environment = environmentOf(base);
    const cases: readonly (readonly [number, string, RegExp, ...string[]])[] = [
      [2, 'unknown_command', /unknown command "shop ad --json"/, 'shop', 'ad'],
      [2, 'unknown_command', /unknown command "--json"/],
      [2, 'invalid_arguments', /--name is missing/, 'shop', 'add'],
      [2, 'invalid_arguments', /Unknown option '--nmae'/, 'shop', 'add', '--nmae', 'A'],
      [2, 'invalid_arguments', /slug must/, 'shop', 'add', '--name', 'A', '--slug', 'A!'],
      [2, 'invalid_arguments', /--port must/, 'emulate', '--port', 'x'],
      [2, 'invalid_arguments', /Unknown option '--json'/, 'serve'],
      [1, 'not_found', /there is no shop "none"/, 'member', 'list', '--shop', 'none'],
      [1, 'unreadable_input', /the file does not exist/, 'restore', join(folder.path, 'none')],
      [1, 'failed', /ENOENT/, 'backup', join(folder.path, 'none', 'file')],
    ];
    for (const [code, errorCode, message, ...args] of cases) {
      const asJson = await runCardportInProcess([...args, '--json'], { environment });
      assert.equal(asJson.code, code, `${args.join(' ')}: ${asJson.stderr}`);
      const error = errorOf(asJson);
      assert.equal(error.code, errorCode);
      assert.match(error.message, message);
      assert.equal(asJson.stdout, '');
      // Without --json, `serve` would start.
      if (args[0] === 'serve') continue;
      const asText = await runCardportInProcess(args, { environment });
      assert.equal(asText.code, code);
      assert.throws(() => JSON.parse(asText.stderr));
    }
  });

  it('a refusal with --json lists every invalid setting', async () => {
    const environment = { PORT: 'x', LOG_LEVEL: 'y', SECRET_KEY: 'hunter2' };
    const run = await runCardportInProcess(['shop', 'list', '--json'], { environment });
    assert.equal(run.code, 1);
    const { code, problems } = errorOf(run);
    assert.equal(code, 'invalid_settings');
    assert.deepEqual(
      problems?.map((each) => each.split(' ')[0]),
      ['PORT', 'SECRET_KEY', 'LOG_LEVEL'],
    );
    assert.doesNotMatch(run.stderr, /hunter2/);
  });

  it('a refusal with --json names a database that does not respond', async () => {
    const environment = {
      DATABASE_URL: 'postgres://u:hunter2@127.0.0.1:1/none',
      SECRET_KEY: 'k'.repeat(32),
    };
    const run = await runCardportInProcess(['shop', 'list', '--json'], { environment });
    assert.equal(run.code, 1);
    assert.equal(errorOf(run).code, 'database_unavailable');
    assert.doesNotMatch(run.stderr, /hunter2/);
  });

  it('a refusal with --json includes the result and the warnings of an import that ended early', async () => {
    await using base = await openTestDatabase();
    const environment = environmentOf(base);
    await runCardportInProcess(['shop', 'add', '--name', 'A', '--slug', 'a'], { environment });
    const stdin = Buffer.from([0x1f, 0x8b, 8, 0]);
    const args = ['inventory', 'import', '--shop', 'a', '-', '--json'];
    const run = await runCardportInProcess(args, { environment, stdin });
    assert.equal(run.code, 1);
    assert.equal(JSON.parse(run.stdout).accepted, 0);
    assert.equal(errorOf(run).code, 'unreadable_input');
    const rejected = await runCardportInProcess(args, { environment, stdin: 'no json' });
    assert.equal(rejected.code, 3);
    assert.match(JSON.parse(rejected.stderr).warning, /^line 1: invalid_request: /);
  });
});

describe('a typing error', () => {
  it('the message about a typing error suggests the nearest command or option', async () => {
    const cases = [
      [['shop', 'ad'], 'did you mean shop add?'],
      [['serv'], 'did you mean serve?'],
      [['shpo', 'list'], 'did you mean shop list?'],
      [['inventroy'], 'did you mean inventory?'],
      [['boost', 'import', 'stock.ndjson'], 'did you mean boosts import?'],
      [['shop', 'add', '--nmae', 'A'], 'did you mean --name?'],
      [['shop', 'add', '--slgu=a'], 'did you mean --slug?'],
      [['emulate', '--prot', '1'], 'did you mean --port?'],
    ] as const;
    for (const [args, suggestion] of cases) {
      const { code, stderr } = await runCardportInProcess(args);
      assert.equal(code, 2);
      assert.ok(stderr.includes(suggestion), stderr);
    }
  });

  it('the message suggests nothing if no command or option is similar', async () => {
    for (const args of [['frobnicate'], ['shop', 'xyzzy'], ['shop', 'list', '--frobnicate']]) {
      const { code, stderr } = await runCardportInProcess(args);
      assert.equal(code, 2);
      assert.doesNotMatch(stderr, /did you mean (?!shop\?)/);
      assert.match(stderr, /^Try: cardport /m);
    }
  });
});

describe('a command in a folder without data', () => {
  it('a command in a folder without data creates no database and names the folder', async () => {
    using folder = temporaryFolder();
    const missing = join(folder.path, 'data');
    for (const data of [folder.path, missing]) {
      const environment = { DATA_DIR: data };
      for (const { name, createsDatabase, options, operand } of commands) {
        if (createsDatabase === true || operand?.name === 'FILE') continue;
        const values = Object.entries(options).flatMap(([option, { value, isRequired }]) =>
          isRequired === true ? [`--${option}`, ...(value === undefined ? [] : ['x'])] : [],
        );
        const operands = operand === undefined ? [] : ['x'];
        const args = [...name.split(' '), ...values, ...operands, '--json'];
        const run = await runCardportInProcess(args, { environment });
        assert.equal(run.code, 1, `${name}: ${run.stderr}`);
        const { code, message } = errorOf(run);
        assert.equal(code, 'no_database');
        assert.ok(message.startsWith(`there is no database in ${data}: set DATA_DIR`), message);
      }
    }
    assert.deepEqual(readdirSync(folder.path), []);
    assert.ok(!existsSync(missing));
  });

  it('a backup of a folder without data is refused before a file is written', async () => {
    using folder = temporaryFolder();
    const file = join(folder.path, 'x.backup');
    const environment = { DATA_DIR: join(folder.path, 'data') };
    const run = await runCardportInProcess(['backup', file], { environment });
    assert.equal(run.code, 1);
    assert.match(run.stderr, /^cardport: there is no database in /);
    assert.deepEqual(readdirSync(folder.path), []);
  });

  it('a command in a folder without data still prints its version and help', async () => {
    assert.equal((await runCardportInProcess(['--version'])).stdout, `${VERSION}\n`);
    const help = await runCardportInProcess(['shop', 'list', '--help']);
    assert.equal(help.code, 0);
  });
});
