import assert from 'node:assert/strict';
import { chmod, mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { changeEnvironment } from '../../test/changed-environment.ts';
import { startS3Server, useS3Credentials } from '../../test/s3-server.ts';
import { waitUntil } from '../../test/wait-until.ts';
import { newId } from '../base/secrets.ts';
import { FolderStore } from './folder-store.ts';
import { OPEN_READS_MAX, ReadLimiter } from './read-limiter.ts';
import { openImageStore } from './open-image-store.ts';
import {
  pathOfKey,
  type ImageKey,
  type ImageStore,
  StoreUnavailable,
  StoreUnusable,
} from './image-store.ts';
import { openS3Store } from './s3-store.ts';

interface OpenedStore extends AsyncDisposable {
  readonly store: ImageStore;
  readonly makeUnavailable: () => Promise<void>;
}

async function openFolder(): Promise<OpenedStore> {
  const folder = await mkdtemp(join(tmpdir(), 'cardport-photos-'));
  const path = join(folder, 'not', 'there', 'yet');
  return {
    store: await openImageStore({ kind: 'folder', path }),
    // Replace the folder with a file. Removing permissions would not stop root.
    makeUnavailable: async () => {
      await rm(join(folder, 'not'), { recursive: true });
      await writeFile(join(folder, 'not'), '');
    },
    [Symbol.asyncDispose]: async () => await rm(folder, { recursive: true, force: true }),
  };
}

async function openBucket(): Promise<OpenedStore> {
  const server = await startS3Server();
  const store = await openImageStore(server.settings);
  return {
    store,
    makeUnavailable: async () => await server.stop(),
    [Symbol.asyncDispose]: async () => {
      await store.close();
      await server[Symbol.asyncDispose]();
    },
  };
}

function newKey(size: ImageKey['size'] = 'large'): ImageKey {
  return { shopId: newId(), pictureId: newId(), size };
}

async function read(store: ImageStore, key: ImageKey): Promise<Buffer | undefined> {
  const opened = await store.open(key);
  if (opened === undefined) return undefined;
  const bytes = await buffer(opened.stream);
  assert.equal(opened.length, bytes.length);
  return bytes;
}

for (const [name, open] of [
  ['a folder', openFolder],
  ['S3', openBucket],
] as const) {
  describe(`an image store: ${name}`, () => {
    it('a store returns the exact bytes of an image until it is removed', async () => {
      await using opened = await open();
      const { store } = opened;
      const [large, small] = [newKey(), newKey('small')];
      const bytes = Buffer.alloc(700_000, 'cards');
      await store.write(large, bytes, 'image/jpeg');
      await store.write(small, Buffer.from('s'), 'image/webp');
      assert.deepEqual(await read(store, large), bytes);
      assert.deepEqual(await read(store, small), Buffer.from('s'));
      assert.equal(await store.lengthOf(large), bytes.length);
      assert.equal(await store.lengthOf(newKey()), undefined);
      assert.equal(await read(store, { ...large, size: 'small' }), undefined);
      await store.remove(large);
      await store.remove(large);
      await store.remove(newKey());
      assert.equal(await read(store, large), undefined);
      assert.equal(await store.lengthOf(large), undefined);
      assert.deepEqual(await read(store, small), Buffer.from('s'));
      assert.equal(store.openReads, 0);
    });

    it('the check of a store says why it is unusable', async () => {
      await using opened = await open();
      const { store, makeUnavailable } = opened;
      await store.check();
      await store.check();
      await makeUnavailable();
      await assert.rejects(store.check(), (error: Error) => error.message !== '');
    });

    it('a read of an image is completed even if the image is removed during the read', async () => {
      await using opened = await open();
      const { store } = opened;
      const key = newKey();
      const bytes = Buffer.alloc(1_000_000, 'x');
      await store.write(key, bytes, 'image/jpeg');
      const reading = await store.open(key);
      assert.ok(reading);
      await store.remove(key);
      assert.equal((await buffer(reading.stream)).length, bytes.length);
    });

    it('a read is counted until it ends or is abandoned', async () => {
      await using opened = await open();
      const { store } = opened;
      const key = newKey();
      await store.write(key, Buffer.alloc(1_000_000), 'image/jpeg');
      const readings = await Promise.all([store.open(key), store.open(key), store.open(key)]);
      assert.equal(store.openReads, 3);
      for (const reading of readings) reading?.stream.destroy();
      await waitUntil(() => store.openReads === 0);
    });

    it('every operation throws StoreUnavailable during an outage', async () => {
      await using opened = await open();
      const { store, makeUnavailable } = opened;
      const key = newKey();
      await store.write(key, Buffer.from('x'), 'image/jpeg');
      await makeUnavailable();
      await assert.rejects(store.write(newKey(), Buffer.from('x'), 'image/jpeg'), StoreUnavailable);
      await assert.rejects(store.open(key), StoreUnavailable);
      await assert.rejects(store.lengthOf(key), StoreUnavailable);
      await assert.rejects(store.remove(key), StoreUnavailable);
      assert.equal(store.openReads, 0);
    });
  });
}

describe('the image folder', () => {
  it('the image folder contains only complete files, readable by their owner only', async () => {
    await using opened = await openFolderAt();
    const { folder, store } = opened;
    const key = newKey();
    await store.write(key, Buffer.from('whole'), 'image/jpeg');
    const path = join(folder, 'photos', pathOfKey(key));
    assert.equal((await stat(path)).mode & 0o777, 0o600);
    for (const made of [
      join(folder, 'photos'),
      join(folder, 'photos', key.shopId),
      join(path, '..'),
    ]) {
      assert.equal((await stat(made)).mode & 0o777, 0o700, made);
    }
    assert.deepEqual(await readdir(join(path, '..')), [`${key.pictureId}-large`]);
    // A crash between writing and renaming leaves this file, which `remove` deletes too.
    await writeFile(`${path}.new`, 'half');
    await store.remove(key);
    assert.deepEqual(await readdir(join(path, '..')), []);
  });

  it('the image folder contains no file after a failed write', async () => {
    await using opened = await openFolderAt();
    const { folder, store } = opened;
    const key = newKey();
    const path = join(folder, 'photos', pathOfKey(key));
    // A folder with the name of the file makes only the last step fail, which is the rename.
    await mkdir(join(path, 'in the way'), { recursive: true });
    await assert.rejects(store.write(key, Buffer.from('half'), 'image/jpeg'), StoreUnavailable);
    assert.deepEqual(await readdir(join(path, '..')), [`${key.pictureId}-large`]);
  });

  it('the image folder is not created before the first image', async () => {
    await using opened = await openFolderAt();
    assert.equal(await opened.store.open(newKey()), undefined);
    await opened.store.remove(newKey());
    assert.deepEqual(await readdir(opened.folder), []);
  });

  it('the check creates the image folder, and leaves nothing in it', async () => {
    await using opened = await openFolderAt();
    await opened.store.check();
    assert.deepEqual(await readdir(opened.folder, { recursive: true }), ['photos']);
    assert.equal((await stat(join(opened.folder, 'photos'))).mode & 0o777, 0o700);
  });

  it('a folder that cannot be created is unusable, and the error has the path and the reason', async () => {
    await using opened = await openFolderAt();
    const path = join(opened.folder, 'file');
    await writeFile(path, '');
    for (const at of [path, join(path, 'photos')]) {
      const checking = new FolderStore(at).check();
      await assert.rejects(checking, (error) => {
        assert.ok(error instanceof StoreUnusable);
        assert.ok(error.message.startsWith(`photos cannot be stored in ${at} (PHOTO_STORE): E`));
        return true;
      });
    }
  });

  it('the image folder contains the paths of all keys', async () => {
    await using opened = await openFolderAt();
    for (const bad of ['../../../../etc/passwd', '..', '', 'x'.repeat(36), newId().toUpperCase()]) {
      await assert.rejects(
        opened.store.open({ ...newKey(), pictureId: bad }),
        /not the key of an image/,
      );
      const key = { ...newKey(), shopId: bad };
      await assert.rejects(opened.store.write(key, Buffer.from('x'), 'image/jpeg'), Error);
    }
    assert.deepEqual(await readdir(opened.folder), []);
  });
});

async function openFolderAt(): Promise<
  AsyncDisposable & { readonly folder: string; readonly store: ImageStore }
> {
  const folder = await mkdtemp(join(tmpdir(), 'cardport-photos-'));
  await chmod(folder, 0o700);
  return {
    folder,
    store: new FolderStore(join(folder, 'photos')),
    [Symbol.asyncDispose]: async () => await rm(folder, { recursive: true, force: true }),
  };
}

describe('reads from a store', () => {
  interface Reads extends AsyncDisposable {
    readonly reads: ReadLimiter;
    readonly take: (shopId: string, signal?: AbortSignal) => ReturnType<ReadLimiter['openStream']>;
  }

  /** Allows three concurrent reads in all, and two per shop. Two more per shop may wait. */
  async function openReads(waitMsMax = 60_000): Promise<Reads> {
    const opened = await openFolder();
    const key = newKey();
    await opened.store.write(key, Buffer.alloc(200_000), 'image/jpeg');
    const reads = new ReadLimiter({ openMax: 3, openPerShopMax: 2, waitingMax: 2, waitMsMax });
    return {
      reads,
      take: async (shopId, signal) =>
        await reads.openStream(shopId, async () => await opened.store.open(key), signal),
      [Symbol.asyncDispose]: async () => await opened[Symbol.asyncDispose](),
    };
  }

  it('reads wait for a slot, and are refused immediately if too many wait', async () => {
    await using opened = await openReads();
    const { reads, take } = opened;
    const [first, second] = [await take('a'), await take('a')];
    const [third, fourth] = [take('a'), take('a')];
    await assert.rejects(take('a'), StoreUnavailable);
    const other = await take('b');
    const stranger = take('c');
    assert.deepEqual([reads.count, reads.waiting], [3, 3]);
    // The other shop's read was the first to wait for a slot of the store.
    first?.stream.destroy();
    (await stranger)?.stream.destroy();
    const done = await third;
    assert.deepEqual([reads.count, reads.waiting], [3, 1]);
    for (const each of [second, done, other]) each?.stream.destroy();
    (await fourth)?.stream.destroy();
    await waitUntil(() => reads.count === 0);
    await waitUntil(() => reads.waiting === 0);
    assert.ok(OPEN_READS_MAX < 1_024, 'the soft limit of descriptors of many machines');
  });

  it('reads are refused after the maximum wait', async () => {
    await using opened = await openReads(20);
    const { reads, take } = opened;
    const open = [await take('a'), await take('a')];
    await assert.rejects(take('a'), /too many images are being read/);
    await waitUntil(() => reads.waiting === 0);
    assert.equal(reads.count, 2);
    for (const each of open) each?.stream.destroy();
  });

  it('a read releases its slot once if the image is read, abandoned, failing or missing', async () => {
    await using opened = await openReads();
    const { reads, take } = opened;
    const missing = await reads.openStream('a', async () => await Promise.resolve(undefined));
    assert.equal(missing, undefined);
    const fault = new Error('on purpose');
    await assert.rejects(
      reads.openStream('a', async () => await Promise.reject(fault)),
      fault,
    );
    const broken = new Readable({ read: () => broken.destroy(fault) });
    await assert.rejects(
      reads.openStream('a', async () => await Promise.resolve({ stream: broken, length: 1 })),
      StoreUnavailable,
    );
    const [whole, givenUp] = [await take('a'), await take('a')];
    if (whole !== undefined) await buffer(whole.stream);
    givenUp?.stream.destroy();
    givenUp?.stream.destroy();
    await waitUntil(() => reads.count === 0);
    const again = [await take('a'), await take('a')];
    assert.equal(reads.count, 2);
    for (const each of again) each?.stream.destroy();
    await waitUntil(() => reads.count === 0);
  });

  it('a waiting read is removed if the client disconnects, and no image is opened', async () => {
    await using opened = await openReads();
    const { reads, take } = opened;
    const open = [await take('a'), await take('a')];
    const reader = new AbortController();
    const waiting = take('a', reader.signal);
    reader.abort();
    await assert.rejects(waiting, /the reader closed the connection/);
    await waitUntil(() => reads.waiting === 0);
    for (const each of open) each?.stream.destroy();
    await waitUntil(() => reads.count === 0);
    const late = new AbortController();
    let stream: Readable | undefined;
    const opening = reads.openStream(
      'a',
      async () => {
        late.abort();
        stream = Readable.from(['x']);
        return await Promise.resolve({ stream, length: 1 });
      },
      late.signal,
    );
    await assert.rejects(opening, /the reader closed the connection/);
    assert.equal(stream?.destroyed, true);
    await waitUntil(() => reads.count === 0);
  });
});

/** Starts a server that accepts connections and never responds. */
async function startSilence(): Promise<
  AsyncDisposable & { readonly endpoint: string; readonly sockets: () => number }
> {
  let count = 0;
  const server: Server = createServer((socket) => {
    count += 1;
    socket.resume().on('error', () => socket.destroy());
    socket.on('close', () => (count -= 1));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    endpoint: `http://127.0.0.1:${address.port}`,
    sockets: () => count,
    [Symbol.asyncDispose]: async () => void server.close(),
  };
}

describe('a bucket without a known region', () => {
  it('a bucket without a known region is refused with a message that says what to do', async () => {
    const bucket = { kind: 's3', bucket: 'cards', prefix: '', endpoint: null } as const;
    // Disable the other sources in which the SDK looks for a region.
    using _environment = changeEnvironment({
      AWS_REGION: undefined,
      AWS_CONFIG_FILE: '/dev/null',
      AWS_SHARED_CREDENTIALS_FILE: '/dev/null',
    });
    const opening = openImageStore({ ...bucket, region: null, isPathStyle: false });
    await assert.rejects(opening, /add \?region=… or set AWS_REGION/);
    const opened = await openImageStore({ ...bucket, region: 'eu-west-1', isPathStyle: false });
    await opened.close();
  });
});

describe('a bucket that does not respond', () => {
  it('a request to a bucket that does not respond times out, and its connections are closed', async () => {
    using _credentials = useS3Credentials();
    await using silence = await startSilence();
    const { endpoint } = silence;
    const bucket = { kind: 's3', bucket: 'cards', prefix: '', region: null, endpoint } as const;
    const waits = { connectMs: 100, responseMs: 100, callMs: 1_000 };
    const store = await openS3Store({ ...bucket, isPathStyle: true }, waits);
    await assert.rejects(store.open(newKey()), StoreUnavailable);
    await assert.rejects(
      store.write(newKey(), Buffer.alloc(100_000), 'image/jpeg'),
      StoreUnavailable,
    );
    await waitUntil(() => silence.sockets() === 0);
    await store.close();
  });
});
