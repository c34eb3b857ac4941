import { access, constants, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';

/** `option` is the option that named the file, or null for an operand. Messages show `name`. */
export interface InputFile {
  readonly option: string | null;
  readonly name: string;
  /** Call this only once. */
  readonly open: () => Readable;
}

/** Matches the files to read when a folder is named. */
const IMPORTABLE_NAME = /\.(?:json|jsonl|ndjson)(?:\.gz)?$/i;
/** Even a large game with one file per card has fewer files. */
const FILES_MAX = 200_000;

/**
 * Returns the file, or the JSON files of the folder sorted by name. Throws an error with a reason
 * for the user if there is no file.
 */
export async function findFiles(
  path: string,
): Promise<readonly { readonly path: string; readonly bytes: number }[]> {
  const found = await stat(path);
  if (!found.isDirectory()) {
    await access(path, constants.R_OK);
    return [{ path, bytes: found.size }];
  }
  const names = (await readdir(path)).filter((name) => IMPORTABLE_NAME.test(name)).toSorted();
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
