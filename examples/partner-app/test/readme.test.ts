import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { describe, it } from 'node:test';

const app = new URL('..', import.meta.url);
const readme = readFileSync(new URL('README.md', app), 'utf8');
const sources = readdirSync(new URL('src/', app)).toSorted();

/** The maximum for all files, including blank lines, comments, markup and styles. */
const LINES_MAX = 540;
const IMAGE_BYTES_MAX = 200_000;

function linesOf(name: string): number {
  return readFileSync(new URL(`src/${name}`, app), 'utf8').split('\n').length - 1;
}

describe('the tutorial of the example app', () => {
  it('the README has excerpts that equal the text of the files', () => {
    const excerpts = [...readme.matchAll(/^```ts file=(\S+)\n([\s\S]*?)^```$/gm)];
    assert.ok(excerpts.length >= 10);
    for (const [, file = '', excerpt = ''] of excerpts) {
      const text = readFileSync(new URL(file, app), 'utf8');
      assert.ok(text.includes(excerpt), `${file} does not contain:\n${excerpt}`);
    }
  });

  it('the README names every file and every setting', () => {
    for (const name of sources) assert.ok(readme.includes(`\`${name}\``), name);
    const code = sources.map((name) => readFileSync(new URL(`src/${name}`, app), 'utf8')).join('');
    for (const [, name = ''] of code.matchAll(/env\['(\w+)'\]/g)) {
      assert.ok(readme.includes(`\`${name}\``), name);
    }
  });

  it('the README states the number of lines, which is about 500', () => {
    const total = sources.reduce((sum, name) => sum + linesOf(name), 0);
    assert.ok(total < LINES_MAX, `${total} lines`);
    for (const name of sources) {
      assert.ok(readme.includes(`| \`${name}\` | ${linesOf(name)} |`), name);
    }
    assert.ok(readme.includes(`| **all** | **${total}** |`), `all: ${total}`);
  });

  it('the README contains pictures that exist and are small', () => {
    for (const [, path = ''] of readme.matchAll(/!\[[^\]]*\]\((\S+)\)/g)) {
      const image = new URL(path, app);
      assert.ok(existsSync(image), path);
      assert.ok(statSync(image).size < IMAGE_BYTES_MAX, path);
    }
  });
});
