import assert from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { AppClient, type ServiceAddresses, type TokenAnswer } from '../test/app-client.ts';
import { findFreePort } from '../src/base/free-port.ts';
import { seedShop } from '../test/service.ts';
import { openTestDatabase, type TestDatabase } from '../test/test-database.ts';
import { waitUntil } from '../test/wait-until.ts';
import { statement } from '../src/database/statement.ts';

const IS_FULL = process.env['PROVE_FULL'] === '1';
/** With --full the service is killed at every step, otherwise at every third. */
const STRIDE = IS_FULL ? 1 : 3;
/** The maximum number of steps. A token request has about 20, so more would be a bug. */
const STEPS_MAX = 100;
const KILLS_UNDER_LOAD = IS_FULL ? 50 : 4;
/** The number of approvals whose tokens are refreshed repeatedly. */
const CHAINS = 8;
/**
 * The time limit for restarts and retries. It is below 60 s, because later retries do not get the
 * same response.
 */
const ANSWER_WITHIN_MS = 55_000;
/**
 * The service is killed at a random moment within this time, when some requests are in progress and
 * other clients are between two requests.
 */
const KILL_WITHIN_MS = 400;

/** Counts all refresh tokens ever issued. */
const countRefreshTokens = statement<{ readonly rows: number }>(
  'prove_count_refresh_tokens',
  `select count(*)::int as rows from oauth_artifact where model = 'RefreshToken'`,
);

describe('kill -9 during a token request', () => {
  it(
    'at each step of a refresh: the retry succeeds, and its tokens are valid',
    { timeout: 1_800_000 },
    async (t) => {
      await using victim = await Victim.make();
      const app = await victim.newApp();
      const kills = await killAtEachStep(
        victim,
        async () => {
          const { refresh_token: token } = await app.tokens();
          const headers = { 'idempotency-key': randomBytes(16).toString('hex') };
          return async () => await app.refresh(token, {}, headers);
        },
        app,
      );
      t.diagnostic(`${kills} kills, every retry answered`);
    },
  );

  it(
    'at each step of a code exchange: the retry succeeds, and its tokens are valid',
    { timeout: 1_800_000 },
    async (t) => {
      await using victim = await Victim.make();
      const app = await victim.newApp();
      const kills = await killAtEachStep(
        victim,
        async () => {
          const code = await app.code();
          const headers = { 'idempotency-key': randomBytes(16).toString('hex') };
          return async () => await app.exchange(code, {}, headers);
        },
        app,
      );
      t.diagnostic(`${kills} kills, every retry answered`);
    },
  );

  it(
    `${KILLS_UNDER_LOAD} times under load: every token chain continues exactly once`,
    { timeout: 1_800_000 },
    async (t) => {
      await using victim = await Victim.make();
      await killUnderLoad(t, victim);
    },
  );
});

/**
 * Kills the service at every step of a request, until a request completes without a kill. After
 * each kill, the repeated request must succeed.
 */
async function killAtEachStep(
  victim: Victim,
  prepare: () => Promise<() => Promise<TokenAnswer>>,
  app: AppClient,
): Promise<number> {
  let kills = 0;
  for (let step = 1; step < STEPS_MAX; step += STRIDE) {
    const ask = await prepare();
    await victim.arm(step);
    const first = await ask().catch(() => undefined);
    if (first !== undefined) {
      assert.equal(first.status, 200, first.text);
      // The step that was reached last may belong to the service's background work. In that case
      // the process has ended.
      await victim.arm(0).catch(async () => await victim.revive());
      return kills;
    }
    kills += 1;
    await victim.revive();
    const retry = await ask();
    assert.equal(retry.status, 200, `step ${step}: ${retry.text}`);
    const next = await app.refresh(retry.body.refresh_token ?? '');
    assert.equal(next.status, 200, `step ${step}: ${next.text}`);
  }
  throw new Error(`a request had more than ${STEPS_MAX} steps`);
}

/** Refreshes tokens while the service is killed at random moments. No refresh may be refused. */
async function killUnderLoad(t: TestContext, victim: Victim): Promise<void> {
  const app = await victim.newApp();
  const starts = await Promise.all(
    Array.from({ length: CHAINS }, async () => (await app.tokens()).refresh_token),
  );
  const state = { isOver: false, refreshes: 0, retries: 0 };
  const answered = new Set<string>();
  const chains = starts.map(async (start) => {
    let token = start;
    while (!state.isOver) {
      const headers = { 'idempotency-key': randomBytes(16).toString('hex') };
      const answer = await askUntilAnswered(() => app.refresh(token, {}, headers), state);
      assert.equal(answer.status, 200, answer.text);
      const { refresh_token: next = '' } = answer.body;
      assert.notEqual(next, token);
      token = next;
      answered.add(start);
      state.refreshes += 1;
    }
    return token;
  });
  const killing = (async (): Promise<void> => {
    for (let kill = 0; kill < KILLS_UNDER_LOAD; kill++) {
      // Wait until every chain makes progress between two kills, because on a loaded machine a
      // start can take longer than the time until the next kill.
      answered.clear();
      await waitUntil(() => answered.size === CHAINS, ANSWER_WITHIN_MS);
      await pause(Math.random() * KILL_WITHIN_MS);
      victim.kill();
      await victim.revive();
    }
    state.isOver = true;
  })();
  try {
    await Promise.all([killing, ...chains]);
  } finally {
    state.isOver = true;
  }
  for (const chain of chains) assert.equal((await app.refresh(await chain)).status, 200);
  // Exactly these tokens must exist: the first token of each chain, and one per response.
  const counted = await victim.base.db.one(countRefreshTokens);
  assert.equal(counted?.rows, state.refreshes + 2 * CHAINS);
  t.diagnostic(
    `${KILLS_UNDER_LOAD} kills, ${state.refreshes} refreshes, ${state.retries} retries, none refused`,
  );
}

async function askUntilAnswered(
  ask: () => Promise<TokenAnswer>,
  state: { retries: number },
): Promise<TokenAnswer> {
  const endMs = performance.now() + ANSWER_WITHIN_MS;
  while (performance.now() < endMs) {
    try {
      const answer = await ask();
      // A 503 means that the token was not used, so retry. The database is still recovering.
      if (answer.status !== 503) return answer;
    } catch {
      // This error is expected: the service was killed.
    }
    state.retries += 1;
    await pause(20);
  }
  throw new Error('the service did not come back');
}

/** The service as a child process that is killed and restarted at the same address. */
class Victim implements AsyncDisposable {
  readonly addresses: ServiceAddresses;
  readonly base: TestDatabase;
  readonly #port: number;
  #child: ChildProcess | null = null;

  private constructor(base: TestDatabase, port: number) {
    this.base = base;
    this.#port = port;
    const url = `http://127.0.0.1:${port}`;
    this.addresses = { url, authUrl: `${url}/auth`, partnerUrl: `${url}/partner/v1` };
  }

  static async make(): Promise<Victim> {
    const victim = new Victim(await openTestDatabase(), await findFreePort());
    await victim.#start();
    return victim;
  }

  async newApp(): Promise<AppClient> {
    return new AppClient(this.addresses, await seedShop(this.base));
  }

  /** Makes the service kill itself at the n-th step from now, or never if n is 0. */
  async arm(step: number): Promise<void> {
    const child = this.#child;
    if (child === null) throw new Error('the service was never started');
    const armed = new Promise<void>((resolve, reject) => {
      child.once('message', () => resolve());
      child.once('exit', () => reject(new Error('the service ended before it answered')));
    });
    child.send(step);
    await armed;
  }

  kill(): void {
    this.#child?.kill('SIGKILL');
  }

  /** Waits until the killed process has ended, and starts the next one. */
  async revive(): Promise<void> {
    await this.#ended();
    await this.#start();
  }

  async #ended(): Promise<void> {
    const child = this.#child;
    if (child?.exitCode !== null || child.signalCode !== null) return;
    await new Promise((resolve) => child.once('exit', resolve));
  }

  async #start(): Promise<void> {
    const child = fork(new URL('./killed-service.ts', import.meta.url), {
      env: { ...process.env, DATABASE_URL: this.base.url, PORT: String(this.#port) },
      execArgv: [],
    });
    this.#child = child;
    await new Promise<void>((resolve, reject) => {
      child.once('message', () => resolve());
      child.once('exit', (code) => reject(new Error(`the service ended with ${code}`)));
    });
    child.removeAllListeners('exit');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.kill();
    await this.#ended();
    await this.base.close();
  }
}
