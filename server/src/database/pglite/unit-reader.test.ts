import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { queryFrame, startupFrame } from './frames.ts';
import { type Heard, UnitReader } from './unit-reader.ts';

function frame(type: string, body: string): Buffer {
  const head = Buffer.alloc(5);
  head.write(type, 0, 'latin1');
  head.writeInt32BE(4 + Buffer.byteLength(body), 1);
  return Buffer.concat([head, Buffer.from(body)]);
}

const startup = startupFrame('postgres', 'postgres');
const sync = frame('S', '');

/** What a reader hears of bytes that come in pieces. */
function hear(pieces: readonly Buffer[]): Heard[] {
  const reader = new UnitReader(7);
  return pieces.flatMap((piece) => reader.read(piece));
}

function unitTexts(heard: readonly Heard[]): string[] {
  return heard.map((one) => (one.kind === 'unit' ? one.bytes.toString('latin1') : one.kind));
}

describe('the reader of one client’s bytes', () => {
  it('hears the same however the bytes are cut', () => {
    const messages = [
      startup,
      Buffer.concat([frame('P', 'name\0select 1\0\0\0'), frame('B', '\0name\0\0\0\0\0\0\0'), sync]),
      queryFrame('select 2'),
      Buffer.concat([
        frame('P', '\0select 3\0\0\0'),
        frame('D', 'S\0'),
        frame('E', '\0\0\0\0\0'),
        sync,
      ]),
      frame('X', ''),
    ];
    const bytes = Buffer.concat(messages);
    const whole = unitTexts(hear([bytes]));
    assert.equal(whole.length, messages.length);
    assert.deepEqual([whole[0], whole.at(-1)], ['startup', 'leave']);
    fc.assert(
      fc.property(fc.array(fc.nat(bytes.length)), (cuts) => {
        const edges = [0, ...cuts.toSorted((a, b) => a - b), bytes.length];
        const pieces = edges.slice(1).map((edge, i) => bytes.subarray(edges[i], edge));
        assert.deepEqual(unitTexts(hear(pieces)), whole);
      }),
    );
  });

  it('renames statements, not portals, and knows the names afterwards', () => {
    const reader = new UnitReader(7);
    reader.read(startup);
    const long = 'é'.repeat(200);
    const heard = reader.read(
      Buffer.concat([
        frame('P', `${long}\0select 1\0\0\0`),
        frame('B', `portal\0${long}\0\0\0\0\0\0\0`),
        frame('D', `S${long}\0`),
        frame('D', 'Pportal\0'),
        sync,
      ]),
    );
    const expected = Buffer.concat([
      frame('P', 'c7_0\0select 1\0\0\0'),
      frame('B', 'portal\0c7_0\0\0\0\0\0\0\0'),
      frame('D', 'Sc7_0\0'),
      frame('D', 'Pportal\0'),
      sync,
    ]);
    assert.deepEqual(unitTexts(heard), [expected.toString('latin1')]);
    assert.deepEqual(reader.preparedNames, ['c7_0']);
  });

  it('refuses a request for TLS, a cancellation, a flush, and lengths that cannot be', () => {
    const request = Buffer.alloc(8);
    request.writeInt32BE(8, 0);
    request.writeInt32BE(80_877_103, 4);
    assert.equal(hear([request])[0]?.kind, 'refuse');
    for (const length of [0, 4, 5, 6, 7, 8]) {
      const short = Buffer.alloc(8);
      short.writeInt32BE(length, 0);
      assert.equal(hear([short])[0]?.kind, 'refuse', `${length} bytes to begin with`);
    }
    assert.equal(hear([startup, frame('H', '')])[1]?.kind, 'refuse');
    for (const length of [-1, 0, 3, 0x7f_ff_ff_ff]) {
      const wrong = frame('Q', 'select 1\0');
      wrong.writeInt32BE(length, 1);
      assert.equal(hear([startup, wrong])[1]?.kind, 'refuse', `${length}`);
    }
  });
});
