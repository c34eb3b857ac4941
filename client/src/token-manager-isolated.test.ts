import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ConnectionRevokedError, RateLimitedError, TemporarilyUnavailableError } from './errors.ts';
import {
  ApprovalNeededError,
  ConnectionFailedError,
  MalformedAnswerError,
} from './local-errors.ts';
import { InvalidClientError, InvalidGrantError } from './oauth-errors.ts';
import { DEFAULT_RETRY } from './retry.ts';
import type { TokenResponse } from './token-endpoint.ts';
import { TokenManager } from './token-manager.ts';
import { memoryTokenStore, type StoredTokens, type TokenStore } from './tokens.ts';

const NOW = Date.parse('2026-06-01T12:00:00.000Z');
const KEY = 'default';

/** A token manager with an endpoint and a store that the test controls. */
class Bench {
  now = NOW;
  /** The recorded requests to the endpoint: `refresh <token> <key>` or `revoke <token>`. */
  readonly asked: string[] = [];
  /** Errors for the next refresh requests, one per request. Later requests succeed. */
  readonly faults: Error[] = [];
  /** The next refresh request gets its response when this resolves. */
  gate: Promise<void> = Promise.resolve();
  expiresInSeconds = 900;
  scope: string | null = null;
  rotates = true;
  readonly store: TokenStore = memoryTokenStore();
  readonly manager: TokenManager;
  #rotations = 0;

  constructor(store: Partial<TokenStore> = {}, triesMax: number = DEFAULT_RETRY.triesMax) {
    this.manager = new TokenManager({
      store: { ...this.store, ...store },
      clientSecret: 'cps_1',
      policy: { ...DEFAULT_RETRY, triesMax, firstDelayMs: 1, delayMsMax: 1 },
      now: () => this.now,
      endpoint: {
        discover: async () => undefined,
        revoke: async (token) => {
          this.asked.push(`revoke ${token}`);
        },
        request: async (parameters, { idempotencyKey, isRetried }) => {
          assert.equal(isRetried, false);
          this.asked.push(`refresh ${parameters['refresh_token']} ${idempotencyKey}`);
          await this.gate;
          const fault = this.faults.shift();
          if (fault !== undefined) throw fault;
          return this.#answer();
        },
      },
    });
  }

  #answer(): TokenResponse {
    this.#rotations++;
    const { expiresInSeconds, scope } = this;
    const refreshToken = this.rotates ? `r${this.#rotations}` : null;
    return { accessToken: `a${this.#rotations}`, refreshToken, expiresInSeconds, scope };
  }

  /** Stores tokens that expire in this many milliseconds. */
  async keep(leftMs: number, changes: Partial<StoredTokens> = {}): Promise<void> {
    const accessExpiresAt = new Date(this.now + leftMs).toISOString();
    const tokens = { accessToken: 'a0', accessExpiresAt, refreshToken: 'r0', scope: 's' };
    await this.store.save(KEY, { ...tokens, ...changes });
  }

  async kept(): Promise<StoredTokens> {
    const tokens = await this.store.load(KEY);
    assert.ok(tokens);
    return tokens;
  }
}

const lost = new ConnectionFailedError({ message: 'lost' });

describe('an access token', () => {
  it('an access token without a refresh token is used to its last millisecond, and then a new approval is needed', async () => {
    const bench = new Bench();
    await bench.keep(1, { refreshToken: null });
    assert.equal(await bench.manager.accessToken(KEY), 'a0');
    await bench.keep(0, { refreshToken: null });
    await assert.rejects(bench.manager.accessToken(KEY), { name: 'ApprovalNeededError' });
    assert.deepEqual(bench.asked, []);
  });

  it('while refreshes fail temporarily, an access token is used until five seconds before its expiry', async () => {
    const bench = new Bench({}, 1);
    await bench.keep(5_001);
    bench.faults.push(lost, lost);
    assert.equal(await bench.manager.accessToken(KEY), 'a0');
    await bench.keep(5_000);
    await assert.rejects(bench.manager.accessToken(KEY), lost);
    assert.equal(bench.asked.length, 2);
  });

  it('after a failed refresh, the token is used for half a minute before another refresh', async () => {
    for (const fault of [lost, new MalformedAnswerError({ message: 'broken' })]) {
      const bench = new Bench({}, 1);
      await bench.keep(59_000);
      bench.faults.push(fault);
      assert.equal(await bench.manager.accessToken(KEY), 'a0');
      bench.now += 29_999;
      assert.equal(await bench.manager.accessToken(KEY), 'a0');
      assert.equal(bench.asked.length, 1);
      bench.now += 1;
      assert.equal(await bench.manager.accessToken(KEY), 'a1');
    }
  });

  it('the old access token is not used when the refresh is refused, and the app gets the error', async () => {
    const bench = new Bench();
    await bench.keep(59_000);
    bench.faults.push(new InvalidClientError(), new InvalidClientError());
    await assert.rejects(bench.manager.accessToken(KEY), { name: 'InvalidClientError' });
    await assert.rejects(bench.manager.accessToken(KEY), { name: 'InvalidClientError' });
  });

  it('no token is requested for half a minute after the refresh token was refused permanently', async () => {
    const bench = new Bench();
    await bench.keep(59_000);
    bench.faults.push(new InvalidGrantError());
    const error: unknown = await bench.manager.accessToken(KEY).catch((thrown: unknown) => thrown);
    assert.ok(error instanceof ApprovalNeededError);
    await assert.rejects(bench.manager.accessToken(KEY), error);
    await assert.rejects(bench.manager.replaceRefused(KEY, 'a0'), error);
    assert.equal(bench.asked.length, 1);
    // After the clock was set back, earlier failures no longer count.
    bench.now -= 1;
    await bench.keep(0);
    assert.equal(await bench.manager.accessToken(KEY), 'a1');
  });

  it('no token is requested before Retry-After has passed, at most an hour', async () => {
    for (const [retryAfterMs, restMs] of [
      [300_000, 300_000],
      [86_400_000, 3_600_000],
    ] as const) {
      const bench = new Bench();
      await bench.keep(0);
      bench.expiresInSeconds = 86_400;
      const limited = new RateLimitedError({ retryAfterMs });
      bench.faults.push(limited);
      for (const laterMs of [0, 1, restMs - 2]) {
        bench.now += laterMs;
        await assert.rejects(bench.manager.accessToken(KEY), limited);
        await assert.rejects(bench.manager.replaceRefused(KEY, 'a0'), limited);
      }
      assert.equal(bench.asked.length, 1);
      bench.now += 1;
      assert.equal(await bench.manager.accessToken(KEY), 'a1');
    }
  });

  it('a token that is still valid is used until Retry-After has passed', async () => {
    const bench = new Bench({}, 1);
    await bench.keep(59_000);
    bench.faults.push(new RateLimitedError({ retryAfterMs: 300_000 }));
    assert.equal(await bench.manager.accessToken(KEY), 'a0');
    bench.now += 53_999;
    assert.equal(await bench.manager.accessToken(KEY), 'a0');
    bench.now += 1;
    await assert.rejects(bench.manager.accessToken(KEY), { name: 'RateLimitedError' });
    assert.equal(bench.asked.length, 1);
  });

  it('a token is refreshed immediately if the stored refresh token is not the one that failed', async () => {
    const bench = new Bench();
    await bench.keep(0);
    bench.faults.push(new InvalidGrantError());
    await assert.rejects(bench.manager.accessToken(KEY), { name: 'ApprovalNeededError' });
    await bench.keep(0, { refreshToken: 'r9' });
    assert.equal(await bench.manager.accessToken(KEY), 'a1');
  });
});

describe('a refresh', () => {
  it('concurrent callers share one refresh, and the next refresh waits for it', async () => {
    const bench = new Bench();
    await bench.keep(0);
    const { promise, resolve } = Promise.withResolvers<undefined>();
    bench.gate = promise;
    const asking = [1, 2, 3].map(async () => await bench.manager.accessToken(KEY));
    asking.push(bench.manager.replaceRefused(KEY, 'a0'));
    resolve(undefined);
    assert.deepEqual(await Promise.all(asking), ['a1', 'a1', 'a1', 'a1']);
    assert.equal(bench.asked.length, 1);
    bench.now += 900_000;
    assert.equal(await bench.manager.accessToken(KEY), 'a2');
  });

  it('a refresh replaces a rejected token that has not expired, and only that token', async () => {
    const bench = new Bench();
    await bench.keep(900_000);
    assert.equal(await bench.manager.replaceRefused(KEY, 'a0'), 'a1');
    assert.equal(await bench.manager.replaceRefused(KEY, 'a0'), 'a1');
    assert.equal(bench.asked.length, 1);
    assert.equal(await bench.manager.replaceRefused(KEY, 'a1'), 'a2');
  });

  it('a refresh that returns the rejected token is followed by another refresh', async () => {
    const bench = new Bench();
    await bench.keep(0);
    const { promise, resolve } = Promise.withResolvers<undefined>();
    bench.gate = promise;
    const first = bench.manager.accessToken(KEY);
    const second = bench.manager.replaceRefused(KEY, 'a1');
    resolve(undefined);
    assert.deepEqual(await Promise.all([first, second]), ['a1', 'a2']);
  });

  it('a refresh continues when a caller aborts, and that caller gets the reason of its own signal', async () => {
    const bench = new Bench();
    await bench.keep(0);
    const { promise, resolve } = Promise.withResolvers<undefined>();
    bench.gate = promise;
    const [begun, joined] = [new AbortController(), new AbortController()];
    const first = bench.manager.accessToken(KEY, begun.signal);
    const second = bench.manager.accessToken(KEY, joined.signal);
    const third = bench.manager.accessToken(KEY);
    begun.abort(new Error('first'));
    joined.abort(new Error('second'));
    await assert.rejects(first, /first/u);
    await assert.rejects(second, /second/u);
    resolve(undefined);
    assert.equal(await third, 'a1');
  });

  it('a refresh is repeated once if its access token has expired on arrival', async () => {
    const bench = new Bench();
    bench.expiresInSeconds = -1;
    await bench.keep(0);
    await bench.manager.accessToken(KEY);
    assert.deepEqual(
      bench.asked.map((one) => one.split(' ')[1]),
      ['r0', 'r1'],
    );
  });

  it('a refresh keeps the old refresh token and scope if the response omits them, and replaces them otherwise', async () => {
    const bench = new Bench();
    bench.rotates = false;
    await bench.keep(0);
    await bench.manager.accessToken(KEY);
    assert.deepEqual([(await bench.kept()).refreshToken, (await bench.kept()).scope], ['r0', 's']);
    const other = new Bench();
    other.scope = 't';
    await other.keep(0);
    await other.manager.accessToken(KEY);
    assert.deepEqual([(await other.kept()).refreshToken, (await other.kept()).scope], ['r1', 't']);
  });

  it('each refresh without rotation has a new idempotency key', async () => {
    const bench = new Bench();
    bench.rotates = false;
    await bench.keep(0);
    await bench.manager.accessToken(KEY);
    await bench.keep(0, { accessToken: 'a1' });
    await bench.manager.accessToken(KEY);
    assert.equal(new Set(bench.asked).size, 2);
  });
});

describe('the record of a pending refresh', () => {
  it('a pending refresh does not overwrite a token that another process has stored since the read', async () => {
    let loads = 0;
    const bench: Bench = new Bench({
      load: async (key) => {
        // The token manager makes the third load while it records the pending refresh.
        if (++loads === 3) await bench.keep(900_000, { accessToken: 'a9', refreshToken: 'r9' });
        return await bench.store.load(key);
      },
    });
    await bench.keep(0);
    assert.equal(await bench.manager.accessToken(KEY), 'a9');
    assert.deepEqual([bench.asked, (await bench.kept()).pendingRefresh], [[], undefined]);
  });

  it('a pending refresh that another process has stored is used unchanged', async () => {
    let loads = 0;
    const pendingRefresh = { idempotencyKey: 'theirs', startedAt: new Date(NOW).toISOString() };
    const bench: Bench = new Bench({
      load: async (key) => {
        if (++loads === 3) await bench.keep(0, { pendingRefresh });
        return await bench.store.load(key);
      },
    });
    await bench.keep(0);
    assert.equal(await bench.manager.accessToken(KEY), 'a1');
    assert.deepEqual(bench.asked, ['refresh r0 theirs']);
  });
});

describe('tokens that the store failed to save', () => {
  /** Returns a bench whose store has failed to save refreshed tokens once, and works again. */
  async function refusedOnce(): Promise<Bench> {
    let isFull = true;
    const bench: Bench = new Bench({
      save: async (key, tokens, replacing) => {
        if (isFull && tokens.pendingRefresh === undefined) throw new Error('disk full');
        return await bench.store.save(key, tokens, replacing);
      },
    });
    await bench.keep(0);
    await assert.rejects(bench.manager.accessToken(KEY), /disk full/u);
    isFull = false;
    return bench;
  }

  it('tokens that the store failed to save are saved again, but do not replace a newer approval or undo a removal', async () => {
    const bench = await refusedOnce();
    assert.equal(await bench.manager.accessToken(KEY), 'a1');
    const approved = await refusedOnce();
    await approved.keep(900_000, { accessToken: 'a9', refreshToken: 'r9' });
    assert.equal(await approved.manager.accessToken(KEY), 'a9');
    const removed = await refusedOnce();
    await removed.store.remove(KEY);
    await assert.rejects(removed.manager.accessToken(KEY), { name: 'ApprovalNeededError' });
    assert.equal(await removed.store.load(KEY), null);
  });

  it('unsaved tokens are forgotten when the manager saves other tokens or removes all', async () => {
    for (const doing of ['keep', 'remove'] as const) {
      const bench = await refusedOnce();
      const spent = await bench.kept();
      if (doing === 'remove') await bench.manager.remove(KEY);
      if (doing === 'keep') await bench.manager.saveNew(KEY, spent);
      await bench.store.save(KEY, spent);
      await bench.manager.accessToken(KEY);
      assert.equal((await bench.kept()).accessToken, 'a2', doing);
    }
  });
});

describe('an approval', () => {
  it('saving or removing a token set clears the failures remembered for the previous set', async () => {
    const bench = new Bench();
    for (const doing of ['keep', 'remove'] as const) {
      await bench.keep(900_000);
      bench.manager.markRevoked(KEY, 'a0', new ConnectionRevokedError());
      await assert.rejects(bench.manager.accessToken(KEY), { name: 'ApprovalNeededError' });
      bench.faults.push(new InvalidGrantError());
      await bench.keep(0, { accessToken: 'other' });
      await assert.rejects(bench.manager.accessToken(KEY), { name: 'ApprovalNeededError' });
      await bench.keep(0);
      if (doing === 'keep') await bench.manager.saveNew(KEY, await bench.kept());
      else {
        await bench.manager.remove(KEY);
        await bench.keep(0);
      }
      assert.match(await bench.manager.accessToken(KEY), /^a[12]$/u);
    }
  });

  it('an approval is revoked by its refresh token or, without one, by its access token, and then forgotten', async () => {
    const bench = new Bench();
    await bench.keep(900_000);
    await bench.manager.revoke(KEY);
    assert.equal(await bench.store.load(KEY), null);
    await bench.keep(900_000, { refreshToken: null });
    await bench.manager.revoke(KEY);
    await bench.manager.revoke(KEY);
    assert.deepEqual(bench.asked, ['revoke r0', 'revoke a0']);
  });

  it('an approval with a pending refresh is revoked by the new token, or by the old token if the refresh is refused', async () => {
    const pendingRefresh = { idempotencyKey: 'k', startedAt: new Date(NOW).toISOString() };
    const bench = new Bench();
    await bench.keep(900_000, { pendingRefresh });
    await bench.manager.revoke(KEY);
    assert.deepEqual(bench.asked, ['refresh r0 k', 'revoke r1']);
    const ended = new Bench();
    await ended.keep(900_000, { pendingRefresh });
    ended.faults.push(new InvalidGrantError());
    await ended.manager.revoke(KEY);
    assert.deepEqual(ended.asked, ['refresh r0 k', 'revoke r0']);
    const unknown = new Bench({}, 1);
    await unknown.keep(900_000, { pendingRefresh });
    unknown.faults.push(new TemporarilyUnavailableError());
    await assert.rejects(unknown.manager.revoke(KEY), { name: 'TemporarilyUnavailableError' });
    assert.notEqual(await unknown.store.load(KEY), null);
  });

  it('an approval is checked again once a thousand other shops have failed', async () => {
    const bench = new Bench();
    await bench.keep(900_000);
    bench.manager.markRevoked(KEY, 'a0', new ConnectionRevokedError());
    for (let other = 1; other < 1_000; other++) {
      bench.manager.markRevoked(`shop-${other}`, 'a0', new ConnectionRevokedError());
    }
    await assert.rejects(bench.manager.accessToken(KEY), { name: 'ApprovalNeededError' });
    bench.manager.markRevoked('shop-1000', 'a0', new ConnectionRevokedError());
    assert.equal(await bench.manager.accessToken(KEY), 'a0');
  });
});
