import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { Clock } from '../base/clock.ts';
import { announce } from '../database/channel.ts';
import type { Database } from '../database/database.ts';
import type { Engine } from '../database/engine.ts';
import { restoreSnapshot, takeSnapshot } from '../database/snapshot.ts';
import { startNewEpoch, findNewestEpoch } from '../inventory/feed-epoch.ts';
import { FolderStore } from '../images/folder-store.ts';
import { type ImageKey, type ImageStore, StoreUnavailable } from '../images/image-store.ts';
import type { WebhookSender } from '../webhooks/attempt.ts';
import { FIXED_SHOPS } from './credentials.ts';
import { seed } from './seed.ts';
import { makeStock, type Stock, KNOWN_IDS } from './stock.ts';
import type { TemporaryDatabase } from './temporary-database.ts';
import { drawBack, drawFront } from '../demo/drawing.ts';
import { type DemoPhoto, uploadPhoto } from '../demo/photos.ts';
import { DecoderPool } from '../images/decoder-pool.ts';

export interface EmulatedServiceOptions {
  readonly publicUrl: string;
  readonly clock: Clock;
  readonly store: {
    readonly engine: Engine;
    readonly db: Database;
    readonly secretKey: string;
  };
  readonly images: ImageStore;
  readonly notices: DeliveryInterceptors;
}

export interface DeliveryInterceptors {
  /** No delivery starts while this function returns true. */
  readonly isHeld: () => boolean;
  readonly wrapSender: (sender: WebhookSender) => WebhookSender;
}

export interface RunningService {
  readonly url: string;
  readonly whenReady: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Starts the complete service. Passed as an argument, because it depends on every module. */
export type StartService = (terms: EmulatedServiceOptions) => Promise<RunningService>;

export interface BackendOptions extends Pick<
  EmulatedServiceOptions,
  'publicUrl' | 'clock' | 'notices'
> {
  /** An empty, migrated database, which the caller closes after the service. */
  readonly database: Promise<TemporaryDatabase>;
  readonly startService: StartService;
  readonly units: number;
  readonly redirectUris: readonly string[];
}

/** The secret key is random, because no data outlives the process. */
const SECRET_KEY_BYTES = 32;

export interface Backend extends AsyncDisposable {
  readonly db: Database;
  readonly clock: Clock;
  readonly publicUrl: string;
  readonly secretKey: string;
  readonly stock: Stock;
  /** The URL of the service without the proxy. */
  readonly url: string;
  /** Restores the initial state and begins a new epoch, so that earlier cursors expire. */
  restore(): Promise<void>;
}

export async function openBackend(options: BackendOptions): Promise<Backend> {
  const { clock, publicUrl, notices, startService, units, redirectUris } = options;
  await using stack = new AsyncDisposableStack();
  // Do this before awaiting the database, while its server starts.
  const stock = makeStock(units, clock.now());
  const photos = drawPhotos(stock);
  const database = await options.database;
  const { engine, db } = database;
  await seed(database, clock, stock, { redirectUris });
  const secretKey = randomBytes(SECRET_KEY_BYTES).toString('base64url');
  const images = new ResettableFolderStore(join(database.folder, 'photos'));
  const store = { engine, db, secretKey };
  const service = await startService({ publicUrl, clock, store, images, notices });
  stack.defer(async () => await service.close());
  await Promise.all([uploadPhotos(service.url, await photos), service.whenReady()]);
  await takeSnapshot(engine);
  images.checkpoint();
  const running = stack.move();
  return {
    db,
    clock,
    publicUrl,
    secretKey,
    stock,
    url: service.url,
    restore: async () => {
      const lastEpoch = await findNewestEpoch(db);
      await restoreSnapshot(engine);
      await images.restore();
      await db.transaction(async (tx) => {
        await startNewEpoch(tx, clock.now(), lastEpoch);
        for (const { id } of FIXED_SHOPS) {
          for (const topic of ['access', 'boosts', 'stock', 'webhooks'] as const) {
            await announce(tx, topic, id);
          }
        }
      });
    },
    [Symbol.asyncDispose]: async () => await running.disposeAsync(),
  };
}

/** The maximum size of stored images, about 500 photos in both sizes. It protects the disk. */
const PICTURE_BYTES_MAX = 256 * 1024 * 1024;

/**
 * Stores images until the emulator ends. A reset removes the images stored after `checkpoint`. No
 * other image is ever removed, because a reset must be able to show replaced photos again.
 */
class ResettableFolderStore extends FolderStore {
  #bytes = 0;
  #added: { readonly key: ImageKey; readonly bytes: number }[] = [];

  /** Makes the current content the state to which `restore` returns. */
  checkpoint(): void {
    this.#added = [];
  }

  async restore(): Promise<void> {
    for (const { key, bytes } of this.#added.splice(0)) {
      await super.remove(key);
      this.#bytes -= bytes;
    }
  }

  override async write(key: ImageKey, bytes: Uint8Array): Promise<void> {
    if (this.#bytes + bytes.length > PICTURE_BYTES_MAX) {
      throw new StoreUnavailable(
        'the emulator cannot store more photos; reset it with POST /emulator/reset',
      );
    }
    this.#bytes += bytes.length;
    this.#added.push({ key, bytes: bytes.length });
    await super.write(key, bytes);
  }

  override async remove(): Promise<void> {}
}

type RenderedPhoto = Pick<DemoPhoto, 'unitId' | 'side'> & { readonly jpeg: Buffer };

/** Draws both sides of a slab, and the front of another unit. */
async function drawPhotos({ card }: Stock): Promise<readonly RenderedPhoto[]> {
  const slab = { card, isSlab: true };
  const unitId = KNOWN_IDS.unitWithPhotos;
  const photos: readonly DemoPhoto[] = [
    { unitId, side: 'front', svg: drawFront(slab) },
    { unitId, side: 'back', svg: drawBack(slab) },
    { unitId: KNOWN_IDS.unitReserved, side: 'front', svg: drawFront({ card, isSlab: false }) },
  ];
  const decoders = new DecoderPool();
  try {
    const rendered: RenderedPhoto[] = [];
    for (const photo of photos) {
      rendered.push({ ...photo, jpeg: await decoders.drawJpeg(photo.svg) });
    }
    return rendered;
  } finally {
    decoders.close();
  }
}

async function uploadPhotos(url: string, photos: readonly RenderedPhoto[]): Promise<void> {
  const { shopKey } = FIXED_SHOPS[0];
  await Promise.all(
    photos.map(async (photo) => await uploadPhoto({ url, shopKey }, photo, photo.jpeg)),
  );
}
