import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { makeCorneredPng } from '../../test/images.ts';
import { pauseProcess, untilRecovered } from '../../test/paused-process.ts';
import { waitUntil } from '../../test/wait-until.ts';
import { DecoderPool } from './decoder-pool.ts';
import { reEncode } from './re-encode.ts';

const PATIENT = { cpuMsMax: 60_000, wallMsMax: 60_000, idleMs: 60_000 };

/** Returns the ids of a process's child processes. */
function childrenOf(parent: number): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
        const [state, ppid] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
        return Number(ppid) === parent && state !== 'Z';
      } catch {
        return false;
      }
    });
}

/** Closes a pool and waits for its process to end, so that the next test does not find it. */
async function end(pool: DecoderPool): Promise<void> {
  pool.close();
  await waitUntil(() => childrenOf(process.pid).length === 0);
}

describe('decoding in processes (decision 0080)', () => {
  it('a child process makes the same image as this process, and is reused', async () => {
    const bytes = await makeCorneredPng(400, 300);
    const pool = new DecoderPool(PATIENT);
    assert.deepEqual(await pool.reEncode(bytes, 'png'), await reEncode(bytes, 'png'));
    const [first, ...others] = childrenOf(process.pid);
    assert.deepEqual(others, []);
    await pool.reEncode(bytes, null);
    assert.deepEqual(childrenOf(process.pid), [first]);
    const environment = readFileSync(`/proc/${first}/environ`, 'utf8');
    assert.match(
      environment.replaceAll('\0', '\n'),
      /^PATH=.*\nMALLOC_ARENA_MAX=2\nMALLOC_TRIM_THRESHOLD_=131072\n(?:NODE_.*\n)*$/,
    );
    await end(pool);
    await assert.rejects(pool.reEncode(bytes, null), /closed/);
  });

  for (const [what, times] of [
    ['wall time', { ...PATIENT, wallMsMax: 1 }],
    ['CPU time', { ...PATIENT, cpuMsMax: 1 }],
  ] as const) {
    it(`a process that takes more ${what} than allowed is killed, and the next image gets a new process`, async () => {
      const bytes = await makeCorneredPng(400, 300);
      // The start of the process alone takes longer than this limit.
      const pool = new DecoderPool(times);
      const result = await pool.reEncode(bytes, null);
      assert.deepEqual(result, {
        kind: 'unreadable',
        detail: 'The image takes too long to decode.',
      });
      await waitUntil(() => childrenOf(process.pid).length === 0);
      const patient = new DecoderPool(PATIENT);
      assert.equal((await patient.reEncode(bytes, null)).kind, 'picture');
      await end(patient);
      await end(pool);
    });
  }

  it('an image does not take too long because all processes were paused meanwhile', async () => {
    const bytes = await makeCorneredPng(400, 300);
    const pool = new DecoderPool({ ...PATIENT, wallMsMax: 4_000 });
    const decoding = pool.reEncode(bytes, null);
    await new Promise((resolve) => setImmediate(resolve));
    for (const child of childrenOf(process.pid)) process.kill(child, 'SIGSTOP');
    pauseProcess(4_500);
    for (const child of childrenOf(process.pid)) process.kill(child, 'SIGCONT');
    assert.equal((await decoding).kind, 'picture');
    await end(pool);
    await untilRecovered();
  });

  it('a process that was killed is reported, and the next image gets a new process', async () => {
    const bytes = await makeCorneredPng(400, 300);
    const pool = new DecoderPool(PATIENT);
    const lost = assert.rejects(
      pool.reEncode(bytes, null),
      /the decoder replied: ended with SIGKILL/,
    );
    const [pid] = childrenOf(process.pid);
    process.kill(pid ?? 0, 'SIGKILL');
    await lost;
    assert.equal((await pool.reEncode(bytes, null)).kind, 'picture');
    await end(pool);
  });

  it('an idle process is ended', async () => {
    const pool = new DecoderPool({ ...PATIENT, idleMs: 1 });
    await pool.reEncode(await makeCorneredPng(400, 300), null);
    await waitUntil(() => childrenOf(process.pid).length === 0);
    pool.close();
  });

  it('the decoder process does not keep the service running, and ends with it', async () => {
    const program = `
      import { DecoderPool } from '${new URL('decoder-pool.ts', import.meta.url).href}';
      await new DecoderPool().drawJpeg('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>');
      console.log(process.pid);`;
    const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = once(child, 'exit');
    await once(child.stdout, 'data');
    const decoders = childrenOf(child.pid ?? 0);
    assert.deepEqual(await ended, [0, null]);
    const isAlive = (pid: number): boolean => childrenOf(1).includes(pid);
    // The processes must end earlier than the idle timeout would end them.
    await waitUntil(() => !decoders.some(isAlive), 20_000);
  });
});
