import { newId } from '../src/base/secrets.ts';
import { openConnection } from '../src/connections/connection.ts';
import type { Database } from '../src/database/database.ts';
import { statement } from '../src/database/statement.ts';
import { putSite } from '../src/inventory/site.ts';
import { putWebhook } from '../src/webhooks/registration.ts';
import type { WebhookSecrets } from '../src/webhooks/webhook-secrets.ts';
import {
  seedGrant,
  seedParty,
  type SeedPartyOptions,
  TEST_NOW,
  type TestParty,
} from './partner.ts';
import { OPERATOR } from '../src/shops/audit.ts';

export interface WebhookRow {
  readonly connectionId: string;
  readonly registrationId: string;
  readonly url: string;
  readonly removalReason: string | null;
  readonly sealed: Buffer | null;
  readonly keyId: string | null;
  readonly previousSealed: Buffer | null;
  readonly previousKeyId: string | null;
  readonly previousUntil: Date | null;
  readonly acknowledgedSeq: number;
  readonly eventId: string | null;
  readonly failures: number;
  readonly nextAttemptAt: Date | null;
  readonly notBefore: Date | null;
  readonly earlyAt: Date | null;
  readonly leasedUntil: Date | null;
  readonly leaseId: string | null;
  readonly attemptsMade: number;
}

export const selectTestWebhooks = statement<WebhookRow>(
  'test_select_webhooks',
  `select connection_id as "connectionId", registration_id as "registrationId", url,
          removal_reason as "removalReason", secret_sealed as sealed, secret_key_id as "keyId",
          previous_sealed as "previousSealed", previous_key_id as "previousKeyId",
          previous_until as "previousUntil", acknowledged_seq as "acknowledgedSeq", event_id as "eventId",
          failures, next_attempt_at as "nextAttemptAt", not_before as "notBefore", early_at as "earlyAt",
          leased_until as "leasedUntil", lease_id as "leaseId", attempts_made as "attemptsMade"
     from webhook where shop_id = $1 order by created_at, connection_id`,
);

// Sets the state after failed attempts, while another attempt is in progress.
export const failTestWebhook = statement(
  'test_fail_webhook',
  `update webhook
      set event_id = gen_random_uuid(), covers_epoch = 1, covers_seq = 1, occurred_at = $2, attempt = 3, failures = 3,
          failing_since = $2, not_before = $2, early_at = $2, attempts_made = 3, last_attempt_at = $2,
          next_attempt_at = $2::timestamptz + interval '1 day',
          lease_id = gen_random_uuid(), leased_until = $2::timestamptz + interval '1 minute'
    where shop_id = $1`,
);

export async function webhookRowsOf(db: Database, { shop }: TestParty): Promise<WebhookRow[]> {
  return await db.query(selectTestWebhooks, [shop.id]);
}

export async function webhookRowOf(db: Database, party: TestParty): Promise<WebhookRow> {
  const [row, ...others] = await webhookRowsOf(db, party);
  if (row === undefined || others.length > 0) throw new Error('expected exactly one webhook');
  return row;
}

/** Adds a site, which is one change in the feed of the party's shop. */
export async function addTestSite(db: Database, { shop }: TestParty): Promise<void> {
  const place = { countryCode: 'JP', timezone: 'Asia/Tokyo' };
  const site = { code: newId().slice(0, 8), name: '本店', kind: 'store' as const, ...place };
  await db.transaction(async (tx) => await putSite(tx, shop.id, newId(), site, TEST_NOW));
}

export interface ConnectedParty extends TestParty {
  readonly connectionId: string;
}

/** Creates a shop with a connected app, through the domain functions. */
export async function seedConnectedParty(
  db: Database,
  options: SeedPartyOptions = {},
): Promise<ConnectedParty> {
  const party = await seedParty(db, options);
  const { approvalId } = await seedGrant(db, party);
  const opener = {
    shopId: party.shop.id,
    clientId: party.app.clientId,
    accountId: party.accountId,
    approvalId,
  };
  const opened = await db.transaction(
    async (tx) => await openConnection(tx, opener, TEST_NOW, OPERATOR),
  );
  if (opened.kind !== 'created') throw new Error(opened.kind);
  return { ...party, connectionId: opened.connection.id };
}

/** Registers a webhook for the party's connection. Returns its secret. */
export async function putTestWebhook(
  db: Database,
  secrets: WebhookSecrets,
  { shop, app, connectionId }: ConnectedParty,
  { url = 'https://app.example/hook', now = TEST_NOW }: { url?: string; now?: Date } = {},
): Promise<string> {
  const { clientId } = app;
  const asked = { shopId: shop.id, clientId, connectionId, url, allowsLoopback: false };
  const put = await db.transaction(async (tx) => await putWebhook(tx, secrets, asked, now));
  if (put.kind !== 'put') throw new Error(put.kind);
  return put.secret;
}
