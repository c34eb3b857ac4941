// The embedded engine's own thread: PGlite, and the wire connections of the main thread's `pg` clients.
import { readFileSync } from 'node:fs';
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { MemoryFS, PGlite } from '@electric-sql/pglite';
import { makeCluster, readEmptyCluster } from './cluster.ts';
import { DurableFilesystem } from './durable-filesystem.ts';
import { queryFrame, startupFrame } from './frames.ts';
import type { FromWorker, ToWorker, WorkerStart } from './messages.ts';
import { SharedSession } from './session.ts';

/** PGlite's own parameters, but without `-F`, which switches fsync off. */
const settings = [
  'search_path=public',
  'exit_on_error=false',
  'log_checkpoints=false',
  'max_worker_processes=0',
  'max_parallel_workers=0',
  'max_parallel_workers_per_gather=0',
  'max_parallel_maintenance_workers=0',
  'io_method=sync',
];
/** `fdatasync`, the default, does nothing under Emscripten. */
const durable = ['fsync=on', 'wal_sync_method=fsync', 'max_wal_size=192MB', 'min_wal_size=48MB'];
/** In memory a cache of the files would only be a second copy of them. */
const volatile = ['fsync=off', 'shared_buffers=16MB'];

/** The status with which PostgreSQL's jump back after an ordinary error comes out of the module. */
const ERROR_JUMP = 100;

const start = workerData as WorkerStart;
const outlet = parentPort;
if (outlet === null) throw new Error('this file is a worker');
const tell = (message: FromWorker): void => outlet.postMessage(message);

const pglite = await open(start);
watchForPanic(pglite);
const execute = makeExecutor(pglite);
const session = new SharedSession(
  execute,
  execute(startupFrame('postgres', 'postgres')),
  start.limits,
);
outlet.on('message', (message: ToWorker) => {
  switch (message.kind) {
    case 'connect':
      connect(message.id, message.port);
      break;
    case 'dump':
      void dump();
      break;
    case 'close':
      void close();
      break;
  }
});
tell({ kind: 'ready' });

async function open({ folder, dump: tar }: WorkerStart): Promise<PGlite> {
  const isDurable = folder !== null;
  const startParams = ['--single', '-O', '-j'];
  for (const setting of [...settings, ...(isDurable ? durable : volatile)]) {
    startParams.push('-c', setting);
  }
  if (isDurable) {
    return await PGlite.create({
      fs: new DurableFilesystem(await makeCluster(folder)),
      startParams,
    });
  }
  const bytes = tar === null ? readEmptyCluster() : readFileSync(tar);
  const loadDataDir = new Blob([new Uint8Array(bytes)], { type: 'application/x-tar' });
  return await PGlite.create({ fs: new MemoryFS(), loadDataDir, startParams });
}

/**
 * PGlite swallows everything that comes out of the module and then calls it again. After anything but an ordinary
 * error (a full disk, a failed fsync) that would never end, so the process is told first.
 */
function watchForPanic(db: PGlite): void {
  const module = db.Module;
  const runOnce = module._PostgresMainLoopOnce;
  module._PostgresMainLoopOnce = (): void => {
    try {
      runOnce();
    } catch (error) {
      if (statusOf(error) !== ERROR_JUMP) tell({ kind: 'fault', reason: String(error) });
      throw error;
    }
  };
}

function statusOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'status' in error
    ? error.status
    : undefined;
}

/** Runs units synchronously. (`execProtocolRawSync` would also parse each answer and keep it.) */
function makeExecutor(db: PGlite): (unit: Uint8Array) => Uint8Array {
  return (unit) => {
    const parts: Uint8Array[] = [];
    // It is done when it returns: its first await comes only with `syncToFs`.
    db.execProtocolRawStream(unit, {
      syncToFs: false,
      onRawData: (bytes) => parts.push(bytes.slice()),
    }).catch((error: unknown) => tell({ kind: 'fault', reason: String(error) }));
    const only = parts.length === 1 ? parts[0] : undefined;
    return only ?? Buffer.concat(parts);
  };
}

function connect(id: number, port: MessagePort): void {
  const client = session.join(id, {
    send: (bytes) => {
      // A copy of its own: the bytes may go to several clients, or be a view of a pool.
      const own = new Uint8Array(bytes);
      port.postMessage(own, [own.buffer]);
    },
    close: () => port.close(),
  });
  port.on('message', (bytes: Uint8Array) => client.hear(bytes));
  port.on('close', () => client.leave());
}

async function dump(): Promise<void> {
  const file = await pglite.dumpDataDir('none');
  const bytes = await file.arrayBuffer();
  tell({ kind: 'dump', bytes: new Uint8Array(bytes) });
}

async function close(): Promise<void> {
  session.close();
  // PGlite's own end writes none, and the next start would replay the log.
  if (start.folder !== null) execute(queryFrame('checkpoint'));
  await pglite.close();
  tell({ kind: 'closed' });
}
