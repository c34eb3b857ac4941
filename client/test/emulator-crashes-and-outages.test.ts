import assert from 'node:assert/strict';
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { fileTokenStore } from '../src/file-token-store.ts';
import type { PartnerApp } from '../src/partner-app.ts';
import type { Shop } from '../src/shop.ts';
import { memoryTokenStore, type TokenStore } from '../src/tokens.ts';
import {
  decideApproval,
  approve,
  emulator,
  expireAccessToken,
  storedTokens,
  openApp,
  QUICK,
  TOKEN_PATH,
  useEmulator,
} from './emulator-scene.ts';

describe('processes that share one file store', () => {
  useEmulator();
  const program = fileURLToPath(new URL('refreshing-app.ts', import.meta.url));
  // Later processes load the code that the first process has compiled.
  const env = { ...process.env, NODE_COMPILE_CACHE: join(tmpdir(), 'cardport-client-cache') };
  let folder = '';
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'cardport-tokens-'));
  });
  after(async () => await rm(folder, { recursive: true }));

  it('the next process continues if one is killed between receiving and saving a token, 20 times out of 20', async () => {
    const store = fileTokenStore(folder);
    const shop = await approve(openApp({ tokens: store }));
    // The next process starts while this process dies.
    let next = start('crash');
    for (let killed = 0; killed < 20; killed++) {
      await expireAccessToken(store);
      const former = await storedTokens(store);
      const child = next;
      const exited = once(child, 'exit');
      child.stdin.write('\n');
      next = start('crash');
      const [, killedBy]: unknown[] = await exited;
      assert.equal(killedBy, 'SIGKILL');
      const left = await storedTokens(store);
      assert.equal(left.refreshToken, former.refreshToken);
      assert.notEqual(left.pendingRefresh, undefined);
      assert.equal((await shop.connection()).status, 'active');
      assert.notEqual((await storedTokens(store)).refreshToken, former.refreshToken);
    }
    next.stdin.end();
    await once(next, 'exit');
  });

  it('four processes that refresh at the same time all get the new token, 50 times out of 50', async () => {
    const store = fileTokenStore(folder);
    await approve(openApp({ tokens: store }));
    const apps = Array.from({ length: 4 }, startLoop);
    await Promise.all(apps.map(async ({ next }) => await next()));
    for (let round = 0; round < 50; round++) {
      await expireAccessToken(store);
      const former = await storedTokens(store);
      await emulator.tell('faults/clear');
      if (round % 3 === 0) await emulator.tell('faults/lose-refresh-answers', { count: 3 });
      for (const { child } of apps) child.stdin.write('\n');
      const said = await Promise.all(apps.map(async ({ next }) => await next()));
      assert.deepEqual(new Set(said), new Set(['good']), `round ${round}`);
      const { refreshToken, pendingRefresh } = await storedTokens(store);
      assert.notEqual(refreshToken, former.refreshToken);
      assert.equal(pendingRefresh, undefined);
    }
    for (const { child } of apps) {
      const ended = once(child, 'exit');
      child.stdin.end();
      await ended;
    }
    for (const name of await readdir(folder)) {
      assert.equal(name, 'default.json');
      assert.equal((await stat(join(folder, name))).mode & 0o777, 0o600);
      assert.match(await readFile(join(folder, name), 'utf8'), /cpr_/);
    }
  });

  interface Loop {
    readonly child: ChildProcessByStdio<Writable, Readable, null>;
    readonly next: () => Promise<string>;
  }

  function start(mode: 'crash' | 'loop'): Loop['child'] {
    const { baseUrl, authUrl } = emulator;
    return spawn(process.execPath, [program, mode, baseUrl, authUrl, folder], {
      stdio: ['pipe', 'pipe', 'inherit'],
      env,
    });
  }

  function startLoop(): Loop {
    const child = start('loop');
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    return { child, next: async () => String((await lines.next()).value) };
  }
});

describe('a long outage of the service (decision 0007)', () => {
  useEmulator();

  it('a lost response is still available hours and days later', async () => {
    const { store, shop, wire, sleep } = await interrupted();
    for (const hours of [2, 24, 120]) {
      await expireAccessToken(store);
      wire.losesAnswers = 1;
      wire.isAway = true;
      await assert.rejects(shop.connection(), { name: 'ConnectionFailedError' });
      await sleep(hours * 3_600);
      wire.isAway = false;
      // The access token in that response expired long ago, so it is refreshed once more.
      assert.equal((await shop.connection()).status, 'active', `${hours} h`);
    }
  });

  it('a callback that is loaded again later is refused, and the connection stays active', async () => {
    const { app, sleep } = await interrupted();
    const { url, pending } = await app.beginAuthorization();
    const callback = await decideApproval(url);
    const { shop } = await app.completeAuthorization(callback, pending);
    await sleep(61);
    await assert.rejects(app.completeAuthorization(callback, pending), {
      name: 'InvalidGrantError',
    });
    assert.equal((await shop.connection()).status, 'active');
    await sleep(900);
    assert.equal((await shop.connection()).status, 'active');
  });

  it('a request that never arrived is sent again, even after ten days', async () => {
    const { store, shop, wire, sleep } = await interrupted();
    await expireAccessToken(store);
    wire.isAway = true;
    await assert.rejects(shop.connection(), { name: 'ConnectionFailedError' });
    await sleep(10 * 86_400);
    wire.isAway = false;
    assert.equal((await shop.connection()).status, 'active');
  });

  it('after a week without the response, an error says that a new approval is needed', async () => {
    const { store, shop, app, wire, sleep } = await interrupted();
    await expireAccessToken(store);
    wire.losesAnswers = 1;
    wire.isAway = true;
    await assert.rejects(shop.connection(), { name: 'ConnectionFailedError' });
    await sleep(7 * 86_400);
    wire.isAway = false;
    await assert.rejects(shop.connection(), {
      name: 'ApprovalNeededError',
      message: /lost refresh response/,
    });
    assert.equal((await (await approve(app)).connection()).status, 'active');
  });

  it('a copy of the store is detected at the second refresh, whichever copy is first', async () => {
    for (const first of ['app', 'thief'] as const) {
      const { store, shop, app, sleep } = await interrupted();
      const copy = memoryTokenStore();
      await copy.save('default', await storedTokens(store));
      const thief = openApp({ tokens: copy, now: clock }).shop();
      const inTurn = first === 'app' ? [shop, thief] : [thief, shop];
      await sleep(900);
      for (const each of inTurn) assert.equal((await each.connection()).status, 'active');
      assert.equal(
        (await storedTokens(store)).refreshToken,
        (await storedTokens(copy)).refreshToken,
      );
      await sleep(900);
      assert.equal((await inTurn[0]?.connection())?.status, 'active');
      // After a minute, a refresh with the old token and another key no longer counts as an
      // accidental repetition. It ends the approval for both apps.
      await sleep(61);
      await assert.rejects(inTurn[1]?.connection() ?? Promise.resolve(), {
        name: 'ApprovalNeededError',
      });
      await sleep(900);
      await assert.rejects(inTurn[0]?.connection() ?? Promise.resolve(), {
        name: 'ApprovalNeededError',
      });
      assert.equal((await (await approve(app)).connection()).status, 'active');
      await assert.rejects(thief.connection(), { name: 'ApprovalNeededError' });
    }
  });

  it('four processes continue one old pending refresh at the same time, even if responses are lost', async () => {
    for (let round = 0; round < 10; round++) {
      const { store, shop, wire, sleep } = await interrupted();
      await expireAccessToken(store);
      wire.losesAnswers = 1;
      await assert.rejects(shop.connection(), { name: 'ConnectionFailedError' });
      // The access token has expired when the apps receive it, so each app refreshes twice.
      await sleep(3_600);
      await emulator.tell('faults/lose-refresh-answers', { count: 1 + (round % 4) });
      const apps = Array.from({ length: 4 }, () => openApp({ tokens: lagging(store), now: clock }));
      const said = await Promise.all(apps.map(async (one) => await one.shop().connection()));
      assert.deepEqual(new Set(said.map(({ status }) => status)), new Set(['active']));
      await expireAccessToken(store);
      for (const one of apps) assert.equal((await one.shop().connection()).status, 'active');
    }
  });

  /** Wraps a store so that each call takes up to 3 ms longer. */
  function lagging(store: TokenStore): TokenStore {
    const lag = async (): Promise<void> => {
      await new Promise((resolve) => {
        setTimeout(resolve, Math.random() * 3);
      });
    };
    return {
      load: async (key) => {
        await lag();
        const tokens = await store.load(key);
        await lag();
        return tokens;
      },
      save: async (key, tokens) => {
        await lag();
        await store.save(key, tokens);
      },
      remove: async (key) => await store.remove(key),
    };
  }

  const clock = (): number => Date.now() + aheadMs;

  /**
   * An app whose connection loses the next token responses and then fails. It uses the service's
   * clock.
   */
  interface Interrupted {
    readonly store: TokenStore;
    readonly shop: Shop;
    readonly app: PartnerApp;
    readonly wire: { losesAnswers: number; isAway: boolean };
    readonly sleep: (seconds: number) => Promise<void>;
  }

  async function interrupted(): Promise<Interrupted> {
    const wire = { losesAnswers: 0, isAway: false };
    const store = memoryTokenStore();
    const app = openApp({
      tokens: store,
      retry: { ...QUICK, triesMax: 1 },
      now: clock,
      fetch: async (url, init) => {
        const isLost = wire.losesAnswers > 0 && url.endsWith(TOKEN_PATH);
        if (isLost) {
          wire.losesAnswers--;
          await (await fetch(url, init)).arrayBuffer();
        }
        if (isLost || wire.isAway) throw new TypeError('fetch failed');
        return await fetch(url, init);
      },
    });
    const shop = await approve(app);
    const sleep = async (seconds: number): Promise<void> => {
      await emulator.tell('clock', { advanceSeconds: seconds });
      aheadMs += seconds * 1_000;
    };
    return { store, shop, app, wire, sleep };
  }
  let aheadMs = 0;
});
