import { generateKeyPair } from 'node:crypto';
import { promisify } from 'node:util';
import type { JWK } from 'oidc-provider';
import { deriveKey } from '../base/keys.ts';
import { newId } from '../base/secrets.ts';
import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { open, seal } from './seal.ts';

const generate = promisify(generateKeyPair);

/** RFC 7518 §3.3: at least 2048 bits; more makes every id_token dearer. */
const MODULUS_BITS = 2_048;
/** The second round finds what another node wrote in the first. */
const ROUNDS_MAX = 3;

const CONTEXT = Buffer.from('cardport signing key');

/**
 * The RS256 key that signs id_tokens: one for all nodes, made by the first that starts, kept sealed under a key derived
 * from `SECRET_KEY`. One that this `SECRET_KEY` cannot open is replaced.
 */
export async function loadSigningKey(db: Database, secretKey: string, now: Date): Promise<JWK> {
  const key = deriveKey(secretKey, 'signing key seal');
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const row = await db.one(selectSigningKey);
    const text = row === undefined ? undefined : open(row.sealed, key, CONTEXT);
    if (text !== undefined) return parseKey(text);
    const sealed = seal(JSON.stringify(await newKey()), key, CONTEXT);
    if (row === undefined) await db.query(insertSigningKey, [sealed, now]);
    else await db.query(replaceSigningKey, [sealed, now, row.sealed]);
  }
  throw new Error('the signing key cannot be kept: do all nodes have the same SECRET_KEY?');
}

async function newKey(): Promise<JWK> {
  const { privateKey } = await generate('rsa', { modulusLength: MODULUS_BITS });
  const { kty, n, e, d, p, q, dp, dq, qi } = privateKey.export({ format: 'jwk' });
  return { kty, n, e, d, p, q, dp, dq, qi, kid: newId(), alg: 'RS256', use: 'sig' };
}

function parseKey(text: string): JWK {
  return JSON.parse(text) as JWK;
}

export const selectSigningKey = statement<{ readonly sealed: Buffer }>(
  'select_signing_key',
  `select sealed from signing_key where slot = 'current'`,
);

export const insertSigningKey = statement(
  'insert_signing_key',
  `insert into signing_key (slot, sealed, created_at) values ('current', $1, $2)
   on conflict (slot) do nothing`,
);

export const replaceSigningKey = statement(
  'replace_signing_key',
  `update signing_key set sealed = $1, created_at = $2 where slot = 'current' and sealed = $3`,
);
