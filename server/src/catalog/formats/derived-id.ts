import { hash } from 'node:crypto';
import { uuidOfHex } from '../../base/uuid.ts';

/** The namespace of the derived ids, a random UUID (RFC 9562 §5.5). It must never change. */
const NAMESPACE = Buffer.from('5d0c2f7e3b1948a6bb0a6f1d9e2c7a54', 'hex');

/** A UUID version 5 (RFC 9562 §5.5). As JSON, different lists of words never give the same text. */
export function deriveId(...words: readonly (string | null)[]): string {
  const name = Buffer.from(JSON.stringify(words), 'utf8');
  const digest = hash('sha1', Buffer.concat([NAMESPACE, name]), 'buffer');
  digest[6] = ((digest[6] ?? 0) & 0x0f) | 0x50;
  digest[8] = ((digest[8] ?? 0) & 0x3f) | 0x80;
  return uuidOfHex(digest.toString('hex', 0, 16));
}
