import { createHash, createSecretKey } from 'node:crypto';
import type { Database } from '../database/database.ts';
import { hotRead, statement } from '../database/statement.ts';
import {
  type CursorKey,
  cursorKeyId,
  decodeCursor,
  encodeCursor,
  type FeedPosition,
} from './cursor.ts';

/** Keys kept in memory at most: a deployment changes its `SECRET_KEY` a few times in its life. */
const KEYS_MAX = 1_000;

export const keepCursorKey = statement(
  'keep_cursor_key',
  `insert into cursor_key (key_id, key, created_at) values ($1, $2, $3)
  on conflict (key_id) do nothing`,
);

export const readCursorKey = hotRead<{ key: Buffer }>(
  'read_cursor_key',
  `select key from cursor_key where key_id = $1`,
);

/** Writes and reads cursors. */
export interface Cursors {
  /** The cursor of a position in a shop's feed. */
  encode(shopId: string, position: FeedPosition): string;
  /** The position of a cursor, or null when it is malformed, altered or another shop's. */
  decode(shopId: string, text: string): Promise<FeedPosition | null>;
}

/**
 * Cursors signed with `key` (32 bytes, derived for this purpose). The key is kept in the database, so that cursors stay
 * good when it is replaced, on every node.
 */
export async function openCursors(db: Database, key: Buffer, now: Date): Promise<Cursors> {
  const current: CursorKey = { id: idOf(key), key: createSecretKey(key) };
  await db.query(keepCursorKey, [current.id, key, now]);
  const keys = new Map([[current.id, current]]);
  return {
    encode: (shopId, position) => encodeCursor(current, shopId, position),
    decode: async (shopId, text) => {
      const id = cursorKeyId(text);
      const signer = id === null ? undefined : (keys.get(id) ?? (await findKey(db, keys, id)));
      return signer === undefined ? null : decodeCursor(signer, shopId, text);
    },
  };
}

async function findKey(
  db: Database,
  keys: Map<string, CursorKey>,
  id: string,
): Promise<CursorKey | undefined> {
  const row = await db.one(readCursorKey, [id]);
  if (row === undefined) return undefined;
  const found: CursorKey = { id, key: createSecretKey(row.key) };
  if (keys.size < KEYS_MAX) keys.set(id, found);
  return found;
}

/** 4 bytes of the key's SHA-256: enough to tell a deployment's few keys apart. */
function idOf(key: Buffer): string {
  return createHash('sha256').update(key).digest('hex').slice(0, 8);
}
