import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import pg from 'pg';
import { pauseProcess, untilRecovered } from '../../test/paused-process.ts';
import { openLog } from '../base/log.ts';
import { DatabaseBusy } from './database.ts';
import { OutageLog } from './outage-log.ts';

function refusedConnection(): Error {
  const fields = { code: 'ECONNREFUSED', syscall: 'connect' };
  return Object.assign(new Error('connect ECONNREFUSED 10.0.0.5:5432'), fields);
}

function refused(): Error {
  return new DatabaseBusy('no connection to the database', { cause: refusedConnection() });
}

function diskFull(): Error {
  const message = 'could not extend file "base/5/1259": No space left on device';
  const cause = Object.assign(new pg.DatabaseError(message, 0, 'error'), { code: '53100' });
  return new DatabaseBusy('no space is left on the disk of the database', { cause });
}

class Scene {
  nowMs = 5_000;
  #text = '';
  readonly #log = openLog({ level: 'info', write: (lines) => void (this.#text += lines) });
  readonly outages = new OutageLog({
    log: this.#log,
    place: 'DATA_DIR /shop',
    nowMs: () => this.nowMs,
  });

  told(): Readonly<Record<string, unknown>>[] {
    this.#log.flush();
    const lines = this.#text.split('\n').filter((line) => line !== '');
    this.#text = '';
    return lines.map((line): Readonly<Record<string, unknown>> => JSON.parse(line));
  }

  beat(milliseconds: number): void {
    for (let passedMs = 0; passedMs < milliseconds; passedMs += 200) {
      this.nowMs += 200;
      this.outages.recordAnswer();
    }
  }
}

describe('an outage of the database', () => {
  beforeEach(untilRecovered);

  it('an outage is logged when it begins, and when it ends with the number of refused requests', () => {
    const scene = new Scene();
    const { outages } = scene;
    scene.beat(1_000);
    assert.equal(
      outages.recordConnectionFailure(new Error('the listening connection has ended')),
      true,
    );
    assert.deepEqual(scene.told(), [], 'one connection may be lost alone');
    for (let request = 0; request < 30; request++) {
      assert.equal(outages.recordRequestFailure(refused()), true);
      outages.countRefusedRequest();
      scene.nowMs += 1_000;
    }
    assert.equal(
      outages.recordRequestFailure(
        new DatabaseBusy('too many callers are waiting for a connection'),
      ),
      true,
    );
    outages.countRefusedRequest();
    outages.recordJobFailure(refused());
    const [begun, ...more] = scene.told();
    assert.deepEqual(more, []);
    const { level, msg, reason, place } = begun ?? {};
    assert.equal(level, 'error');
    assert.match(String(msg), /the database does not respond/);
    assert.match(String(reason), /ECONNREFUSED/);
    assert.equal(place, 'DATA_DIR /shop');
    assert.ok(begun !== undefined && !('error' in begun) && !('stack' in begun));
    scene.beat(1_800);
    assert.deepEqual(scene.told(), [], 'it answers, but that may not last');
    scene.beat(200);
    const [ended, ...others] = scene.told();
    assert.deepEqual(others, []);
    const { requests, jobs, seconds } = ended ?? {};
    assert.deepEqual([requests, jobs, seconds], [31, 1, 30.2]);
    scene.beat(120_000);
    assert.deepEqual(scene.told(), []);
  });

  it('an outage continues while connections are refused, even if heartbeats arrive again', () => {
    const scene = new Scene();
    for (let second = 0; second < 20; second++) {
      scene.outages.recordRequestFailure(refused());
      scene.beat(1_000);
    }
    assert.equal(scene.told().length, 1);
  });

  it('an outage is not logged right after a pause of this process, but is if it lasts', async () => {
    const scene = new Scene();
    const { outages } = scene;
    pauseProcess(1_500);
    scene.nowMs += 20_000;
    outages.recordConnectionFailure(new Error('timeout expired'));
    outages.recordConnectionFailure(new Error('the listening connection has ended'));
    assert.deepEqual(scene.told(), []);
    await untilRecovered();
    outages.recordConnectionFailure(new Error('timeout expired'));
    assert.match(String(scene.told()[0]?.['msg']), /the database does not respond/);
  });

  it('a full disk is an outage that ends when no write was refused for a minute', () => {
    const scene = new Scene();
    const { outages } = scene;
    for (let write = 0; write < 3; write++) {
      outages.recordRefusedWrite(diskFull());
      assert.equal(outages.recordRequestFailure(diskFull()), true);
      outages.countRefusedRequest();
      scene.beat(10_000);
    }
    assert.deepEqual(outages.warnings, [
      'no space left on the disk of the database: writes are refused',
    ]);
    assert.equal(outages.refusedWrites, 3);
    const [begun, ...more] = scene.told();
    assert.deepEqual(more, []);
    // A write that fails does not show whether PostgreSQL can go on.
    assert.match(String(begun?.['msg']), /no space left .* and reads too if PostgreSQL stops$/);
    assert.match(String(begun?.['reason']), /base\/5\/1259.*No space left on device/);
    assert.equal(begun?.['place'], 'DATA_DIR /shop');
    scene.beat(50_000);
    assert.deepEqual(outages.warnings, []);
    const [ended] = scene.told();
    assert.deepEqual([ended?.['requests'], ended?.['seconds']], [3, 20]);
  });

  it('a single lost connection is not an outage, and is logged in one line when others work', () => {
    const scene = new Scene();
    const { outages } = scene;
    const ended = new Error('Connection terminated unexpectedly');
    assert.equal(outages.recordConnectionFailure(ended), true);
    assert.equal(outages.recordRequestFailure(new DatabaseBusy('lost', { cause: ended })), true);
    outages.countRefusedRequest();
    scene.beat(2_400);
    const told = scene.told().map(({ level, msg, requests }) => [level, msg, requests]);
    assert.deepEqual(told, [
      ['warn', 'connections to the database were lost and re-established', 1],
    ]);
  });

  it('an error of another server, a file or a busy pool is not an outage', () => {
    const scene = new Scene();
    const { outages } = scene;
    const pool = new Error('timeout exceeded when trying to connect');
    const missing = Object.assign(new Error('no such file'), { code: 'ENOENT' });
    for (const error of [
      new Error('the store of photos is away', { cause: refusedConnection() }),
      missing,
    ]) {
      assert.equal(outages.recordRequestFailure(error), false);
      assert.equal(outages.recordJobFailure(error), false);
    }
    assert.equal(
      outages.recordRequestFailure(new DatabaseBusy('no connection', { cause: pool })),
      false,
    );
    assert.deepEqual(scene.told(), []);
  });

  it('a lock timeout, which is logged separately, or a bug is not an outage', () => {
    const scene = new Scene();
    const { outages } = scene;
    const busy = new DatabaseBusy('the row is locked by another transaction');
    assert.equal(outages.recordRequestFailure(busy), false);
    assert.equal(outages.recordJobFailure(new Error('a bug')), false);
    for (let second = 0; second < 61; second++) {
      assert.equal(outages.recordJobFailure(busy), true);
      scene.nowMs += 1_000;
    }
    assert.deepEqual(
      scene.told().map(({ level, reason }) => [level, reason]),
      Array.from({ length: 2 }, () => ['warn', busy.message]),
    );
  });
});
