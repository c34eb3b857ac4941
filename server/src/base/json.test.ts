import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseJson } from './json.ts';

function refused(name: string): object {
  return {
    kind: 'invalid',
    reason: `has the member ${JSON.stringify(name)} twice in an object`,
  };
}

describe('parseJson', () => {
  it('a member that an object has twice is named, at any depth and in any spelling', () => {
    const cases: readonly (readonly [string, string])[] = [
      ['{"a":1,"a":1}', 'a'],
      ['{"a":1,"b":{"a":2},"a":3}', 'a'],
      ['[{"x":[{"y":1,"z":"}","y":2}]}]', 'y'],
      ['{"a":1,"\\u0061":2}', 'a'],
      ['{"\\u0041":1,"A" \n\t:2}', 'A'],
      ['{"カード":1,"\\u30ab\\u30fc\\u30c9":2}', 'カード'],
      ['{"😀":1,"\\ud83d\\uDE00":2}', '😀'],
      ['{"a\\"":1,"a\\u0022":2}', 'a"'],
      ['{"/":1,"\\/":2}', '/'],
      ['{"\\\\":1,"\\\\":2}', '\\'],
      ['{"":1,"":2}', ''],
      ['{"__proto__":1,"__proto__":2}', '__proto__'],
      [`{"${'n'.repeat(9_000)}":1,"${'n'.repeat(9_000)}":2}`, 'n'.repeat(100)],
      [`${'['.repeat(100_000)}{"a":1,"a":2}${']'.repeat(100_000)}`, 'a'],
    ];
    for (const [text, name] of cases) assert.deepEqual(parseJson(text), refused(name), text);
  });

  it('equal names in different objects, and texts that look like members, are accepted', () => {
    for (const value of [
      { a: { a: [{ a: 1 }, { a: 2 }] }, b: ['a', 'a', '"a":', 'a:'] },
      { a: '"a":1,"a":2', 'a"': 1, 'a\\': 2, 'a\\"': 3, 'a:': 4, '{': '}', '}': '{' },
      ['\\', '\\\\', '"', '\\"', ':'],
      'a',
      null,
    ]) {
      for (const indent of [0, 2]) {
        const text = JSON.stringify(value, null, indent);
        assert.deepEqual(parseJson(text), { kind: 'value', value }, text);
      }
    }
    const spaced = '{"a" : "x" , "b"\r\n\t : "a" ,"c":"b"}';
    assert.deepEqual(parseJson(spaced), { kind: 'value', value: { a: 'x', b: 'a', c: 'b' } });
  });

  it('a string of millions of escapes is read', () => {
    const value = { a: '\\"'.repeat(2_000_000), b: '\u0001'.repeat(100_000) };
    assert.equal(parseJson(JSON.stringify(value)).kind, 'value');
  });

  it('malformed JSON is refused', () => {
    for (const text of ['', '{', '{"a":1,"a"', '{"a":1,}', '\ufeff{}', '"\n"', '{"a":1 "a":2}']) {
      assert.deepEqual(parseJson(text), { kind: 'invalid', reason: 'is not valid JSON' }, text);
    }
  });
});
