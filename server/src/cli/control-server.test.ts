import assert from 'node:assert/strict';
import { existsSync, mkdirSync } from 'node:fs';
import type { Socket } from 'node:net';
import { PassThrough, Readable } from 'node:stream';
import { describe, it } from 'node:test';
import { temporaryFolder } from '../../test/cardport.ts';
import { onEachEngine, type TestDatabase } from '../../test/engines.ts';
import { waitUntil } from '../../test/wait-until.ts';
import { systemClock } from '../base/clock.ts';
import { statement } from '../database/statement.ts';
import type { CommandContext } from './command.ts';
import { connectToService, runInService } from './control-client.ts';
import { COMMANDS_MAX, type ControlServer, openControlServer } from './control-server.ts';
import { controlSocketFile } from './control-socket.ts';
import { encodeFrame } from './frame.ts';

const lockShops = statement('test_lock_shops', 'lock table shop in access exclusive mode');

interface Opened extends AsyncDisposable {
  readonly control: ControlServer;
  readonly folder: string;
  readonly faults: unknown[];
}

async function open(base: TestDatabase): Promise<Opened> {
  const folder = temporaryFolder();
  const context: CommandContext = {
    db: base.db,
    clock: systemClock,
    publicUrl: 'http://127.0.0.1',
    secretKey: 'unused',
  };
  const faults: unknown[] = [];
  const control = await openControlServer(folder.path, context, (error) => faults.push(error));
  const close = async (): Promise<void> => {
    await control.close(0);
    folder[Symbol.dispose]();
  };
  return { control, folder: folder.path, faults, [Symbol.asyncDispose]: close };
}

async function connect(folder: string): Promise<Socket> {
  const socket = await connectToService(folder);
  assert.ok(socket);
  return socket;
}

interface Ran {
  readonly code: number | null;
  readonly said: string;
}

/** Runs a command through the socket; a null code when the connection ended before its answer. */
async function run(folder: string, words: readonly string[], input: Readable): Promise<Ran> {
  let said = '';
  const take = (text: string): void => {
    said += text;
  };
  try {
    const output = { out: take, err: take };
    return { code: await runInService(await connect(folder), words, input, output), said };
  } catch {
    return { code: null, said };
  }
}

/** Sends bytes and resolves when the connection has ended, with what came back. */
async function send(socket: Socket, bytes: Buffer): Promise<string> {
  socket.write(bytes);
  const parts: Buffer[] = [];
  socket.on('data', (part) => parts.push(part));
  socket.on('error', () => {
    // How it ends does not matter here.
  });
  await new Promise((resolve) => socket.once('close', resolve));
  return Buffer.concat(parts).toString('latin1');
}

onEachEngine('the running service’s commands (decision 0022)', (openBase) => {
  it('that are in the database at the deadline are cut, which is told, and harm nothing', async () => {
    await using base = await openBase();
    await using opened = await open(base);
    const release = Promise.withResolvers<void>();
    const locked = Promise.withResolvers<void>();
    const holding = base.db.transaction(async (tx) => {
      await tx.query(lockShops);
      locked.resolve();
      await release.promise;
    });
    await locked.promise;
    const input = new PassThrough();
    const running = run(opened.folder, ['inventory', 'import', '--shop', 'a', '-'], input);
    await waitUntil(() => opened.control.running === 1);
    assert.equal(await opened.control.close(50), false);
    assert.deepEqual(await running, { code: null, said: '' });
    release.resolve();
    await holding;
    // What the command then does is no fault of anybody’s, and an unhandled rejection would fail this test.
    await waitUntil(() => base.db.poolState().waiting === 0);
    assert.deepEqual(opened.faults, []);
  });

  it('may end within the deadline', async () => {
    await using base = await openBase();
    await using opened = await open(base);
    const input = new PassThrough();
    const running = run(opened.folder, ['catalog', 'import', '--json', '-'], input);
    await waitUntil(() => opened.control.running === 1);
    const closing = opened.control.close(60_000);
    input.end();
    assert.equal(await closing, true);
    assert.deepEqual(await running, { code: 0, said: '{"accepted":0,"rejected":[]}\n' });
    assert.ok(!existsSync(controlSocketFile(opened.folder)));
  });

  it('may be left, and sent garbage in their midst', async () => {
    await using base = await openBase();
    await using opened = await open(base);
    const words = encodeFrame('a', JSON.stringify(['catalog', 'import', '-']));
    const left = await connect(opened.folder);
    left.write(words);
    await waitUntil(() => opened.control.running === 1);
    left.destroy();
    await waitUntil(() => opened.control.running === 0);
    await send(await connect(opened.folder), Buffer.concat([words, Buffer.alloc(9, 0xff)]));
    await send(await connect(opened.folder), Buffer.alloc(9, 0xff));
    await send(await connect(opened.folder), encodeFrame('a', '{no json'));
    await waitUntil(() => opened.control.running === 0);
    const listed = await run(opened.folder, ['shop', 'list', '--json'], Readable.from([]));
    assert.equal(listed.code, 0, listed.said);
    assert.deepEqual(opened.faults, []);
  });

  it(`are ${COMMANDS_MAX} at once; one more is told so, and has its turn afterwards`, async () => {
    await using base = await openBase();
    await using opened = await open(base);
    const inputs = Array.from({ length: COMMANDS_MAX }, () => new PassThrough());
    const runs = inputs.map(
      async (input) => await run(opened.folder, ['catalog', 'import', '-'], input),
    );
    await waitUntil(() => opened.control.running === COMMANDS_MAX);
    const list = async (): Promise<Ran> =>
      await run(opened.folder, ['shop', 'list', '--json'], Readable.from(['unread\n']));
    const refused = await list();
    assert.equal(refused.code, 1);
    assert.match(refused.said, /^cardport: too many commands at once: 16 run in the service\n$/);
    for (const input of inputs) input.end();
    for (const { code, said } of await Promise.all(runs)) assert.equal(code, 0, said);
    assert.equal((await list()).code, 0);
  });

  it('that were never sent delay no stop and are no cut ones', async () => {
    await using base = await openBase();
    await using opened = await open(base);
    const silent = await connect(opened.folder);
    const ended = send(silent, Buffer.from('a'));
    await waitUntil(() => opened.control.connections === 1);
    assert.equal(await opened.control.close(60_000), true);
    assert.equal(await ended, '');
  });
});

describe('the socket of the commands', () => {
  it('leaves nothing open when it cannot be made', async () => {
    using folder = temporaryFolder();
    mkdirSync(controlSocketFile(folder.path));
    const context = { db: {} } as never;
    await assert.rejects(openControlServer(folder.path, context, assert.ifError));
  });
});
