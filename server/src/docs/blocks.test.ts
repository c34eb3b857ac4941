import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { marked } from 'marked';
import { findBlocks } from '../../test/docs-blocks.ts';
import { findResponseProblem, readMessage } from '../../test/docs-http.ts';
import { type PageReport, runPage } from '../../test/docs-page.ts';
import { blocksOf, listPages, needsEmulator } from '../../test/docs-pages.ts';
import { testCodeBlocks } from '../../test/code-block-tests.ts';
import { makeSchemaCheck } from '../../test/docs-schemas.ts';
import { findShapeProblem, parseElidedJson } from '../../test/docs-shape.ts';

const ROOT = new URL('../../..', import.meta.url);
/** The maximum number of code blocks that are not run. Each skipped block states a reason. */
const SKIPPED_MAX = 25;

// Another file tests the pages that need the emulator, so that both run concurrently.
describe('the code blocks of the pages', () => {
  testCodeBlocks(listPages().filter((page) => !needsEmulator(page)));
});

describe('the code blocks of all pages', () => {
  it('code blocks are rarely skipped', () => {
    const skipped = listPages()
      .flatMap(blocksOf)
      .filter(({ options }) => options.has('skip'));
    assert.ok(skipped.length <= SKIPPED_MAX, `${skipped.length} blocks are skipped`);
  });

  it('code blocks are found exactly as a Markdown parser finds them', () => {
    for (const page of listPages()) {
      const markdown = readFileSync(new URL(page, ROOT), 'utf8');
      const seen: string[] = [];
      void marked.walkTokens(marked.lexer(markdown), (token) => {
        if (token.type === 'code') seen.push(`${token.text}\n`);
      });
      assert.deepEqual(
        findBlocks(markdown).map(({ text }) => text),
        seen,
        page,
      );
    }
  });
});

describe('the runner of code blocks', () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'cardport-test-'));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));
  const checkSchema = makeSchemaCheck();

  async function run(markdown: string): Promise<PageReport> {
    const file = join(folder, 'page.md');
    writeFileSync(file, markdown);
    const reset = async (): Promise<never> => {
      throw new Error('this page does not use the emulator');
    };
    return await runPage(file, 'page.md', { folder, reset, ports: new Map(), checkSchema });
  }

  async function faultsOf(markdown: string): Promise<readonly (readonly [number, string])[]> {
    const { faults } = await run(markdown);
    return faults.map(({ line, message }) => [line, message.split('\n')[0] ?? ''] as const);
  }

  it('the runner runs the blocks of a page in one shell session', async () => {
    const report = await run(`
\`\`\`sh
NAME=雲
mkdir -p place && cd place
\`\`\`
- in a list:
  \`\`\`sh exit=3
  [ "$NAME" = 雲 ] && [ "$(basename "$PWD")" = place ] && exit 3
  \`\`\`
\`\`\`js file=name.js
export const name = '花';
\`\`\`
\`\`\`js run
import { name } from './name.js';
console.log(JSON.stringify({ name, units: [{ id: 1, location: null }, { id: 2, location: {} }] }));
\`\`\`
\`\`\`json answer
{ "name": "雲", "units": [{ "id": 9, "location": {} }, …] }
\`\`\`
\`\`\`sh skip="needs a reason"
exit 1
\`\`\`
`);
    assert.deepEqual(report.faults, []);
    assert.deepEqual([report.ran, report.checked], [3, 2]);
    assert.deepEqual(report.skipped, [{ line: 20, reason: 'needs a reason' }]);
  });

  it('the runner reports the line and the output of a failed block, and continues with independent blocks', async () => {
    const faults = await faultsOf(
      '```sh\necho seen; false\n```\n```sh\necho not run >&2; exit 9\n```\n```json schema=Error\n{}\n```\n',
    );
    assert.equal(faults.length, 2);
    assert.deepEqual(faults[0], [1, 'the block exited with 1 instead of 0:']);
    assert.equal(faults[1]?.[0], 7);
    assert.match(faults[1]?.[1] ?? '', /^not a valid Error: data must have required property/);
  });

  it('the runner replaces the name of a file by its path', async () => {
    writeFileSync(join(folder, 'beside.ts'), 'const a = 1;\nconst b = 2;\n');
    const shown = '```ts file=beside.ts\nconst b = 2;\n```\n';
    assert.deepEqual(await faultsOf(shown), []);
    const faults = await faultsOf(shown.replace('2', '3'));
    assert.deepEqual(faults, [[1, 'beside.ts beside the page does not contain this text']]);
  });

  for (const [name, markdown, message] of [
    ['no language', '```\nx\n```\n', /needs a language/],
    ['a language that is not checked', '```ruby\nx\n```\n', /which 'ruby' is not/],
    ['JSON without a schema', '```json\n{}\n```\n', /JSON block needs schema=/],
    ['a schema that does not exist', '```json schema=Cow\n{}\n```\n', /no API has a schema Cow/],
    [
      'a member that the schema does not have',
      '```json schema=Site\n{"cow": 1}\n```\n',
      /^not a valid Site: .*additional/,
    ],
    ['an unset variable', '```sh\necho "$NOTHING"\n```\n', /exited with/],
    ['a failed command in a pipe', '```sh\nfalse | cat\n```\n', /exited with 1/],
    [
      'an exit code other than the stated one',
      '```sh exit=1\ntrue\n```\n',
      /exited with 0 instead of 1/,
    ],
    ['a program that does not parse', '```js\nconst =\n```\n', /does not parse/],
    ['a server that exits', '```sh background port=1\necho no\n```\n', /does not listen/],
    [
      'a response of another shape',
      '```sh\necho "{}"\n```\n```json answer\n{"a": 1}\n```\n',
      /no such member/,
    ],
    [
      'a response that is not HTTP',
      '```sh\necho x\n```\n```http answer\nHTTP/1.1 200 OK\n```\n',
      /not an HTTP response/,
    ],
    ['a file outside its folder', '```js file=../x.js\n1\n```\n', /outside/],
    [
      'an nginx block with an unclosed brace',
      '```nginx\nserver {\n  listen 80;\n```\n',
      /without a match: 1/,
    ],
    ['an nginx line without a semicolon', '```nginx\nserver {\n  listen 80\n}\n```\n', /line 2/],
    ['a block that is not INI', '```ini\n[a]\nwhat\n```\n', /line 2/],
    ['a skip without a reason', '```sh skip=""\ntrue\n```\n', /needs a reason/],
  ] as const) {
    it(`the runner refuses ${name}`, async () => {
      const faults = await faultsOf(markdown);
      assert.equal(faults.length, 1);
      assert.match(faults[0]?.[1] ?? '', message);
    });
  }
});

describe('the response shown on a page', () => {
  for (const [shown, actual, isLike] of [
    ['{"a": 1}', { a: 2 }, true],
    ['{"a": 1}', { a: '2' }, false],
    ['{"a": 1}', { a: 1, b: 2 }, false],
    ['{"a": 1, …}', { a: 1, b: 2 }, true],
    ['{"a": 1, "b": 2}', { a: 1 }, false],
    ['{"a": null}', { a: {} }, false],
    ['{"a": []}', { a: [1] }, false],
    ['{"a": […]}', { a: [1] }, true],
    ['[{"a": 1}, {"b": 1}]', [{ b: 1 }, { a: 1 }], true],
    ['[{"a": 1}, {"b": 1}]', [{ a: 1 }], false],
    ['{"error": "not_found"}', { error: 'not_found' }, true],
    ['{"error": "not_found"}', { error: 'forbidden' }, false],
    ['{"text": "… {"}', { text: '' }, true],
  ] as const) {
    it(`${shown} is ${isLike ? '' : 'not '}like ${JSON.stringify(actual)}`, () => {
      assert.equal(findShapeProblem(parseElidedJson(shown), actual) === null, isLike);
    });
  }

  it('a response must match the shown status, headers and shape of the body', () => {
    const actual = readMessage(
      'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nETag: "a"\r\n\r\n{"a":1}',
    );
    assert.ok(actual !== null);
    for (const [text, fault] of [
      ['HTTP/1.1 200 OK\nETag: "b"\n\n{"a": 2}', null],
      ['HTTP/1.1 404 Not Found\n', 'the page shows 404, but the response is 200'],
      ['HTTP/1.1 200 OK\nX-Other: 1\n', 'the response has no header x-other'],
      [
        'HTTP/1.1 200 OK\nContent-Type: text/html\n',
        'the response’s content-type is application/json',
      ],
      ['HTTP/1.1 200 OK\n\n{"b": 2}', '$.b: the answer has no such member'],
    ] as const) {
      const shown = readMessage(text);
      assert.ok(shown !== null);
      assert.equal(findResponseProblem(shown, actual)?.replaceAll("'", '’') ?? null, fault);
    }
  });
});
