import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort } from '../src/base/free-port.ts';
import { newId } from '../src/base/secrets.ts';
import { migrate } from '../src/database/migrate.ts';
import { openConfiguredDatabase } from '../src/runtime/configured-database.ts';
import { AppClient } from '../test/app-client.ts';
import { runCardport } from '../test/cardport.ts';
import { type SeededShop, seedShop, TEST_SECRET_KEY, testConfig } from '../test/service.ts';
import { waitUntil } from '../test/wait-until.ts';
import { startServiceProcess } from './service-process.ts';

export const WAIT_MS_MAX = 60_000;
const LOST_WRITES = 20;

/** A service whose app reads and refreshes its tokens, and then loses its database. */
export class Trial {
  readonly folder: string;
  readonly environment: Record<string, string>;
  readonly app: AppClient;
  /** Issued before the restored state, and valid there. */
  access = '';
  cursor = '';
  /** Issued after the restored state. */
  lostCursor = '';
  lostToken = '';
  #refreshToken = '';
  #service: { kill(): Promise<void> } | null = null;

  private constructor(folder: string, environment: Record<string, string>, seeded: SeededShop) {
    this.folder = folder;
    this.environment = environment;
    const url = environment['PUBLIC_URL'] ?? '';
    const addresses = { url, authUrl: `${url}/auth`, partnerUrl: `${url}/partner/v1` };
    this.app = new AppClient(addresses, seeded);
  }

  static async open(
    stack: AsyncDisposableStack,
    given: Readonly<Record<string, string>>,
  ): Promise<Trial> {
    const folder = mkdtempSync(join(tmpdir(), 'cardport-restored-'));
    stack.defer(() => rmSync(folder, { recursive: true, force: true }));
    const port = await findFreePort();
    const environment = {
      DATA_DIR: join(folder, 'data'),
      PORT: String(port),
      PUBLIC_URL: `http://127.0.0.1:${port}`,
      SECRET_KEY: TEST_SECRET_KEY,
      ...given,
    };
    const trial = new Trial(folder, environment, await seed(environment));
    stack.defer(async () => await trial.stop());
    await trial.start();
    const tokens = await trial.app.tokens();
    trial.access = tokens.access_token;
    trial.#refreshToken = tokens.refresh_token;
    assert.equal((await trial.app.call('POST', '/connection', trial.access)).status, 201);
    await trial.writes(3);
    trial.cursor = await trial.#head();
    return trial;
  }

  get dataDir(): string {
    return this.environment['DATA_DIR'] ?? '';
  }

  async start(): Promise<void> {
    this.#service = await startServiceProcess(this.environment);
  }

  async stop(): Promise<void> {
    await this.#service?.kill();
    this.#service = null;
    // The packaged server stops a moment after its last process, and a copy must not be torn.
    const pidFile = join(this.dataDir, 'postgresql/data/postmaster.pid');
    await waitUntil(() => !existsSync(pidFile), WAIT_MS_MAX);
  }

  async writes(count: number): Promise<void> {
    for (let write = 0; write < count; write++) {
      const site = { kind: 'store', countryCode: 'JP', timezone: 'Asia/Tokyo', name: '本店' };
      const answer = await fetch(`${this.app.service.url}/shop/v1/sites/${newId()}`, {
        method: 'PUT',
        headers: {
          authorization: `Bearer ${this.app.seeded.shopKey}`,
          'content-type': 'application/json',
        },
        body: JSON.stringify({ ...site, code: newId().slice(0, 8) }),
      });
      assert.equal(answer.status, 201, await answer.text());
    }
  }

  /** Everything that the restore will lose: writes, a read of them, and a refresh. */
  async losesChanges(): Promise<void> {
    await this.writes(LOST_WRITES);
    this.lostCursor = await this.#head();
    const refreshed = await this.app.refresh(this.#refreshToken);
    assert.equal(refreshed.status, 200, refreshed.text);
    this.lostToken = refreshed.body.refresh_token ?? '';
  }

  async read(cursor: string): Promise<number> {
    const path = `/inventory/changes?cursor=${cursor}`;
    const { status, headers } = await this.app.call('GET', path, this.access);
    if (status === 503) assert.ok(Number(headers.get('retry-after')) > 0);
    return status;
  }

  async untilReady(body: RegExp): Promise<void> {
    await waitUntil(async () => {
      const answer = await fetch(`${this.app.service.url}/readyz`);
      return answer.status === 200 && body.test(await answer.text());
    }, WAIT_MS_MAX);
  }

  /** The service has noticed the restore by itself, and answers nothing that could be wrong. */
  async isHeld(): Promise<void> {
    await this.untilReady(/was restored or replaced/);
    const doctor = await runCardport(['doctor'], { environment: this.environment });
    assert.match(doctor.stdout, /problem +database identity: /);
    assert.equal(await this.read(this.cursor), 503);
    assert.equal((await this.app.call('GET', '/inventory/changes', this.access)).status, 200);
    if (this.lostToken !== '') await this.isTokenHeld();
    await this.writes(2 * LOST_WRITES);
    assert.equal(await this.read(this.cursor), 503);
  }

  async isTokenHeld(): Promise<void> {
    const { status, body } = await this.app.refresh(this.lostToken);
    assert.deepEqual([status, body.error], [503, 'temporarily_unavailable']);
  }

  async isDecided(...args: readonly string[]): Promise<void> {
    await this.run(...args);
    await this.untilReady(/^\{"status":"ready"\}$/);
    const refreshed = await this.app.refresh(this.lostToken);
    assert.equal(refreshed.status, 200, refreshed.text);
    this.access = refreshed.body.access_token ?? '';
    assert.equal(await this.read(this.cursor), 410);
    assert.equal(await this.read(this.lostCursor), 410);
    await this.writes(1);
    assert.equal(await this.read(this.lostCursor), 410);
    assert.equal(await this.read(await this.#head()), 200);
  }

  async run(...args: readonly string[]): Promise<void> {
    const run = await runCardport(args, { environment: this.environment });
    assert.equal(run.code, 0, run.stderr);
  }

  async #head(): Promise<string> {
    const { text } = await this.app.call('GET', '/inventory/changes', this.access);
    const page: { readonly nextCursor: string } = JSON.parse(text);
    return page.nextCursor;
  }
}

async function seed(environment: Readonly<Record<string, string>>): Promise<SeededShop> {
  await using store = await openConfiguredDatabase(testConfig(environment), assert.ifError);
  await migrate(store.engine);
  return await seedShop(store);
}
