import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { runCardport, type Run, temporaryFolder } from '../../test/cardport.ts';
import { environmentOf } from '../../test/cardport-in-process.ts';
import { fixtureElements, fixturePath } from '../../test/format-fixture.ts';
import { openTestDatabase, type TestDatabase } from '../../test/test-database.ts';
import { systemClock } from '../base/clock.ts';
import { parseArguments } from './arguments.ts';
import { catalogImport } from './catalog-import.ts';
import { openInput, openStandardInput } from './input.ts';
import { asksForJson } from './output.ts';
import { runCommand } from './run-command.ts';

/** Runs the command in this process, with the typed arguments and the files that they name. */
async function runHere(base: TestDatabase, typed: readonly string[]): Promise<Run> {
  const printed = { stdout: '', stderr: '' };
  const output = {
    out: (text: string): void => void (printed.stdout += text),
    err: (text: string): void => void (printed.stderr += text),
    isJson: asksForJson(typed),
  };
  const asked = parseArguments(catalogImport, typed);
  assert.ok(asked.kind === 'arguments');
  const opened = await openInput(catalogImport, asked.args, openStandardInput);
  if (opened.kind === 'failed') return { code: 1, stdout: '', stderr: opened.reason };
  const context = {
    ...base,
    clock: systemClock,
    publicUrl: 'http://127.0.0.1:1',
    secretKey: '',
    restoredTokenDays: 7,
  };
  const { bytes, files } = opened.input;
  const input = { bytes, files, signal: new AbortController().signal, ask: null };
  const code = await runCommand(catalogImport, asked.args, context, input, output);
  bytes.destroy();
  return { code, ...printed };
}

function readReport(run: Run): Record<string, unknown> {
  const report: unknown = JSON.parse(run.stdout);
  assert.ok(typeof report === 'object' && report !== null);
  return { ...report };
}

describe('catalog import of the public formats', () => {
  it('catalog import reads each format, reports skipped elements, and changes nothing the second time', async () => {
    await using base = await openTestDatabase();
    using folder = temporaryFolder();
    const run = async (typed: readonly string[]): Promise<Run> => await runHere(base, typed);
    const packed = join(folder.path, 'cards.json.gz');
    writeFileSync(packed, gzipSync(readFileSync(fixturePath('scryfall'))));
    const scryfall = await run(['--form', 'scryfall', packed]);
    assert.equal(scryfall.code, 0, scryfall.stderr);
    assert.equal(
      scryfall.stdout,
      'Accepted 4 elements, skipped 2. Cards: 7 new, 0 changed, 0 unchanged.\n',
    );
    assert.match(scryfall.stderr, /^skipped 1: digital only\nskipped 1: art series\n$/);
    const again = await run(['--form', 'scryfall', '--json', packed]);
    assert.deepEqual(readReport(again), {
      accepted: 4,
      rejected: [],
      passedOver: [
        { reason: 'digital only', count: 1 },
        { reason: 'art series', count: 1 },
      ],
      entries: { added: 0, changed: 0, unchanged: 7 },
    });
    const withTotals = ['--form', 'scryfall', '--sets', fixturePath('scryfall-sets'), packed];
    assert.match((await run(withTotals)).stdout, /Cards: 0 new, 5 changed, 2 unchanged/);
    const tcgdex = await run(['--form', 'tcgdex', '--language', 'ja', fixturePath('tcgdex')]);
    assert.match(tcgdex.stdout, /^Accepted 2 elements, skipped 1\. Cards: 6 new/);
    const ygoprodeck = await run(['--form', 'ygoprodeck', fixturePath('ygoprodeck')]);
    assert.match(ygoprodeck.stdout, /^Accepted 1 element, skipped 1\. Cards: 4 new/);
  });

  it('catalog import reads several files and folders, and names each file in the report', async () => {
    await using base = await openTestDatabase();
    using folder = temporaryFolder();
    const environment = environmentOf(base);
    const cards = join(folder.path, 'cards');
    mkdirSync(cards);
    copyFileSync(fixturePath('pokemon-tcg-data'), join(cards, 'mist1.json'));
    writeFileSync(join(cards, 'mist2.json'), '[\n{"id":"mist2-1","number":"1"},\n{"id":1]\n');
    writeFileSync(join(cards, 'mist3.json'), '[{"id":"mist3-1","number":"1","name":"A"}');
    writeFileSync(join(cards, 'readme.txt'), 'no JSON');
    const sets = ['--sets', fixturePath('pokemon-tcg-data-sets')];
    const result = await runCardport(
      ['catalog', 'import', '--form', 'pokemon-tcg-data', ...sets, '--json', cards, '-'],
      { environment, stdin: readFileSync(fixturePath('pokemon-tcg-data-api')) },
    );
    assert.equal(result.code, 1);
    const report = readReport(result);
    assert.equal(report['accepted'], 3);
    assert.deepEqual(report['entries'], { added: 6, changed: 0, unchanged: 0 });
    assert.ok(Array.isArray(report['rejected']));
    assert.deepEqual(
      report['rejected'].map(({ line, file }) => [String(file).slice(cards.length + 1), line]),
      [
        ['mist2.json', 2],
        ['mist2.json', 3],
        ['mist3.json', 1],
      ],
    );
    assert.match(result.stderr, /mist2\.json line 2: invalid_request: name must be a string/);
    assert.match(
      result.stderr,
      /"warning":"the name of the set \\"mist2\\" is unknown, so its id is shown: use --sets/m,
    );
    assert.match(
      result.stderr,
      /mist3\.json could not be read completely: reading stopped at line 1\./,
    );
  });

  it('catalog import stops where the file is no longer JSON, keeps everything before that, and ends with code 1', async () => {
    await using base = await openTestDatabase();
    using folder = temporaryFolder();
    const lines = fixtureElements('scryfall').map((each) => JSON.stringify(each));
    lines[3] = lines[3]?.slice(0, -1) ?? '';
    const file = join(folder.path, 'bulk.json');
    writeFileSync(file, `[\n${lines.join(',\n')}\n]\n`);
    const result = await runHere(base, ['--form', 'scryfall', file]);
    assert.equal(result.code, 1);
    assert.match(result.stdout, /^Accepted 3 elements/);
    const byte = Buffer.byteLength(`[\n${lines.slice(0, 3).join(',\n')},\n`);
    const place = `stopped at line 5. The value that starts at byte ${byte} does not end.`;
    assert.ok(result.stderr.includes(place), result.stderr);
  });

  it('an error in the arguments is explained, and nothing is written', async () => {
    await using base = await openTestDatabase();
    using folder = temporaryFolder();
    const file = fixturePath('tcgdex');
    const empty = join(folder.path, 'empty.json');
    writeFileSync(empty, '[]');
    const cases = [
      [['--form', 'magic', file], 2, /--form magic must be one of cardport, scryfall, /],
      [['--form', 'tcgdex', file], 2, /--language is missing/],
      [['--form', 'tcgdex', '--language', '?', file], 2, /must be a language tag/],
      [['--language', 'ja', file], 2, /--language applies only to the public formats/],
      [['--sets', file, file], 2, /--sets applies only to the public formats/],
      [
        [file],
        3,
        /nothing was accepted\. If the format is not cardport, choose another with --form: cardport, scryfall,/,
      ],
      [
        ['--form', 'scryfall', file, `${file}.none`],
        1,
        /none cannot be read: the file does not exist/,
      ],
      [['--form', 'scryfall', '-', '-'], 1, /standard input can be read only once/],
      [['--form', 'scryfall', '--sets', empty, file], 1, /empty\.json: it contains no sets/],
      [
        ['--form', 'scryfall', '--sets', file, file],
        3,
        /nothing was accepted\. If the format is not scryfall, /,
      ],
    ] as const;
    for (const [args, code, reason] of cases) {
      const result = await runHere(base, args);
      assert.equal(result.code, code, result.stderr);
      assert.match(result.stderr, reason);
      // With code 3, the command prints a report. TCGdex cards are accepted as sets, which need
      // only an id and a name, but are rejected as Scryfall cards.
      if (code !== 3) assert.equal(result.stdout, '');
    }
    const page = join(folder.path, 'page.json');
    writeFileSync(page, '<!doctype html>');
    const refused = await runHere(base, ['--form', 'scryfall', page]);
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /The file is a web page or XML, not JSON\./);
  });

  it('catalog import reads several files of the Cardport format too', async () => {
    await using base = await openTestDatabase();
    using folder = temporaryFolder();
    const files = [1, 2].map((n) => {
      const file = join(folder.path, `${n}.ndjson`);
      const id = (letter: string): string => `${letter}0000000-0000-4000-8000-00000000000${n}`;
      const game = { id: id('a').replace(/.$/, '0'), code: 'kumo', name: `雲 ${n}` };
      const card = { id: id('c'), name: '札', languageCode: 'ja', game };
      writeFileSync(file, `\n${JSON.stringify(card)}\n${n === 1 ? '' : 'no json'}`);
      return file;
    });
    const result = await runHere(base, [...files, '--json']);
    assert.equal(result.code, 3);
    assert.deepEqual(readReport(result), {
      accepted: 2,
      rejected: [
        {
          line: 3,
          error: 'invalid_request',
          detail: 'The line is not valid JSON.',
          file: files[1],
        },
      ],
    });
  });
});
