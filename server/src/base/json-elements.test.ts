import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { anyCharacter } from '../../test/any-character.ts';
import { ELEMENT_BYTES_MAX } from './element-cutter.ts';
import type { JsonElement } from './json-element.ts';
import { readJsonElements } from './json-elements.ts';

async function* inChunks(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size);
}

async function collect(source: AsyncIterable<JsonElement>): Promise<JsonElement[]> {
  const elements: JsonElement[] = [];
  for await (const element of source) elements.push(element);
  return elements;
}

async function elementsOf(data: string | Uint8Array, chunkSize = 65_536): Promise<JsonElement[]> {
  return await collect(readJsonElements(inChunks(Buffer.from(data), chunkSize)));
}

async function valuesOf(data: string | Uint8Array): Promise<unknown[]> {
  const elements = await elementsOf(data);
  return elements.map((element) => {
    assert.ok(element.kind === 'value');
    return element.value;
  });
}

/** Short words for what became of each element: its value's `n`, or `kind line`. */
async function outline(data: string | Uint8Array, chunkSize?: number): Promise<unknown[]> {
  const elements = await elementsOf(data, chunkSize);
  return elements.map((element) => {
    if (element.kind !== 'value') return `${element.kind} ${element.number}`;
    const { value } = element;
    return typeof value === 'object' && value !== null && 'n' in value ? value.n : value;
  });
}

const two = [{ n: 1, text: 'a"b\\', deep: [[{ x: '}]' }]] }, { n: 2 }];

describe('the elements of a JSON file', () => {
  it('are those of a top-level array, of a member data, or top-level values in a row', async () => {
    const forms = [
      JSON.stringify(two),
      JSON.stringify(two, null, 2),
      JSON.stringify(two, null, '\t').replaceAll('\n', '\r\n'),
      `\ufeff${JSON.stringify(two)}`,
      JSON.stringify({ data: two }),
      JSON.stringify({ object: 'list', meta: { data: [3] }, data: two, next: null }, null, 2),
      `{ "data" :\n [ ${JSON.stringify(two[0])}\n,\n${JSON.stringify(two[1])} ] , "x": ["]"] }\n`,
      two.map((each) => JSON.stringify(each)).join('\n'),
      two.map((each) => JSON.stringify(each)).join(''),
      two.map((each) => JSON.stringify(each, null, 4)).join('\r\n'),
      two.map((each) => JSON.stringify([each])).join('\n'),
      gzipSync(JSON.stringify(two)),
    ];
    for (const form of forms) assert.deepEqual(await valuesOf(form), two);
  });

  it('may be none', async () => {
    for (const none of ['', ' \r\n\t', '[]', '[ \n ]\n', '{"data":[]}', '\ufeff']) {
      assert.deepEqual(await elementsOf(none), []);
    }
  });

  it('are numbered by the line where they begin, and counted when they share it', async () => {
    const numbers = (elements: readonly JsonElement[]): unknown[] =>
      elements.map((each) => [each.number, each.kind === 'broken' ? null : each.ordinal]);
    assert.deepEqual(numbers(await elementsOf('[\n{"n":1},\n\n {"n":\n2}\n,{"n":3}]')), [
      [2, null],
      [4, null],
      [6, 3],
    ]);
    assert.deepEqual(numbers(await elementsOf('[{},{},{}]\n[{}]')), [
      [1, null],
      [1, 2],
      [1, 3],
      [2, 4],
    ]);
  });

  it('are told apart by brackets outside of strings, however deep and however long', async () => {
    const deep = `${'['.repeat(2_000)}${']'.repeat(2_000)}`;
    const long = 'x\\"{[雲🂡'.repeat(20_000);
    const [first, second, third] = await valuesOf(
      `[{"n":${deep}},{"n":${JSON.stringify(long)}},{"\\u007b":"\\ud83c\\udca1"}]`,
    );
    assert.equal(JSON.stringify(first), `{"n":${deep}}`);
    assert.deepEqual(second, { n: long });
    assert.deepEqual(third, { '{': '🂡' });
  });

  it('cost themselves alone when they are balanced but no JSON', async () => {
    for (const bad of ['{"n":tru}', '{"n":1,}', '{n:2}', '{"n":"\\x"}', '{"n":[1 2]}', 'nul']) {
      assert.deepEqual(await outline(`[{"n":1},${bad},{"n":3}]`), [1, 'refused 1', 3]);
      assert.deepEqual(await outline(`[\n{"n":1},\n${bad},\n{"n":3}\n]`), [1, 'refused 3', 3]);
      assert.deepEqual(await outline(`{"n":1}\n${bad}\n{"n":3}\n`), [1, 'refused 2', 3]);
    }
    const latin = Buffer.from('[\n{"n":1},\n{"n":"\xe9"},\n{"n":3}]', 'latin1');
    assert.deepEqual(await outline(latin), [1, 'refused 3', 3]);
  });

  it('cost themselves alone when a quote or a brace is lost or too much, up to the next line', async () => {
    const whole = '{"n":1,"name":"A","sets":[{"x":"1"},{"x":"2"}],"set":{"id":"s"}}';
    const broken = [
      ...Array.from(whole, (_, at) => whole.slice(0, at) + whole.slice(at + 1)),
      ...Array.from(whole, (_, at) => `${whole.slice(0, at)}"${whole.slice(at)}`),
      ...Array.from(whole, (_, at) => `${whole.slice(0, at)}}${whole.slice(at)}`),
      ...Array.from(whole, (_, at) => whole.slice(0, at)),
    ];
    for (const bad of broken) {
      const array = await outline(`[\n{"n":"first"},\n${bad},\n{"n":"last"}\n]\n`);
      assert.equal(array[0], 'first', bad);
      // What was taken away may leave whole JSON; what it left of the line may be more than one fault.
      assert.equal(array.at(-1), 'last', `${bad} ${JSON.stringify(array)}`);
      assert.ok(
        array.every((each) => !/^(?:refused|broken)/.test(String(each)) || each === 'refused 3'),
      );
      const lines = await outline(`{"n":"first"}\n${bad}\n{"n":"last"}\n`);
      assert.deepEqual([lines[0], lines.at(-1)], ['first', 'last'], bad);
    }
  });

  it('leave all others whole, whatever one byte too much or too few does to one', async () => {
    const element = (n: number): string =>
      JSON.stringify({ n, text: 'a "b"', list: [{ x: [1] }, {}], deep: { y: 'z' } });
    const [before, hurt, after] = [element(1), element(2), element(3)];
    for (let at = 0; at <= hurt.length; at++) {
      for (const more of ['', '"', '{', '}', '[', ']', ',', ':', '\\', 'x', '\n']) {
        // A bracket around it takes the next one in, as JSON has it.
        if (more === '[' && (at === 0 || at === hurt.length)) continue;
        const bad = hurt.slice(0, at) + more + hurt.slice(more === '' ? at + 1 : at);
        const found = await outline(`[\n${before},\n${bad},\n${after}\n]`);
        assert.ok(found.includes(1) && found.includes(3), bad);
      }
    }
  });

  it('are refused when they seem whole only because a brace is too much', async () => {
    const half = '{"n":2,"name":"A"},"rarity":"R"}';
    assert.deepEqual(await outline(`[\n{"n":1},\n${half},\n{"n":3}\n]`), [1, 'refused 3', 3]);
    const pretty = JSON.stringify([{ n: 1 }, { n: 2, name: 'A', rarity: 'R' }, { n: 3 }], null, 2);
    const broken = pretty.replace('"A",', '"A" },');
    assert.deepEqual(await outline(broken), [1, 'refused 5', 3]);
    assert.deepEqual(await outline(pretty.replace('"A",', '"A" }')), [1, 'refused 5', 3]);
  });

  it('are found again where they begin at the same indentation', async () => {
    const pretty = JSON.stringify(
      [{ n: 1, a: [{ x: 1 }] }, { n: 2, a: [{ x: 1 }] }, { n: 3 }],
      null,
      2,
    );
    for (const [good, bad] of [
      ['"n": 2,', '"n: 2,'],
      ['"n": 2,', '"n": 2, {'],
      ['    "n": 2,\n', ''],
      ['  {\n    "n": 2', '  \n    "n": 2'],
    ] as const) {
      assert.ok(pretty.includes(good));
      const found = await outline(pretty.replace(good, bad));
      assert.equal(found[0], 1);
      assert.equal(found.at(-1), 3);
    }
  });

  it('are cut the same wherever the bytes are cut', async () => {
    const text =
      '\ufeff{"meta":{"data":[0]},"data": [\r\n {"n":"雲\\"\\\\"},\n {"n":"a\n {"n":[{"x":"}"}]},\n {"n":tru},\n "word", -1.5e3,\n null ], "more": []}\n{"n":9}\n{"n"';
    const whole = await elementsOf(text);
    assert.ok(whole.length > 7);
    for (let size = 1; size < 40; size++) assert.deepEqual(await elementsOf(text, size), whole);
    const bytes = Buffer.from(text);
    for (let at = 0; at <= bytes.length; at++) {
      const halves = (async function* (): AsyncGenerator<Uint8Array> {
        yield bytes.subarray(0, at);
        yield bytes.subarray(at);
      })();
      assert.deepEqual(await collect(readJsonElements(halves)), whole);
    }
  });

  it('are what JSON.parse gives, for any values and any cuts', async () => {
    const property = fc.asyncProperty(
      fc.array(fc.dictionary(fc.string({ unit: anyCharacter }), fc.jsonValue()), { maxLength: 4 }),
      fc.integer({ min: 1, max: 60 }),
      fc.constantFrom(undefined, 1, '\t'),
      async (objects, size, indent) => {
        const text = JSON.stringify(objects, null, indent);
        const expected: unknown = JSON.parse(text);
        const elements = await elementsOf(text, size);
        assert.deepEqual(
          elements.map((each) => (each.kind === 'value' ? each.value : each)),
          expected,
        );
      },
    );
    await fc.assert(property, { numRuns: 100 });
  });

  it('never throw, never repeat without end, whatever the bytes are', async () => {
    const token = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      '"',
      '\\',
      ',',
      ':',
      '\n',
      '\n{"n":1}',
      'a',
      ' ',
      '<',
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(token, { maxLength: 60 }),
        fc.integer({ min: 1, max: 9 }),
        async (tokens, size) => {
          const text = tokens.join('');
          const elements = await elementsOf(text, size);
          assert.deepEqual(elements, await elementsOf(text));
          assert.ok(elements.length <= text.length + 1);
        },
      ),
      { numRuns: 700 },
    );
  });

  it('end where the file is cut, which is told', async () => {
    const text = '[\n{"n":1},\n{"n":2}\n]';
    assert.deepEqual(await outline(text.slice(0, -1)), [1, 2, 'broken 4']);
    assert.deepEqual(await outline(text.slice(0, -4)), [1, 'broken 3']);
    assert.deepEqual(await outline('{"data":[{"n":1}]'), [1, 'broken 1']);
    assert.deepEqual(await outline('{"n":1}\n{"n":'), [1, 'broken 2']);
    const packed = gzipSync(JSON.stringify(two));
    const [broken] = await elementsOf(packed.subarray(0, 12));
    assert.ok(broken?.kind === 'broken' && broken.cause === 'gzip');
    assert.deepEqual(await outline('[{"n":1}},{"n":2}]'), ['refused 1', 'broken 1']);
    const rest = gzipSync(`[{"n":1},${' '.repeat(200_000)}`);
    assert.deepEqual(await outline(rest.subarray(0, -8)), [1, 'broken 1']);
  });

  it('are at most 1 MiB long', async () => {
    const fill = (bytes: number): string => `{"n":"${'x'.repeat(bytes - 8)}"}`;
    const longest = await elementsOf(`[${fill(ELEMENT_BYTES_MAX)},{}]`);
    assert.deepEqual(
      longest.map(({ kind }) => kind),
      ['value', 'value'],
    );
    assert.deepEqual(await outline(`[${fill(ELEMENT_BYTES_MAX + 1)},{"n":2}]`), ['refused 1', 2]);
    assert.deepEqual(await outline(`[${fill(3 * ELEMENT_BYTES_MAX)},{"n":2}]`), ['refused 1', 2]);
    const line = `{"n":1,"text":"${'x'.repeat(80)}"},\n`;
    const lost = `[\n{"a":[\n${line.repeat(20_000)}{"n":2}\n]`;
    assert.ok(lost.length > ELEMENT_BYTES_MAX);
    const elements = await elementsOf(lost);
    assert.deepEqual([elements[0]?.kind, elements.length], ['refused', 20_002]);
  });

  it('are not looked for in what is no JSON', async () => {
    for (const [start, reason] of [
      ['<!doctype html>', /web page/],
      ['PK\u0003\u0004…', /ZIP archive/],
      [Buffer.from('\ufeff[]', 'utf16le'), /UTF-16/],
    ] as const) {
      const [broken, ...others] = await elementsOf(start);
      assert.ok(broken?.kind === 'broken' && broken.cause === 'not_json');
      assert.match(broken.reason, reason);
      assert.deepEqual(others, []);
    }
    assert.deepEqual(await outline('no json at all\nnor here\n{"n":3}'), ['refused 1', 3]);
    const zeros = await elementsOf(Buffer.alloc(100_000));
    assert.deepEqual(
      zeros.map(({ kind }) => kind),
      ['refused'],
    );
  });

  it('give up on an endless one', async () => {
    const megabyte = Buffer.alloc(1_048_576, 'x');
    const endless = async function* (): AsyncGenerator<Uint8Array> {
      yield Buffer.from('[{"n":"');
      for (let megabytes = 0; megabytes < 200; megabytes++) yield megabyte;
    };
    const elements = await collect(readJsonElements(endless()));
    assert.ok(elements[0]?.kind === 'broken' && elements[0].cause === 'too_large');
  });

  it('give up on an endless line behind one that is lost, holding little of it', async () => {
    for (const filling of [' ', 'x']) {
      let megabytes = 0;
      const megabyte = Buffer.alloc(1_048_576, filling);
      const endless = async function* (): AsyncGenerator<Uint8Array> {
        yield Buffer.from('[\n{"n":1}}\n?\n');
        for (; megabytes < 200; megabytes++) yield megabyte;
      };
      const elements = await collect(readJsonElements(endless()));
      const last = elements.at(-1);
      assert.ok(last?.kind === 'broken' && last.cause === 'too_large', JSON.stringify(elements));
      assert.ok(megabytes < 70, `${megabytes} MiB were read`);
    }
  });

  it('throw what their source throws', async () => {
    const failing = async function* (): AsyncGenerator<Uint8Array> {
      yield Buffer.from('[{}');
      throw new Error('the disk is gone');
    };
    await assert.rejects(collect(readJsonElements(failing())), /the disk is gone/);
  });
});
