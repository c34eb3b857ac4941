import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { newId } from '../src/base/secrets.ts';
import { AppClient } from '../test/app-client.ts';
import { runCardport, temporaryFolder } from '../test/cardport.ts';
import { findFreePort } from '../src/base/free-port.ts';
import type { Database } from '../src/database/database.ts';
import { openDatabase } from '../src/database/open-database.ts';
import { openPackaged } from '../src/database/packaged/packaged-server.ts';
import { putSite } from '../src/inventory/site.ts';
import { seedShop, TEST_SECRET_KEY } from '../test/service.ts';
import { openTestDatabase } from '../test/test-database.ts';
import { startServiceProcess } from './service-process.ts';

const IS_FULL = process.env['PROVE_FULL'] === '1';
const APPS = IS_FULL ? 40 : 8;
/** The maximum number of refreshes of an app after the backup. The minimum is one. */
const REFRESHES_MAX = 20;
/** The share of apps that do not receive their last response. */
const LOST_ANSWERS = 0.3;

/** An app and its state. */
interface Subject {
  readonly app: AppClient;
  /** All refresh tokens that the app received, the newest last. */
  readonly tokens: string[];
  /** The app's position in the feed. */
  cursor: string;
  /** The idempotency key and the token of a refresh without a response. Null if there is none. */
  open: { readonly token: string; readonly key: string } | null;
}

/** Where a deployment stores its data. */
interface Store extends AsyncDisposable {
  readonly environment: Readonly<Record<string, string>>;
  /** Runs `work` against the database while the service is also using it. */
  use<T>(work: (db: Database) => Promise<T>): Promise<T>;
}

describe('a restore from a backup (decision 0215)', () => {
  for (const [where, openStore] of [
    ['a PostgreSQL server', openServerStore],
    ['the packaged PostgreSQL', openPackagedStore],
  ] as const) {
    it(
      `a backup of ${where} under load, and its restore after a kill, end no approval of ${APPS} apps`,
      {
        timeout: 900_000,
      },
      async (t) => {
        await using drill = await Drill.open('7', openStore);
        const subjects = await drill.runUntilBackup(APPS, LOST_ANSWERS);
        const said = await drill.restore();
        assert.match(said, new RegExp(`keep their approvals \\(${APPS}\\)`));
        await drill.serve(drill.target, async () => {
          await Promise.all(subjects.map(checkRecovery));
        });
        t.diagnostic(summaryOf(subjects));
      },
    );
  }

  it('with RESTORED_TOKENS_DAYS=0, a restore lists the approvals to check, and later tokens are refused', async () => {
    await using drill = await Drill.open('0', openServerStore);
    // No response may be lost here: an app without its first response would still have the token
    // that is in the backup, and that token is valid.
    const [subject] = await drill.runUntilBackup(1, 0);
    assert.ok(subject !== undefined);
    const said = await drill.restore();
    const { shop, app, member } = subject.app.seeded;
    assert.ok(said.includes(`${shop.slug}: ${app.name}, approved by ${member.account.name}`), said);
    await drill.serve(drill.target, async () => {
      const refused = await subject.app.refresh(subject.tokens.at(-1) ?? '');
      assert.equal(refused.body.error, 'invalid_grant');
    });
  });
});

/**
 * A deployment that loses its database and is restored into another database. Its address stays the
 * same.
 */
class Drill implements AsyncDisposable {
  readonly target: Store;
  readonly #source: Store;
  readonly #folder = temporaryFolder();
  readonly #settings: Readonly<Record<string, string>>;

  private constructor(source: Store, target: Store, settings: Readonly<Record<string, string>>) {
    this.#source = source;
    this.target = target;
    this.#settings = settings;
  }

  static async open(days: string, openStore: () => Promise<Store>): Promise<Drill> {
    const port = await findFreePort();
    return new Drill(await openStore(), await openStore(), {
      PORT: String(port),
      PUBLIC_URL: `http://127.0.0.1:${port}`,
      SECRET_KEY: TEST_SECRET_KEY,
      RESTORED_TOKENS_DAYS: days,
    });
  }

  /** Approves apps, takes the backup while they work, lets them continue, and kills the service. */
  async runUntilBackup(apps: number, lostAnswers: number): Promise<readonly Subject[]> {
    const subjects: Subject[] = [];
    await this.serve(this.#source, async (url) => {
      for (let app = 0; app < apps; app++) subjects.push(await connect(this.#source, url));
      await this.#backUpUnderLoad(subjects);
      await Promise.all(
        subjects.map(async (subject) => await continueRefreshing(subject, lostAnswers)),
      );
    });
    return subjects;
  }

  /** Fills the empty database from the backup. Returns the output of the command. */
  async restore(): Promise<string> {
    return await this.#run(this.target, 'restore');
  }

  /** Runs a service on a database while `work` runs, then kills the service. */
  async serve(store: Store, work: (url: string) => Promise<void>): Promise<void> {
    const service = await startServiceProcess({ ...this.#settings, ...store.environment });
    try {
      await work(service.url);
    } finally {
      await service.kill();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#folder[Symbol.dispose]();
    await this.#source[Symbol.asyncDispose]();
    await this.target[Symbol.asyncDispose]();
  }

  /** Takes the backup while every app refreshes and syncs, and its shop changes. */
  async #backUpUnderLoad(subjects: readonly Subject[]): Promise<void> {
    let isRunning = true;
    const work = subjects.map(async (subject) => {
      while (isRunning) {
        await continueRefreshing(subject, 0);
        await this.#source.use(async (db) => await writeSite(db, subject));
        const { access_token: access = '' } = await refreshOnce(subject);
        await readFeed(subject.app, access, '');
      }
      // The backup may know the earlier tokens as used; to use them again would end the approval.
      subject.tokens.splice(0, subject.tokens.length - 1);
    });
    await Promise.all([
      this.#run(this.#source, 'backup').finally(() => (isRunning = false)),
      ...work,
    ]);
  }

  async #run(store: Store, command: 'backup' | 'restore'): Promise<string> {
    const environment = { ...this.#settings, ...store.environment };
    const run = await runCardport([command, `${this.#folder.path}/backup.gz`], { environment });
    assert.equal(run.code, 0, run.stderr);
    return run.stdout;
  }
}

async function openServerStore(): Promise<Store> {
  const base = await openTestDatabase();
  const folder = temporaryFolder();
  return {
    environment: { DATABASE_URL: base.url, DATA_DIR: folder.path },
    use: async (work) => await work(base.db),
    [Symbol.asyncDispose]: async () => {
      folder[Symbol.dispose]();
      await base.close();
    },
  };
}

async function openPackagedStore(): Promise<Store> {
  const folder = temporaryFolder();
  await Promise.resolve();
  return {
    environment: { DATA_DIR: folder.path },
    use: async (work) => {
      const engine = await openPackaged({ folder: join(folder.path, 'postgresql') });
      const db = openDatabase(engine, { onFault: (error) => console.error(error) });
      try {
        return await work(db);
      } finally {
        await db.close();
        await engine.close();
      }
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.resolve();
      folder[Symbol.dispose]();
    },
  };
}

async function writeSite(db: Database, { app }: Subject): Promise<void> {
  const site = { name: '本店', kind: 'store', countryCode: 'JP', timezone: 'Asia/Tokyo' } as const;
  const { shop } = app.seeded;
  await db.transaction(async (tx) => await putSite(tx, shop.id, newId(), site, new Date()));
}

/** Creates a shop with an app that is approved, connected and has read the feed once. */
async function connect(store: Store, publicUrl: string): Promise<Subject> {
  const addresses = {
    url: publicUrl,
    authUrl: `${publicUrl}/auth`,
    partnerUrl: `${publicUrl}/partner/v1`,
  };
  const app = new AppClient(addresses, await store.use(async (db) => await seedShop({ db })));
  const { access_token: access, refresh_token: token } = await app.tokens();
  assert.equal((await app.call('POST', '/connection', access)).status, 201);
  return { app, tokens: [token], cursor: await readFeed(app, access, ''), open: null };
}

/** Sends an app's requests between the backup and the loss of the database. */
async function continueRefreshing(subject: Subject, lostAnswers: number): Promise<void> {
  const refreshes = 1 + Math.floor(Math.random() * REFRESHES_MAX);
  for (let refresh = 0; refresh < refreshes; refresh++) {
    const key = randomBytes(16).toString('hex');
    const token = subject.tokens.at(-1) ?? '';
    const answer = await subject.app.refresh(token, {}, { 'idempotency-key': key });
    assert.equal(answer.status, 200, answer.text);
    const isLost = refresh === refreshes - 1 && Math.random() < lostAnswers;
    if (isLost) subject.open = { token, key };
    else subject.tokens.push(answer.body.refresh_token ?? '');
  }
}

async function refreshOnce({ app, tokens }: Subject): Promise<{ readonly access_token?: string }> {
  const answer = await app.refresh(tokens.at(-1) ?? '');
  assert.equal(answer.status, 200, answer.text);
  tokens.push(answer.body.refresh_token ?? '');
  return answer.body;
}

/**
 * Checks that the app recovers without help: it refreshes, is told to read from the beginning, and
 * reads. Tokens used in the lost period must not be accepted.
 */
async function checkRecovery({ app, tokens, cursor, open }: Subject): Promise<void> {
  const token = open?.token ?? tokens.at(-1) ?? '';
  const headers = { 'idempotency-key': open?.key ?? 'first after the restore' };
  const answer = await app.refresh(token, {}, headers);
  assert.equal(answer.status, 200, answer.text);
  const { access_token: access = '', refresh_token: next = '' } = answer.body;
  assert.equal((await app.call('GET', '/connection', access)).status, 200);
  assert.equal((await app.call('GET', `/inventory/changes?cursor=${cursor}`, access)).status, 410);
  await readFeed(app, access, '');
  for (const spent of tokens.slice(0, -1)) {
    const refused = await app.refresh(spent, {}, { 'idempotency-key': 'of a thief' });
    assert.deepEqual([refused.status, refused.body.error], [400, 'invalid_grant']);
  }
  assert.equal((await app.call('GET', '/connection', access)).status, 200);
  assert.equal((await app.refresh(next)).status, 200);
}

/** Reads the feed once. Returns the new cursor. */
async function readFeed(app: AppClient, access: string, cursor: string): Promise<string> {
  const query = cursor === '' ? '' : `?cursor=${cursor}`;
  const answer = await app.call('GET', `/inventory/changes${query}`, access);
  assert.equal(answer.status, 200, answer.text);
  const body: { readonly nextCursor: string } = JSON.parse(answer.text);
  return body.nextCursor;
}

function summaryOf(subjects: readonly Subject[]): string {
  const refreshes = subjects.reduce((sum, { tokens }) => sum + tokens.length - 1, 0);
  const lost = subjects.filter(({ open }) => open !== null).length;
  return `${subjects.length} apps, ${refreshes} refreshes after the backup, ${lost} answers lost, 0 approvals lost`;
}
