import { createHash } from 'node:crypto';
import type { Database } from '../database/database.ts';
import { hotRead, statement } from '../database/statement.ts';
import {
  type CursorKey,
  cursorKeyId,
  decodeCursor,
  encodeCursor,
  type FeedPosition,
  makeCursorKey,
} from './cursor.ts';

/** The maximum number of keys in memory. A deployment changes its `SECRET_KEY` only a few times. */
const KEYS_MAX = 1_000;

export const insertCursorKey = statement(
  'insert_cursor_key',
  `insert into cursor_key (key_id, key, created_at) values ($1, $2, $3)
  on conflict (key_id) do nothing`,
);

export const selectCursorKey = hotRead<{ key: Buffer }>(
  'select_cursor_key',
  `select key from cursor_key where key_id = $1`,
);

export interface CursorCodec {
  encode(shopId: string, position: FeedPosition): string;
  /** Returns null if the cursor is invalid, or a promise if its key is not in memory. */
  decode(shopId: string, text: string): FeedPosition | null | Promise<FeedPosition | null>;
}

/**
 * Signs cursors with `key` (32 bytes, derived for this purpose). The key is also stored in the
 * database, so that every node accepts its cursors even after it has been replaced.
 */
export async function openCursorCodec(db: Database, key: Buffer, now: Date): Promise<CursorCodec> {
  const current = makeCursorKey(idOf(key), key);
  await db.query(insertCursorKey, [current.id, key, now]);
  const keys = new Map<string, CursorKey>();
  return {
    encode: (shopId, position) => encodeCursor(current, shopId, position),
    decode: (shopId, text) => {
      // Nearly all cursors are signed with the current key, so try it before reading the key's id.
      const position = decodeCursor(current, shopId, text);
      if (position !== null) return position;
      const id = cursorKeyId(text);
      if (id === null || id === current.id) return null;
      const signer = keys.get(id);
      if (signer !== undefined) return decodeCursor(signer, shopId, text);
      return findKey(db, keys, id).then((found) =>
        found === undefined ? null : decodeCursor(found, shopId, text),
      );
    },
  };
}

async function findKey(
  db: Database,
  keys: Map<string, CursorKey>,
  id: string,
): Promise<CursorKey | undefined> {
  const row = await db.one(selectCursorKey, [id]);
  if (row === undefined) return undefined;
  const found = makeCursorKey(id, row.key);
  if (keys.size < KEYS_MAX) keys.set(id, found);
  return found;
}

function idOf(key: Buffer): string {
  return createHash('sha256').update(key).digest('hex').slice(0, 8);
}
