import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, it } from 'node:test';
import { temporaryFolder } from '../../test/cardport.ts';
import { findFiles, frameFiles, readFiles } from './files.ts';

const files = [
  { role: 'sets', name: '雲/sets "1".json', text: 'i\u0000\u0000\u0000\u0005f' },
  { role: null, name: 'empty', text: '' },
  { role: null, name: 'a', text: `f${'x'.repeat(300)}` },
];

async function framed(): Promise<Buffer> {
  const named = files.map(({ role, name, text }) => ({
    role,
    name,
    open: () => Readable.from(text === '' ? [] : [Buffer.from(text), Buffer.from('!')]),
  }));
  const pieces: Buffer[] = [];
  for await (const piece of frameFiles(named)) pieces.push(piece);
  return Buffer.concat(pieces);
}

async function* inChunks(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size);
}

describe('several files in one stream (decision 0097)', () => {
  it('are the same files again, however the stream is cut', async () => {
    const bytes = await framed();
    for (let size = 1; size < 80; size++) {
      const found = [];
      for await (const file of readFiles(inChunks(bytes, size))) {
        let text = '';
        for await (const piece of file.bytes) text += Buffer.from(piece).toString('latin1');
        found.push({ role: file.role, name: file.name, text });
      }
      const expected = files.map((file) => ({
        ...file,
        text: file.text === '' ? '' : `${file.text}!`,
      }));
      assert.deepEqual(found, expected);
    }
  });

  it('need not be read to their ends, or at all', async () => {
    const bytes = await framed();
    for (let size = 1; size < 80; size++) {
      const names = [];
      for await (const file of readFiles(inChunks(bytes, size))) {
        names.push(file.name);
        if (names.length === 3) for await (const _piece of file.bytes) break;
      }
      assert.deepEqual(
        names,
        files.map(({ name }) => name),
      );
    }
  });

  it('are not found in other bytes', async () => {
    const readAll = async (text: string): Promise<void> => {
      for await (const { bytes } of readFiles(inChunks(Buffer.from(text), 7))) {
        for await (const _piece of bytes);
      }
    };
    await assert.rejects(readAll('i\u0000\u0000\u0000\u0001x'), /does not begin with a file/);
    await assert.rejects(readAll('f\u0000\u0000\u0000\u00021 '), /has no name/);
    await assert.rejects(readAll(`f\u0000\u0001\u0000\u0000${'x'.repeat(65_536)}`), /is no file/);
    await assert.rejects(readAll('[{"a":1}]  ...'), /is no file/);
  });

  it('of a folder are its JSON files in the order of their names', async () => {
    using folder = temporaryFolder();
    for (const name of ['b.JSON', 'a.ndjson.gz', 'c.jsonl', 'readme.md', 'json', 'd.json.zip']) {
      writeFileSync(join(folder.path, name), '12');
    }
    mkdirSync(join(folder.path, 'e.json'));
    const found = await findFiles(folder.path);
    const expected = ['a.ndjson.gz', 'b.JSON', 'c.jsonl'];
    assert.deepEqual(
      found,
      expected.map((name) => ({ path: join(folder.path, name), bytes: 2 })),
    );
    mkdirSync(join(folder.path, 'none'));
    await assert.rejects(
      findFiles(join(folder.path, 'none')),
      /^Error: it is a folder without \.json, /,
    );
  });
});
