import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { registerApp } from '../src/apps/app.ts';
import { ManualClock } from '../src/base/clock.ts';
import { newId } from '../src/base/secrets.ts';
import { openConnection } from '../src/connections/connection.ts';
import type { Database } from '../src/database/database.ts';
import { statement } from '../src/database/statement.ts';
import { createApproval } from '../src/approvals/approval.ts';
import { putSite } from '../src/inventory/site.ts';
import { putWebhook } from '../src/webhooks/registration.ts';
import { WebhookSecrets } from '../src/webhooks/webhook-secrets.ts';
import { saveLongLivedToken } from './long-lived-token.ts';
import { TEST_NOW } from './partner.ts';
import { seedShop, TEST_SECRET_KEY } from './service.ts';
import { OPERATOR } from '../src/shops/audit.ts';

export interface ReceivedNotice {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Responds to a request of the delivery worker. */
export type RequestHandler = (response: ServerResponse, notice: ReceivedNotice) => void;

export interface TestReceiver extends AsyncDisposable {
  readonly origin: string;
  readonly notices: ReceivedNotice[];
  /** The current and the maximum number of requests without a response, by path. */
  readonly open: ReadonlyMap<string, number>;
  readonly openMax: ReadonlyMap<string, number>;
  /** Handles later requests. Responds with 204 unless a test replaces it. */
  handle: RequestHandler;
}

export async function startReceiver(): Promise<TestReceiver> {
  const [open, openMax] = [new Map<string, number>(), new Map<string, number>()];
  const notices: ReceivedNotice[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    const path = request.url ?? '';
    const opened = (open.get(path) ?? 0) + 1;
    open.set(path, opened);
    openMax.set(path, Math.max(opened, openMax.get(path) ?? 0));
    response.once('close', () => open.set(path, (open.get(path) ?? 1) - 1));
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString('utf8');
      const notice = { path, headers: request.headers, body };
      notices.push(notice);
      receiver.handle(response, notice);
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const receiver: TestReceiver = {
    origin: `http://127.0.0.1:${address.port}`,
    notices,
    open,
    openMax,
    handle: respondWith(204),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return receiver;
}

export function respondWith(
  status: number,
  headers: Readonly<Record<string, string>> = {},
): RequestHandler {
  return (response) => void response.writeHead(status, headers).end();
}

/** A shop with an app and a connection with a webhook. */
export interface TestHook {
  readonly shopId: string;
  readonly clientId: string;
  readonly connectionId: string;
  readonly url: string;
  readonly secret: string;
}

/** The columns of a webhook's row that tests use. */
export interface HookRow {
  readonly eventId: string | null;
  readonly attempt: number;
  readonly failures: number;
  readonly failingSince: Date | null;
  readonly nextAttemptAt: Date | null;
  readonly earlyAt: Date | null;
  readonly acknowledgedSeq: number;
  readonly coversSeq: number | null;
  readonly isLeased: boolean;
  readonly hasSecret: boolean;
  readonly removalReason: string | null;
}

export const selectTestHook = statement<HookRow>(
  'test_select_hook',
  `select event_id as "eventId", attempt, failures, failing_since as "failingSince",
    next_attempt_at as "nextAttemptAt", early_at as "earlyAt",
    acknowledged_seq as "acknowledgedSeq", covers_seq as "coversSeq",
    lease_id is not null as "isLeased",
    secret_sealed is not null or previous_sealed is not null as "hasSecret",
    removal_reason as "removalReason"
  from webhook where shop_id = $1 and connection_id = $2`,
);

export interface AttemptRow {
  readonly number: number;
  readonly eventId: string;
  readonly attempt: number;
  readonly status: number | null;
  readonly error: string | null;
}

export const selectTestAttempts = statement<AttemptRow>(
  'test_select_attempts',
  `select number, event_id as "eventId", attempt, status, error from webhook_attempt
  where shop_id = $1 and connection_id = $2 order by number`,
);

export const deleteTestAttempts = statement('test_delete_attempts', `delete from webhook_attempt`);
export const deleteTestHooks = statement('test_delete_hooks', `delete from webhook`);

/** The webhooks, clock and database of delivery tests. */
export class WebhookFixture {
  readonly db: Database;
  readonly clock = new ManualClock(TEST_NOW);
  readonly secrets = new WebhookSecrets(TEST_SECRET_KEY, null);

  constructor(db: Database) {
    this.db = db;
  }

  /** Removes every webhook, because the tests of one file share the database. */
  async clear(): Promise<void> {
    await this.db.query(deleteTestAttempts);
    await this.db.query(deleteTestHooks);
  }

  /** Creates a shop, an app, a connection and its webhook at `origin`. */
  async hook(origin: string): Promise<TestHook> {
    const [hook] = await this.hooks([origin]);
    if (hook === undefined) throw new Error('no webhook');
    return hook;
  }

  /** Creates one shop with an app, a connection and a webhook for each origin. */
  async hooks(origins: readonly string[]): Promise<TestHook[]> {
    const now = this.clock.now();
    const slug = `hook-${newId().slice(0, 8)}`;
    const { shop, member } = await seedShop(this, { slug, now });
    const hooks: TestHook[] = [];
    for (const origin of origins) {
      hooks.push(await this.#connect(shop.id, member.account.id, origin));
    }
    return hooks;
  }

  async #connect(shopId: string, accountId: string, origin: string): Promise<TestHook> {
    const now = this.clock.now();
    const { clientId, connectionId } = await this.db.transaction(async (tx) => {
      const app = { name: 'Mirror', contactEmail: null, redirectUris: [`${origin}/callback`] };
      const terms = { scopes: ['inventory:read'] as const, sharesCost: false };
      const registered = await registerApp(tx, shopId, { ...app, ...terms }, now, OPERATOR);
      if (registered.kind !== 'registered') throw new Error(registered.kind);
      const { clientId } = registered.app;
      const scopes = ['inventory:read'];
      const grant = { shopId, clientId, accountId, grantId: newId(), scopes };
      const approvalId = await createApproval(tx, grant, now, OPERATOR);
      await saveLongLivedToken(tx, grant, now);
      const opened = await openConnection(
        tx,
        { shopId, clientId, approvalId, accountId },
        now,
        OPERATOR,
      );
      if (opened.kind === 'approval_ended') throw new Error(opened.kind);
      return { clientId, connectionId: opened.connection.id };
    });
    const url = `${origin}/hook/${connectionId}`;
    const secret = await this.put({ shopId, clientId, connectionId, url });
    return { shopId, clientId, connectionId, url, secret };
  }

  /** Registers the webhook, or registers it again, and returns its secret. */
  async put(hook: Omit<TestHook, 'secret'>): Promise<string> {
    const { shopId, clientId, connectionId, url } = hook;
    const registration = { shopId, clientId, connectionId, url, allowsLoopback: true };
    const put = await this.db.transaction(
      async (tx) => await putWebhook(tx, this.secrets, registration, this.clock.now()),
    );
    if (put.kind !== 'put') throw new Error(put.kind);
    return put.secret;
  }

  /** Makes one change to the shop's stock. */
  async change({ shopId }: Pick<TestHook, 'shopId'>): Promise<void> {
    const site = { code: newId().slice(0, 8), name: '店', kind: 'store' as const };
    const place = { countryCode: 'JP', timezone: 'Asia/Tokyo' };
    await this.db.transaction(async (tx) => {
      await putSite(tx, shopId, newId(), { ...site, ...place }, this.clock.now());
    });
  }

  async row({ shopId, connectionId }: TestHook): Promise<HookRow> {
    const row = await this.db.one(selectTestHook, [shopId, connectionId]);
    if (row === undefined) throw new Error('no webhook');
    return row;
  }

  async attempts({ shopId, connectionId }: TestHook): Promise<readonly AttemptRow[]> {
    return await this.db.query(selectTestAttempts, [shopId, connectionId]);
  }
}
