import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { Clock } from '../base/clock.ts';
import { announce } from '../database/channel.ts';
import type { Database } from '../database/database.ts';
import type { Engine } from '../database/engine.ts';
import { restoreSnapshot, takeSnapshot } from '../database/snapshot.ts';
import { beginNewEpoch, findNewestEpoch } from '../inventory/restored.ts';
import { FolderStore } from '../pictures/folder-store.ts';
import type { PictureStore } from '../pictures/picture-store.ts';
import type { NoticeSender } from '../webhooks/attempt.ts';
import { FIXED_SHOPS } from './fixed.ts';
import { drawPhotos, uploadPhotos } from './photos.ts';
import { seed } from './seed.ts';
import { makeStock, type Stock } from './stock.ts';
import type { TemporaryDatabase } from './temporary-database.ts';

/** What a service of the emulator is started with. */
export interface ServiceTerms {
  readonly publicUrl: string;
  readonly clock: Clock;
  readonly store: {
    readonly engine: Engine;
    readonly db: Database;
    readonly secretKey: string;
  };
  readonly pictures: PictureStore;
  readonly notices: NoticeTerms;
}

export interface NoticeTerms {
  /** While it is true none is begun. */
  readonly isHeld: () => boolean;
  readonly wrapSender: (sender: NoticeSender) => NoticeSender;
}

export interface RunningService {
  /** Where it listens. */
  readonly url: string;
  readonly whenReady: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Starts the whole service on what it is given: it is handed in, because it stands above every room. */
export type StartService = (terms: ServiceTerms) => Promise<RunningService>;

export interface BackendOptions extends Pick<ServiceTerms, 'publicUrl' | 'clock' | 'notices'> {
  /** Empty and migrated; stays its owner's to close, after the service. */
  readonly database: Promise<TemporaryDatabase>;
  readonly startService: StartService;
  readonly units: number;
  readonly redirectUris: readonly string[];
}

/** Random bytes of the secret that keys are derived from; nothing outlives the process. */
const SECRET_KEY_BYTES = 32;

/** The service with its seeded database. */
export interface Backend extends AsyncDisposable {
  readonly db: Database;
  readonly clock: Clock;
  readonly publicUrl: string;
  readonly secretKey: string;
  readonly stock: Stock;
  /** Where the service listens. */
  readonly url: string;
  /**
   * Everything as it was when the service had started. Cursors of before are of another epoch, so that none of them can
   * mean something else now.
   */
  restore(): Promise<void>;
}

/** Seeds the database and starts the service on it. */
export async function openBackend(options: BackendOptions): Promise<Backend> {
  const { clock, publicUrl, notices, startService, units, redirectUris } = options;
  await using stack = new AsyncDisposableStack();
  // While the database server starts.
  const stock = makeStock(units, clock.now());
  const photos = drawPhotos(stock);
  const database = await options.database;
  const { engine, db } = database;
  await seed(database, clock, stock, { redirectUris });
  const secretKey = randomBytes(SECRET_KEY_BYTES).toString('base64url');
  const pictures = new LastingPictures(join(database.folder, 'photos'));
  const store = { engine, db, secretKey };
  const service = await startService({ publicUrl, clock, store, pictures, notices });
  stack.defer(async () => await service.close());
  await Promise.all([uploadPhotos(service.url, await photos), service.whenReady()]);
  await takeSnapshot(engine);
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
      await db.transaction(async (tx) => {
        await beginNewEpoch(tx, clock.now(), lastEpoch);
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

/** A reset shows photos again that were replaced since. Their folder is removed with the emulator. */
class LastingPictures extends FolderStore {
  override async remove(): Promise<void> {}
}
