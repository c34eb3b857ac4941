import { createHash, randomUUID } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { parseStoredTokens, type StoredTokens, type TokenStore } from './tokens.ts';

/** Valid file names on every system, in lower case so that no two differ only in case. */
const PLAIN_KEY = /^[a-z0-9][a-z0-9_-]{0,63}$/;
/** Matches `<name>.<UUID>.tmp`. Cleanup removes no other files. */
const TEMPORARY_FILE = /\.json\.[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\.tmp$/;
/** Older temporary files are removed, because no process takes this long to write a file. */
const STALE_FILE_MS = 60_000;

/**
 * Creates a store with one file per key in a folder. Only the owner can read the files. A write is
 * atomic and on disk when `save` returns, and several processes may share the folder. `replacing`
 * is checked immediately before the file is renamed; a save by another process in between is lost.
 */
export function fileTokenStore(folder: string): TokenStore {
  let ready: Promise<void> | undefined;
  async function prepareOnce(): Promise<void> {
    ready ??= prepare(folder);
    try {
      await ready;
    } catch (error) {
      ready = undefined;
      throw error;
    }
  }
  return {
    load: async (key) => await load(join(folder, fileName(key))),
    save: async (key, tokens, replacing) => {
      await prepareOnce();
      const [name, text] = [fileName(key), `${JSON.stringify(tokens, null, 2)}\n`];
      return await replace(folder, name, text, async () => {
        if (replacing === undefined) return true;
        return (await load(join(folder, name)))?.refreshToken === replacing;
      });
    },
    remove: async (key) => {
      await rm(join(folder, fileName(key)), { force: true });
      await syncFolder(folder);
    },
  };
}

function fileName(key: string): string {
  if (PLAIN_KEY.test(key)) return `${key}.json`;
  return `~${createHash('sha256').update(key).digest('hex')}.json`;
}

async function prepare(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  try {
    await removeTemporaryFiles(folder);
  } catch {
    // A failed cleanup must not stop the save: the new tokens cannot be fetched again.
  }
}

/** A process that crashed while writing leaves a temporary file, which contains tokens. */
async function removeTemporaryFiles(folder: string): Promise<void> {
  const names = await readdir(folder);
  for (const name of names.filter((one) => TEMPORARY_FILE.test(one))) {
    const path = join(folder, name);
    const file = await stat(path).catch(() => null);
    const isStale = file?.isFile() === true && Date.now() - file.mtimeMs > STALE_FILE_MS;
    if (isStale) await rm(path, { force: true });
  }
}

async function load(path: string): Promise<StoredTokens | null> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
  const tokens = parseStoredTokens(parse(text));
  // The JSON parser's own error would quote the text, which contains a token.
  if (tokens === undefined) {
    throw new Error(`${path} is not a valid token file: it was changed or damaged`);
  }
  return tokens;
}

function parse(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    return undefined;
  }
}

/** Replaces the file atomically. If `isCurrent` returns false, keeps the file and returns false. */
async function replace(
  folder: string,
  name: string,
  text: string,
  isCurrent: () => Promise<boolean>,
): Promise<boolean> {
  const path = join(folder, `${name}.${randomUUID()}.tmp`);
  try {
    const file = await open(path, 'wx', 0o600);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    if (!(await isCurrent())) {
      await rm(path, { force: true });
      return false;
    }
    await rename(path, join(folder, name));
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  }
  await syncFolder(folder);
  return true;
}

/** Makes a rename durable. Windows cannot sync a folder and does not need to. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  try {
    const handle = await open(folder, 'r');
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
