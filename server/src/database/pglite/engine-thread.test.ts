import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { waitUntil } from '../../../test/wait-until.ts';
import { EngineThread } from './engine-thread.ts';
import { sessionLimits } from './session.ts';

const start = { folder: null, dump: null, limits: sessionLimits };

/** A thread that does this instead of being an engine; `tell` sends a message. */
function threadOf(program: string): EngineThread {
  const text = `import { parentPort } from 'node:worker_threads';
    const tell = (message) => parentPort.postMessage(message);
    ${program}`;
  return new EngineThread(start, new URL(`data:text/javascript,${encodeURIComponent(text)}`));
}

describe('the thread of the embedded engine', () => {
  it('that cannot begin says so and is ended, even while it spins', async () => {
    const thread = threadOf("tell({ kind: 'fault', reason: 'a full disk' }); for (;;);");
    await assert.rejects(thread.open(), /^Error: a full disk$/);
  });

  it('that ends before it is ready is not waited for', async () => {
    await assert.rejects(threadOf('process.exit(3);').open(), /its thread ended with code 3/);
    await assert.rejects(threadOf("throw new Error('no folder');").open(), /no folder/);
  });

  it('that dies later tells it once, and whoever waits for it', async () => {
    const thread = threadOf(`tell({ kind: 'ready' });
      parentPort.on('message', () => {
        for (const reason of ['first', 'second']) tell({ kind: 'fault', reason });
        for (;;);
      });`);
    const deaths: string[] = [];
    thread.onDeath = (error) => deaths.push(error.message);
    await thread.open();
    thread.say({ kind: 'dump' });
    await assert.rejects(thread.hear('dump'), /^Error: first$/);
    await waitUntil(() => deaths.length > 0);
    await thread.close();
    assert.deepEqual(deaths, ['the embedded database has ended: first']);
  });
});
