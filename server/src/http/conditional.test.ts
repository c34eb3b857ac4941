import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isNotModified } from './conditional.ts';

const validators = { etag: '"a,b"', lastModified: new Date('2026-06-01T12:00:00.999Z') };

describe('If-None-Match (RFC 9110 §13.1.2)', () => {
  it('matches weak tags, a tag in a list, and a tag without quotes', () => {
    for (const header of [
      '"a,b"',
      'W/"a,b"',
      ' "x" ,\t"a,b"',
      '"x",W/"a,b","y"',
      '*',
      ' * ',
      'a,b',
      'W/a,b',
    ]) {
      assert.equal(isNotModified({ 'if-none-match': header }, validators), true, header);
    }
    for (const header of [
      '',
      '"a"',
      'b"',
      '"a,b',
      'w/"a,b"',
      '"a", "b"',
      '"*"',
      'a',
      '"x"a,b',
      '**',
    ]) {
      assert.equal(isNotModified({ 'if-none-match': header }, validators), false, header);
    }
  });

  it('does not match if it is 16 kB of delimiters', (test) => {
    const startMs = performance.now();
    for (const piece of ['"', ',', '"a",', 'W/', ' \t', '"a" ']) {
      const header = piece.repeat(16_000 / piece.length);
      assert.equal(isNotModified({ 'if-none-match': header }, validators), false, piece);
    }
    test.diagnostic(`${Math.round(performance.now() - startMs)} ms for six headers`);
  });
});

describe('If-Modified-Since (RFC 9110 §13.1.3)', () => {
  it('is compared in whole seconds, and ignored if there is If-None-Match', () => {
    const at = 'Mon, 01 Jun 2026 12:00:00 GMT';
    assert.equal(isNotModified({ 'if-modified-since': at }, validators), true);
    const before = { 'if-modified-since': 'Mon, 01 Jun 2026 11:59:59 GMT' };
    assert.equal(isNotModified(before, validators), false);
    const both = { 'if-modified-since': at, 'if-none-match': '"x"' };
    assert.equal(isNotModified(both, validators), false);
    assert.equal(
      isNotModified({ 'if-modified-since': 'Mon, 99 Jun 2026 12:00:00 GMT' }, validators),
      false,
    );
    assert.equal(isNotModified({}, validators), false);
  });
});
