import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { STYLE } from '../html/page.ts';

const folder = new URL('assets/', import.meta.url);
const read = (name: string): string => readFileSync(new URL(name, folder), 'utf8');
const rules = read('README.md');
const sheets = new Map(
  readdirSync(folder)
    .filter((name) => name.endsWith('.css'))
    .map((name) => [name, read(name).replaceAll(/\/\*[\s\S]*?\*\//g, '')]),
);
sheets.set('html/page.ts', STYLE);

/** Font sizes that are inherited, or relative to the surrounding text (code). */
const RELATIVE_SIZES = ['inherit', '0.9em'];
/** All spaces are multiples of this step, in rem. */
const STEP_REM = 0.125;

/** Returns the values of a property in all style sheets, with the name of the sheet. */
function valuesOf(property: RegExp): [sheet: string, value: string][] {
  const declaration = new RegExp(`(?<![\\w-])(?:${property.source})\\s*:\\s*([^;}]+)`, 'g');
  return [...sheets].flatMap(([sheet, css]) =>
    [...css.matchAll(declaration)].map(([, value = '']): [string, string] => [sheet, value.trim()]),
  );
}

/** Returns the first cells of the table with this head. */
function firstCells(head: string): Set<string> {
  const [, table = ''] = rules.split(`| ${head} |`);
  const [rows = ''] = table.split('\n\n');
  return new Set([...rows.matchAll(/^\| `([^`]+)`/gm)].map(([, cell = '']) => cell));
}

type Colors = ReadonlyMap<string, string>;

/** Returns the light and the dark colors of a style sheet by name. */
function colorsOf(css: string): { readonly light: Colors; readonly dark: Colors } {
  const [light = [], dark = []] = [...css.matchAll(/:root\s*\{([^}]*)\}/g)].map(([, block = '']) =>
    [...block.matchAll(/--([\w-]+):\s*(#[\da-f]+)/g)].map(
      ([, name = '', color = '']): [string, string] => [name, color],
    ),
  );
  return { light: new Map(light), dark: new Map([...light, ...dark]) };
}

/** The relative luminance (WCAG 2.2). */
function luminance(color: string): number {
  const digits = color.length === 4 ? color.replaceAll(/[\da-f]/g, '$&$&') : color;
  const [red = 0, green = 0, blue = 0] = [1, 3, 5]
    .map((from) => Number.parseInt(digits.slice(from, from + 2), 16) / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(colors: Colors, front: string, back: string): number {
  const [darker = 0, lighter = 0] = [front, back]
    .map((name) => luminance(colors.get(name) ?? assert.fail(name)))
    .toSorted((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}

const pairs = [
  ...rules.matchAll(/^\| `([\w-]+)` \| `([\w-]+)` \| ([\d.]+) \| ([\d.]+) \| ([\d.]+) \|$/gm),
].map(([, front = '', back = '', ...numbers]) => ({ front, back, numbers: numbers.map(Number) }));

describe('the visual system', () => {
  it('the documented font sizes are exactly those of the style sheets', () => {
    const sizes = valuesOf(/font-size/)
      .map(([sheet, size]) => [sheet, size.replace(/^\./, '0.')] as const)
      .filter(([, size]) => !RELATIVE_SIZES.includes(size));
    const known = firstCells('Size');
    assert.deepEqual(
      sizes.filter(([, size]) => !known.has(size)),
      [],
    );
    assert.deepEqual(new Set(sizes.map(([, size]) => size)), known);
    for (const [sheet, font] of valuesOf(/font/)) assert.match(font, /^inherit$|^1rem\//, sheet);
  });

  it('the style sheets use only two font weights', () => {
    const known = firstCells('Weight');
    assert.deepEqual(known, new Set(['400', '600']));
    const others = valuesOf(/font-weight/).filter(([, weight]) => !known.has(weight));
    assert.deepEqual(others, []);
  });

  it('all spaces are multiples of 0.125rem', () => {
    const spaces = valuesOf(/(?:margin|padding|gap)[a-z-]*/).flatMap(([sheet, value]) =>
      [...value.matchAll(/(\d*\.?\d+)rem/g)].map(([text, number]) => ({
        sheet,
        text,
        steps: Number(number) / STEP_REM,
      })),
    );
    assert.ok(spaces.length > 100);
    assert.deepEqual(
      spaces.filter(({ steps }) => !Number.isInteger(steps)),
      [],
    );
  });

  it('the documented contrast of each pair of colors is correct and sufficient', () => {
    const colors = colorsOf(read('console.css'));
    assert.ok(pairs.length > 20);
    for (const { front, back, numbers } of pairs) {
      const [light = 0, dark = 0, min = 0] = numbers;
      const actual = [colors.light, colors.dark].map((theme) => contrast(theme, front, back));
      assert.deepEqual(
        actual.map((value) => Math.floor(value * 10) / 10),
        [light, dark],
        `${front} on ${back}`,
      );
      assert.ok(Math.min(...actual) >= min && min >= (front === 'edge' ? 3 : 4.5), front);
    }
  });

  it('each pair of colors that a rule combines is documented', () => {
    const known = new Set(pairs.map(({ front, back }) => `${front} on ${back}`));
    const blocks = [...sheets.values()].flatMap((css) => [...css.matchAll(/\{([^{}]*)\}/g)]);
    const used = blocks.flatMap(([, block = '']) => {
      const front = /(?<![\w-])color:\s*var\(--([\w-]+)\)/.exec(block)?.[1];
      const back = /(?<![\w-])background(?:-color)?:\s*var\(--([\w-]+)\)/.exec(block)?.[1];
      return front === undefined || back === undefined ? [] : [`${front} on ${back}`];
    });
    assert.ok(used.length > 10);
    assert.deepEqual(
      used.filter((pair) => !known.has(pair)),
      [],
    );
  });

  it('the sign-in and consent pages use the same colors as the console', () => {
    const own = colorsOf(read('console.css'));
    const others = colorsOf(STYLE);
    for (const theme of ['light', 'dark'] as const) {
      assert.ok(others[theme].size > 5);
      for (const [name, color] of others[theme]) {
        assert.equal(own[theme].get(name), color, `${theme} ${name}`);
      }
    }
  });
});
