import type { Database, Transaction } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import type { SealedSecret, WebhookSecrets } from './webhook-secrets.ts';

/** Webhooks per transaction: re-encrypting takes about 20 µs each, so locks last milliseconds. */
const BATCH_ROWS = 200;
/** Cursor before the first webhook. */
const NIL_ID = '00000000-0000-0000-0000-000000000000';

/** Numbers of live webhooks with a secret that is not under the current key. */
export interface OutdatedSecrets {
  /** This node can decrypt it only with `SECRET_KEY_PREVIOUS`. */
  readonly underPrevious: number;
  /** This node cannot decrypt it, so it cannot send their events. */
  readonly unreadable: number;
}

export async function countOutdatedSecrets(
  db: Database,
  { keyIds }: WebhookSecrets,
): Promise<OutdatedSecrets> {
  const row = await db.one(countSecretsByKey, [keyIds[0], keyIds]);
  if (row === undefined) throw new Error('a count has no row');
  return row;
}

/**
 * Re-encrypts under `SECRET_KEY` the secrets under this node's other key, in batches, until
 * `signal` stops it. Those that it cannot decrypt stay as they are. Returns how many changed.
 */
export async function resealWebhookSecrets(
  db: Database,
  secrets: WebhookSecrets,
  signal: AbortSignal,
  batchRows: number = BATCH_ROWS,
): Promise<number> {
  const others = secrets.keyIds.slice(1);
  if (others.length === 0) return 0;
  let resealed = 0;
  let after: readonly [string, string] = [NIL_ID, NIL_ID];
  while (!signal.aborted) {
    const batch = await db.transaction(
      async (tx) => await resealBatch(tx, secrets, others, { after, rowsMax: batchRows }),
    );
    resealed += batch.resealed;
    if (batch.last === null) break;
    after = batch.last;
  }
  return resealed;
}

interface Batch {
  readonly resealed: number;
  /** Null when there are no more. */
  readonly last: readonly [shopId: string, connectionId: string] | null;
}

async function resealBatch(
  tx: Transaction,
  secrets: WebhookSecrets,
  others: readonly string[],
  { after, rowsMax }: { readonly after: readonly [string, string]; readonly rowsMax: number },
): Promise<Batch> {
  const rows = await tx.query(lockSecretsToReseal, [others, ...after, rowsMax]);
  const done: ResealedRow[] = [];
  for (const row of rows) {
    const secret = resealOne(secrets, row, row.secretSealed, row.secretKeyId);
    const previous = resealOne(secrets, row, row.previousSealed, row.previousKeyId);
    // A secret that cannot be decrypted stays as it is, even if the row's other one changes.
    if (secret !== undefined || previous !== undefined) done.push({ row, secret, previous });
  }
  if (done.length > 0) await tx.count(updateResealed, columnsOf(done));
  const last = rows.length < rowsMax ? undefined : rows.at(-1);
  return {
    resealed: done.length,
    last: last === undefined ? null : [last.shopId, last.connectionId],
  };
}

interface ResealedRow {
  readonly row: SecretRow;
  readonly secret: SealedSecret | undefined;
  readonly previous: SealedSecret | undefined;
}

function resealOne(
  secrets: WebhookSecrets,
  { shopId, connectionId }: SecretRow,
  sealed: Buffer | null,
  keyId: string | null,
): SealedSecret | undefined {
  if (sealed === null || keyId === null) return undefined;
  const secret = secrets.open(sealed, keyId, shopId, connectionId);
  return secret === undefined ? undefined : secrets.seal(secret, shopId, connectionId);
}

function columnsOf(done: readonly ResealedRow[]): unknown[] {
  return [
    done.map(({ row }) => row.shopId),
    done.map(({ row }) => row.connectionId),
    done.map(({ row, secret }) => secret?.sealed ?? row.secretSealed),
    done.map(({ row, secret }) => secret?.keyId ?? row.secretKeyId),
    done.map(({ row, previous }) => previous?.sealed ?? row.previousSealed),
    done.map(({ row, previous }) => previous?.keyId ?? row.previousKeyId),
  ];
}

/** Deletes previous secrets after their 24 hours, in batches, until `signal` stops it. */
export async function deleteExpiredSecrets(
  db: Database,
  now: Date,
  signal: AbortSignal,
): Promise<number> {
  let deleted = 0;
  while (!signal.aborted) {
    const count = await db.count(deletePreviousSecrets, [BATCH_ROWS, now]);
    deleted += count;
    if (count < BATCH_ROWS) break;
  }
  return deleted;
}

export const countSecretsByKey = statement<OutdatedSecrets>(
  'count_secrets_by_key',
  `select count(*) filter (where (secret_key_id <> $1::text and secret_key_id = any($2::text[]))
            or (previous_key_id <> $1::text and previous_key_id = any($2::text[]))) as "underPrevious",
          count(*) filter (where secret_key_id <> all($2::text[])) as unreadable
     from webhook where removed_at is null`,
);

interface SecretRow {
  readonly shopId: string;
  readonly connectionId: string;
  readonly secretSealed: Buffer;
  readonly secretKeyId: string;
  readonly previousSealed: Buffer | null;
  readonly previousKeyId: string | null;
}

export const lockSecretsToReseal = statement<SecretRow>(
  'lock_secrets_to_reseal',
  `select shop_id as "shopId", connection_id as "connectionId", secret_sealed as "secretSealed",
          secret_key_id as "secretKeyId", previous_sealed as "previousSealed", previous_key_id as "previousKeyId"
     from webhook
    where removed_at is null and (secret_key_id = any($1::text[]) or previous_key_id = any($1::text[]))
      and (shop_id, connection_id) > ($2::uuid, $3::uuid)
    order by shop_id, connection_id limit $4
      for update`,
);

export const updateResealed = statement(
  'update_resealed_secrets',
  `update webhook
      set secret_sealed = new.secret_sealed, secret_key_id = new.secret_key_id,
          previous_sealed = new.previous_sealed, previous_key_id = new.previous_key_id
     from unnest($1::uuid[], $2::uuid[], $3::bytea[], $4::text[], $5::bytea[], $6::text[])
       as new (shop_id, connection_id, secret_sealed, secret_key_id, previous_sealed, previous_key_id)
    where webhook.shop_id = new.shop_id and webhook.connection_id = new.connection_id`,
);

export const deletePreviousSecrets = statement(
  'delete_previous_secrets',
  `update webhook set previous_sealed = null, previous_key_id = null, previous_until = null
     from (
       select shop_id, connection_id from webhook
        where previous_until <= $2
        order by shop_id, connection_id limit $1
          for update skip locked
     ) past
    where webhook.shop_id = past.shop_id and webhook.connection_id = past.connection_id`,
);
