import { generateKeyPair } from 'node:crypto';
import { promisify } from 'node:util';
import type { JWK } from 'oidc-provider';
import { deriveKey } from '../base/keys.ts';
import { newId } from '../base/secrets.ts';
import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { seal, unseal } from '../base/seal.ts';

const generate = promisify(generateKeyPair);

/** RFC 7518 §3.3 requires at least 2048 bits. With more, signing an id_token takes longer. */
const MODULUS_BITS = 2_048;
/** Older keys do not matter, because an id_token is valid for 15 minutes. */
const PUBLISHED_MAX = 10;
/** The slot of early versions, in which a new SECRET_KEY did not add a signing key. */
const FIRST_SLOT = 'current';

const CONTEXT = Buffer.from('cardport signing key');

/**
 * Loads the RS256 key that signs id_tokens, or creates it. All nodes with the same `SECRET_KEY`
 * share one signing key, which is sealed with a key derived from that `SECRET_KEY`. A new
 * `SECRET_KEY` adds another signing key.
 */
export async function loadSigningKey(db: Database, secretKey: string, now: Date): Promise<JWK> {
  const known = await findSigningKey(db, secretKey);
  if (known !== undefined) return known;
  const made = await makeSigningKey();
  const sealed = seal(JSON.stringify(made), deriveSealKey(secretKey), CONTEXT);
  const publicKey = JSON.stringify(publicPartOf(made));
  await db.query(insertSigningKey, [deriveSlot(secretKey), sealed, publicKey, now]);
  // Another node may have inserted its signing key first.
  const stored = await findSigningKey(db, secretKey);
  if (stored === undefined) throw new Error('the signing key cannot be decrypted with SECRET_KEY');
  return stored;
}

/** Undefined if no service with this `SECRET_KEY` has started on this database. */
export async function findSigningKey(db: Database, secretKey: string): Promise<JWK | undefined> {
  const rows = await db.query(selectSigningKeys, [deriveSlot(secretKey), FIRST_SLOT]);
  for (const { slot, sealed, isPublished } of rows) {
    const text = unseal(sealed, deriveSealKey(secretKey), CONTEXT);
    if (text === undefined) continue;
    const key = parseKey(text);
    if (!isPublished) await db.query(publishKey, [slot, JSON.stringify(publicPartOf(key))]);
    return key;
  }
  return undefined;
}

export async function makeSigningKey(): Promise<JWK> {
  const { privateKey } = await generate('rsa', { modulusLength: MODULUS_BITS });
  const { kty, n, e, d, p, q, dp, dq, qi } = privateKey.export({ format: 'jwk' });
  return { kty, n, e, d, p, q, dp, dq, qi, kid: newId(), alg: 'RS256', use: 'sig' };
}

/** Lists `own` and then the other published keys, newest first; at most 10. */
export async function listPublicKeys(db: Database, own: JWK): Promise<readonly object[]> {
  const rows = await db.query(selectPublicKeys, [PUBLISHED_MAX]);
  const others = rows.map(({ publicKey }) => publicKey).filter(({ kid }) => kid !== own.kid);
  return [publicPartOf(own), ...others].slice(0, PUBLISHED_MAX);
}

function publicPartOf({ kty, n, e, kid, alg, use }: JWK): object {
  return { kty, use, alg, kid, n, e };
}

function deriveSealKey(secretKey: string): Buffer {
  return deriveKey(secretKey, 'signing key seal');
}

function deriveSlot(secretKey: string): string {
  return deriveKey(secretKey, 'signing key slot').toString('base64url');
}

function parseKey(text: string): JWK {
  return JSON.parse(text) as JWK;
}

export const selectSigningKeys = statement<{
  readonly slot: string;
  readonly sealed: Buffer;
  readonly isPublished: boolean;
}>(
  'select_signing_keys',
  `select slot, sealed, public_key is not null as "isPublished"
     from signing_key where slot in ($1, $2) order by slot = $2`,
);

export const insertSigningKey = statement(
  'insert_signing_key',
  `insert into signing_key (slot, sealed, public_key, created_at) values ($1, $2, $3, $4)
   on conflict (slot) do nothing`,
);

export const publishKey = statement(
  'publish_signing_key',
  `update signing_key set public_key = $2 where slot = $1 and public_key is null`,
);

export const selectPublicKeys = statement<{ readonly publicKey: { readonly kid: string } }>(
  'select_public_keys',
  `select public_key as "publicKey" from signing_key
    where public_key is not null order by created_at desc, slot limit $1`,
);
