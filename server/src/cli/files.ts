import { access, constants, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { encodeFrame, encodeHeader, type Frame, HEADER_BYTES } from './frame.ts';

/** A file to be read: under which option it was named (null for an operand), and what it is called in sentences. */
interface NamedFile {
  readonly role: string | null;
  readonly name: string;
  readonly open: () => Readable;
}

/** A file as a command finds it in its input. Read it before the next one, or not at all. */
export interface InputFile {
  readonly role: string | null;
  readonly name: string;
  readonly bytes: AsyncIterable<Uint8Array>;
}

/** Files of a folder that are meant when the folder is named. */
const MEANT = /\.(?:json|jsonl|ndjson)(?:\.gz)?$/i;
/** Files of one command: a card each, for all cards of a large game. */
const FILES_MAX = 200_000;
/** A path has at most 4 kB; as JSON each byte of it takes up to six. */
const NAME_BYTES_MAX = 32_768;

/**
 * The file, or the JSON files of the folder in the order of their names. Throws with a reason for a person when there is
 * none to be read.
 */
export async function findFiles(
  path: string,
): Promise<readonly { readonly path: string; readonly bytes: number }[]> {
  const found = await stat(path);
  if (!found.isDirectory()) {
    await access(path, constants.R_OK);
    return [{ path, bytes: found.size }];
  }
  const names = (await readdir(path)).filter((name) => MEANT.test(name)).toSorted();
  if (names.length === 0) throw new Error('it is a folder without .json, .jsonl or .ndjson files');
  if (names.length > FILES_MAX) throw new Error(`it has more than ${FILES_MAX} files`);
  const files = [];
  for (const name of names) {
    const file = join(path, name);
    const each = await stat(file);
    if (each.isFile()) files.push({ path: file, bytes: each.size });
  }
  return files;
}

/** Several files as one stream of bytes: each begins with a frame of its name. One is open at a time. */
export async function* frameFiles(files: readonly NamedFile[]): AsyncGenerator<Buffer, void> {
  for (const { role, name, open } of files) {
    yield encodeFrame('f', JSON.stringify({ role, name }));
    for await (const chunk of open()) {
      const body: Buffer = Buffer.isBuffer(chunk) ? chunk : Buffer.from(String(chunk));
      // Apart from its body, which is not copied: copies of all chunks of a large file pile up faster than they go.
      yield encodeHeader('i', body.length);
      yield body;
    }
  }
}

/** The files of such a stream, one after the other. Throws when the bytes are none. */
export async function* readFiles(bytes: AsyncIterable<Buffer>): AsyncGenerator<InputFile, void> {
  const pieces = readPieces(bytes);
  let next = await pieces.next();
  while (next.done !== true) {
    if (next.value.kind !== 'f') throw new Error('the input does not begin with a file');
    const start = parseStart(next.value.body);
    next = await pieces.next();
    const body = async function* (): AsyncGenerator<Uint8Array, void> {
      while (next.done !== true && next.value.kind === 'i') {
        yield next.value.body;
        next = await pieces.next();
      }
    };
    yield { ...start, bytes: body() };
    while (next.done !== true && next.value.kind === 'i') next = await pieces.next();
  }
}

/** The frames of a stream, those of bytes in pieces as they come. Holds the name of a file at most. */
async function* readPieces(bytes: AsyncIterable<Buffer>): AsyncGenerator<Frame, void> {
  let header = Buffer.alloc(0);
  let name = Buffer.alloc(0);
  let left = 0;
  for await (const chunk of bytes) {
    let at = 0;
    while (at < chunk.length) {
      if (header.length < HEADER_BYTES) {
        const taken = chunk.subarray(at, at + HEADER_BYTES - header.length);
        header = Buffer.concat([header, taken]);
        at += taken.length;
        if (header.length < HEADER_BYTES) break;
        left = header.readUInt32BE(1);
      }
      const kind = header.toString('latin1', 0, 1);
      const body = chunk.subarray(at, at + left);
      at += body.length;
      left -= body.length;
      if (left === 0) header = Buffer.alloc(0);
      if (kind === 'i') {
        yield { kind, body };
        continue;
      }
      name = Buffer.concat([name, body]);
      if (kind !== 'f' || name.length > NAME_BYTES_MAX) throw new Error('the input is no file');
      if (left > 0) continue;
      yield { kind, body: name };
      name = Buffer.alloc(0);
    }
  }
}

function parseStart(body: Buffer): { readonly role: string | null; readonly name: string } {
  const start: unknown = JSON.parse(body.toString('utf8'));
  const isStart = typeof start === 'object' && start !== null && 'role' in start && 'name' in start;
  if (!isStart) throw new Error('a file of the input has no name');
  return { role: typeof start.role === 'string' ? start.role : null, name: String(start.name) };
}
