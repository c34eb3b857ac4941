import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { editDistance, editDistanceToStart } from './edit-distance.ts';
import { isAbbreviationOf } from './find-by-abbreviation.ts';
import { nameKeyOf } from './name-key.ts';

describe('edit distance', () => {
  it('counts an inserted, deleted, replaced or transposed letter as one typo', () => {
    assert.equal(editDistance('dragon', 'dragon', 2), 0);
    for (const slip of ['dragoon', 'dagon', 'dragan', 'drgaon']) {
      assert.equal(editDistance('dragon', slip, 2), 1, slip);
      assert.equal(editDistance(slip, 'dragon', 2), 1, slip);
    }
    assert.equal(editDistance('dragon', 'drago', 0), 1);
    assert.equal(editDistance('dragon', 'tiger', 2), 3);
    assert.equal(editDistance('', 'ab', 2), 2);
  });

  it('equals that of the full table, up to its limit', () => {
    const letters = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 10 });
    fc.assert(
      fc.property(letters, letters, fc.integer({ min: 1, max: 2 }), (a, b, max) => {
        assert.equal(editDistance(a, b, max), Math.min(wholeDistance(a, b), max + 1));
      }),
      { numRuns: 2_000 },
    );
  });

  it('of a prefix is that to the nearest beginning of the name', () => {
    const letters = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 10 });
    const anySlips = fc.integer({ min: 1, max: 2 });
    fc.assert(
      fc.property(letters, letters, fc.nat(10), anySlips, (a, b, at, max) => {
        const rest = b.slice(Math.min(at, b.length));
        const all = Array.from({ length: rest.length + 1 }, (_, end) =>
          wholeDistance(a, rest.slice(0, end)),
        );
        const found = editDistanceToStart(a, b, Math.min(at, b.length), max);
        assert.equal(found, Math.min(...all, max + 1));
      }),
      { numRuns: 2_000 },
    );
  });

  function wholeDistance(a: string, b: string): number {
    const table = Array.from({ length: a.length + 1 }, (_, i) =>
      Array.from({ length: b.length + 1 }, (__, j) => (i === 0 ? j : i)),
    );
    for (let i = 1; i <= a.length; i++) {
      for (let j = 1; j <= b.length; j++) {
        const isSame = a[i - 1] === b[j - 1];
        const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
        const row = table[i] ?? [];
        row[j] = Math.min(
          (table[i - 1]?.[j] ?? 0) + 1,
          (row[j - 1] ?? 0) + 1,
          (table[i - 1]?.[j - 1] ?? 0) + (isSame ? 0 : 1),
          isSwapped ? (table[i - 2]?.[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
        );
      }
    }
    return table[a.length]?.[b.length] ?? 0;
  }
});

describe('abbreviations of names', () => {
  function isShortFor(short: string, name: string): boolean {
    const { key, wordStarts } = nameKeyOf(name);
    return isAbbreviationOf(nameKeyOf(short).key, key, wordStarts);
  }

  it('are the beginnings of consecutive words', () => {
    assert.ok(isShortFor('クロソラキツ', 'クロノ・ソラリス・キツネ'));
    assert.ok(isShortFor('クロソラキツネ', 'クロノ・ソラリス・キツネ'));
    assert.ok(isShortFor('クロソラ', 'クロノ・ソラリス・キツネ'));
    assert.ok(isShortFor('黒竜', '黒き竜'));
    assert.ok(isShortFor('clockfox', 'Clockwork Fox'));
  });

  it('have no gaps, no middles of words and no single letters', () => {
    assert.ok(!isShortFor('クロキツ', 'クロノ・ソラリス・キツネ'));
    assert.ok(!isShortFor('ロノソラ', 'クロノ・ソラリス・キツネ'));
    assert.ok(!isShortFor('クソキ', 'クロノ・ソラリス・キツネ'));
    assert.ok(!isShortFor('クロノ', 'クロノ・ソラリス・キツネ'), 'one word: that is a prefix');
    assert.ok(!isShortFor('クロソラキツネコ', 'クロノ・ソラリス・キツネ'));
  });
});
