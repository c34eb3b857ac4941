import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { RowExtractor } from './row-extractor.ts';

function message(type: string, body: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.write(type);
  head.writeInt32BE(4 + body.length, 1);
  return Buffer.concat([head, body]);
}

function row(...values: (string | null)[]): Buffer {
  const count = Buffer.alloc(2);
  count.writeInt16BE(values.length);
  const parts = values.map((value) => {
    const length = Buffer.alloc(4);
    length.writeInt32BE(value === null ? -1 : Buffer.byteLength(value));
    return Buffer.concat([length, Buffer.from(value ?? '')]);
  });
  return message('D', Buffer.concat([count, ...parts]));
}

/**
 * Passes the chunks to a `RowExtractor` that extracts the rows after a row description with `is b`.
 * Returns the rows, and all other bytes.
 */
function cut(pieces: readonly Buffer[]): { others: string; rows: (string | null)[][] } {
  const others: Buffer[] = [];
  const rows: (string | null)[][] = [];
  const cutter = new RowExtractor({
    onOtherBytes: (bytes) => void others.push(Buffer.from(bytes)),
    onRow: (values) => void rows.push(values.map((value) => value?.toString() ?? null)),
    wantsRows: () => Buffer.concat(others).toString('latin1').lastIndexOf('is b') > 0,
  });
  for (const piece of pieces) cutter.push(piece);
  return { others: Buffer.concat(others).toString('latin1'), rows };
}

describe('a row extractor', () => {
  const described = message('T', Buffer.from('is b'));
  const end = message('Z', Buffer.from('I'));
  const long = '棚'.repeat(40);

  it('an extractor takes out the wanted rows and passes on all other bytes, wherever the chunks end', () => {
    const sent = Buffer.concat([described, row('1', null, long), row(), row('', 'D'), end]);
    const wanted = {
      others: Buffer.concat([described, end]).toString('latin1'),
      rows: [['1', null, long], [], ['', 'D']],
    };
    assert.deepEqual(cut([sent]), wanted);
    for (let at = 0; at <= sent.length; at++) {
      assert.deepEqual(cut([sent.subarray(0, at), sent.subarray(at)]), wanted, `cut at ${at}`);
    }
    assert.deepEqual(cut(Array.from(sent, (byte) => Buffer.of(byte))), wanted);
  });

  it('rows that are not wanted are passed on', () => {
    const sent = Buffer.concat([message('T', Buffer.from('is t')), row('1', long), end]);
    const wanted = { others: sent.toString('latin1'), rows: [] };
    assert.deepEqual(cut([sent]), wanted);
    assert.deepEqual(cut(Array.from(sent, (byte) => Buffer.of(byte))), wanted);
  });

  it('consecutive unwanted rows are passed on together, until a row description makes rows wanted', () => {
    const unwanted = [message('T', Buffer.from('is t')), row('1'), row('2'), end];
    const pieces: number[] = [];
    let isWanted = false;
    const rows: (string | undefined)[] = [];
    const cutter = new RowExtractor({
      onOtherBytes: (bytes) => {
        pieces.push(bytes.length);
        if (bytes.includes('is')) isWanted = bytes.includes('is b');
      },
      onRow: ([value]) => void rows.push(value?.toString()),
      wantsRows: () => isWanted,
    });
    const [head = Buffer.alloc(0), ...rest] = unwanted;
    cutter.push(Buffer.concat([...unwanted, described, row('3'), row('4'), end, head, row('5')]));
    const other = Buffer.concat(rest).length + described.length;
    assert.deepEqual(pieces, [head.length, other, end.length + head.length, row('5').length]);
    assert.deepEqual(rows, ['3', '4']);
  });
});
