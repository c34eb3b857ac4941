import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { anyCharacter } from '../../test/any-character.ts';
import { ELEMENT_BYTES_MAX, type JsonElement, readJsonElements } from './json-elements.ts';

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

/** Returns the member `n` of each element. For an error, returns `broken` with line and byte. */
async function outline(data: string | Uint8Array, chunkSize?: number): Promise<unknown[]> {
  const elements = await elementsOf(data, chunkSize);
  return elements.map((element) => {
    if (element.kind === 'broken') return `broken ${element.number} ${byteOf(element.reason)}`;
    const { value } = element;
    return typeof value === 'object' && value !== null && 'n' in value ? value.n : value;
  });
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function byteOf(reason: string): string {
  return / at byte (\d+) /.exec(reason)?.[1] ?? reason;
}

const two = [{ n: 1, text: 'a"b\\', deep: [[{ x: '}]' }]] }, { n: 2 }];

describe('the elements of a JSON file', () => {
  it('elements are those of a top-level array, of the member data, or consecutive top-level values', async () => {
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

  it('an empty file or array has no elements', async () => {
    for (const none of ['', ' \r\n\t', '[]', '[ \n ]\n', '{"data":[]}', '\ufeff']) {
      assert.deepEqual(await elementsOf(none), []);
    }
  });

  it('elements have the number of their first line, and an ordinal if they share that line', async () => {
    const numbers = (elements: readonly JsonElement[]): unknown[] =>
      elements.map((each) => [each.number, each.kind === 'broken' ? null : each.ordinal]);
    assert.deepEqual(numbers(await elementsOf('[\n{"n":1},\n\n {"n":\n2},{"n":3},\n\n\n{}]')), [
      [2, null],
      [4, null],
      [5, 3],
      [8, null],
    ]);
    assert.deepEqual(numbers(await elementsOf('[{},{},{}]\n[{}]')), [
      [1, null],
      [1, 2],
      [1, 3],
      [2, null],
    ]);
  });

  it('elements are separated by brackets outside of strings, at any depth and length', async () => {
    const deep = `${'['.repeat(2_000)}${']'.repeat(2_000)}`;
    const long = 'x\\"{[雲🂡'.repeat(20_000);
    const [first, second, third] = await valuesOf(
      `[{"n":${deep}},{"n":${JSON.stringify(long)}},{"\\u007b":"\\ud83c\\udca1"}]`,
    );
    assert.equal(JSON.stringify(first), `{"n":${deep}}`);
    assert.deepEqual(second, { n: long });
    assert.deepEqual(third, { '{': '🂡' });
  });

  it('reading ends at the first invalid element, which is reported with its line and byte', async () => {
    const bads = ['{"n":tru}', '{"n":1,}', '{n:2}', '{"n":"\\x"}', '{"n":[1 2]}', 'nul', '', '{]'];
    for (const bad of bads) {
      const array = `[\n{"n":1},\n\n  ${bad},\n{"n":3}\n]`;
      assert.deepEqual(await outline(array), [1, 'broken 4 14'], bad);
    }
    for (const bad of ['{"n":tru}', '{"n":1,}', 'nul', '"n"', '7', '}', ']', ',', '{]']) {
      const rows = `{"n":1}\n ${bad}\n{"n":3}\n`;
      assert.deepEqual(await outline(rows), [1, 'broken 2 9'], bad);
    }
    const latin = Buffer.from('[\n{"n":1},\n{"n":"\xe9"},\n{"n":3}]', 'latin1');
    assert.deepEqual(await outline(latin), [1, 'broken 3 11']);
    assert.deepEqual(await outline('[{"n":1}},{"n":2}]'), ['broken 1 1']);
    assert.deepEqual(await outline('[{"n":1},]'), [1, 'broken 1 9']);
    assert.deepEqual(await outline('[,{"n":1}]'), ['broken 1 1']);
    assert.deepEqual(await outline('{"x":1 "data":[{"n":1}]}'), [1, 'broken 1 22']);
  });

  it('a file is refused if the object around its elements is too long', async () => {
    const found = await elementsOf(`{${'"data":[],'.repeat(ELEMENT_BYTES_MAX / 8)}"x":1}`);
    assert.deepEqual(
      found.map(({ kind }) => kind),
      ['broken'],
    );
  });

  it('reading ends at a missing or extra quote or bracket', async () => {
    const element = (n: number): string =>
      JSON.stringify({ n, text: 'a "b"', list: [{ x: [1] }, {}], deep: { y: 'z' } });
    const [before, hurt, after] = [element(1), element(2), element(3)];
    for (let at = 0; at <= hurt.length; at++) {
      for (const more of ['', '"', '{', '}', '[', ']', ',', ':', '\\', 'x', '\n']) {
        const bad = hurt.slice(0, at) + more + hurt.slice(more === '' ? at + 1 : at);
        const text = `[\n${before},\n${bad},\n${after}\n]`;
        const found = await outline(text);
        assert.equal(found[0], 1);
        const last = String(found.at(-1));
        if (isJson(text)) assert.doesNotMatch(last, /^broken/, bad);
        else assert.match(last, /^broken [345] /, bad);
      }
    }
  });

  it('elements do not depend on where the bytes are split', async () => {
    const text =
      '\ufeff{"meta":{"data":[0]},"data": [\r\n {"n":"雲\\"\\\\"},\n {"n":[{"x":"}"}]},\n "word", -1.5e3,\n null ], "more": []}\n{"n":9}\n{"n":tru}';
    const whole = await elementsOf(text);
    assert.equal(whole.length, 7);
    assert.deepEqual(byteOf(whole.at(-1)?.kind ?? ''), 'broken');
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

  it('elements equal those of JSON.parse, for any values and any splits', async () => {
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

  it('any bytes can be read without an exception or an endless loop', async () => {
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

  it('a truncated file is read to its end, and the truncation is reported', async () => {
    const text = '[\n{"n":1},\n{"n":2}\n]';
    assert.deepEqual(await outline(text.slice(0, -1)), [1, 'broken 3 11']);
    assert.deepEqual(await outline(text.slice(0, -4)), [1, 'broken 3 11']);
    assert.deepEqual(await outline('[{"n":1},\n'), [1, 'broken 2 10']);
    assert.deepEqual(await outline('{"data":[{"n":1}]'), [1, 'broken 1 16']);
    assert.deepEqual(await outline('{"n":1}\n{"n":'), [1, 'broken 2 8']);
    assert.deepEqual(await outline('{"n":1}\n"n'), [1, 'broken 2 8']);
    const packed = gzipSync(JSON.stringify(two));
    assert.deepEqual(await outline(packed.subarray(0, 12)), ['broken 1 The gzip data ends early.']);
    const rest = gzipSync(`[{"n":1},${' '.repeat(200_000)}`);
    assert.deepEqual(await outline(rest.subarray(0, -8)), [
      1,
      'broken 1 The gzip data ends early.',
    ]);
  });

  it('an element is at most 1 MiB long', async () => {
    const fill = (bytes: number): string => `{"n":"${'x'.repeat(bytes - 8)}"}`;
    for (const chunkSize of [65_536, 8 * ELEMENT_BYTES_MAX]) {
      const longest = await elementsOf(`[${fill(ELEMENT_BYTES_MAX)},{}]`, chunkSize);
      assert.deepEqual(
        longest.map(({ kind }) => kind),
        ['value', 'value'],
      );
      const over = `[${fill(ELEMENT_BYTES_MAX + 1)},{"n":2}]`;
      assert.deepEqual(await outline(over, chunkSize), ['broken 1 1']);
      const [broken] = await elementsOf(`{"n":1,"m":${over}}`, chunkSize);
      assert.ok(broken?.kind === 'broken');
      assert.match(broken.reason, /longer than 1048576 bytes/);
    }
  });

  it('a file that is not JSON is refused with a message that says what it is', async () => {
    for (const [start, reason] of [
      ['<!doctype html>', /web page/],
      ['PK\u0003\u0004…', /ZIP archive/],
      [Buffer.from([0x28, 0xb5, 0x2f, 0xfd]), /zstd/],
      [Buffer.from('\ufeff[]', 'utf16le'), /UTF-16/],
      ['no json at all\nnor here\n{"n":3}', /not valid JSON/],
      [Buffer.alloc(100_000), /not valid JSON/],
    ] as const) {
      const [broken, ...others] = await elementsOf(start);
      assert.ok(broken?.kind === 'broken');
      assert.match(broken.reason, reason);
      assert.deepEqual([broken.number, others], [1, []]);
    }
  });

  it('reading ends at an endless element or endless white space, without filling the memory', async () => {
    for (const filling of ['x', ' ', '\n', '{', '\\', '[']) {
      let megabytes = 0;
      const megabyte = Buffer.alloc(1_048_576, filling);
      const endless = async function* (): AsyncGenerator<Uint8Array> {
        yield Buffer.from(filling === 'x' || filling === '\\' ? '[{"n":1},{"n":"' : '[{"n":1},');
        for (; megabytes < 200; megabytes++) yield megabyte;
      };
      const elements = await collect(readJsonElements(endless()));
      assert.deepEqual(
        elements.map(({ kind }) => kind),
        ['value', 'broken'],
      );
      assert.ok(megabytes < 3, `${megabytes} MiB were read`);
    }
  });

  it('an error of the source is thrown to the caller', async () => {
    const failing = async function* (): AsyncGenerator<Uint8Array> {
      yield Buffer.from('[{}');
      throw new Error('the disk is gone');
    };
    await assert.rejects(collect(readJsonElements(failing())), /the disk is gone/);
  });
});
