import { randomBytes } from 'node:crypto';
import type { Clock } from '../base/clock.ts';
import type { Database } from '../database/database.ts';
import { migrate } from '../database/migrate.ts';
import { openDatabase } from '../database/open-database.ts';
import { type PgliteEngine, pgliteEngine } from '../database/pglite-engine.ts';
import type { PictureStore } from '../pictures/picture-store.ts';
import type { NoticeSender } from '../webhooks/attempt.ts';
import { MemoryPictures } from './memory-pictures.ts';
import { uploadPhotos } from './photos.ts';
import { seed } from './seed.ts';
import { makeStock, type Stock } from './stock.ts';

/** What a service of the emulator is started with. */
export interface ServiceTerms {
  readonly publicUrl: string;
  readonly clock: Clock;
  readonly store: {
    readonly engine: PgliteEngine;
    readonly db: Database;
    readonly secretKey: string;
  };
  readonly pictures: PictureStore;
  readonly notices: NoticeTerms;
}

/** How notices are sent. */
export interface NoticeTerms {
  /** While it is true none is begun. */
  readonly isHeld: () => boolean;
  readonly wrapSender: (sender: NoticeSender) => NoticeSender;
}

/** A service that runs. */
export interface RunningService {
  /** Where it listens. */
  readonly url: string;
  readonly whenReady: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Starts the whole service on what it is given: it is handed in, because it stands above every room. */
export type StartService = (terms: ServiceTerms) => Promise<RunningService>;

export interface BackendOptions extends Pick<ServiceTerms, 'publicUrl' | 'clock' | 'notices'> {
  readonly startService: StartService;
  readonly units: number;
  readonly redirectUris: readonly string[];
  /** The engine has ended by itself: the process must end too. */
  readonly onDeath: (error: Error) => void;
  readonly onFault: (error: Error) => void;
}

/** Random bytes of the secret that keys are derived from; nothing outlives the process. */
const SECRET_KEY_BYTES = 32;

/** A service of its own with a database in memory, seeded. Closing it loses everything. */
export class Backend implements AsyncDisposable {
  readonly db: Database;
  readonly clock: Clock;
  readonly publicUrl: string;
  readonly secretKey: string;
  readonly stock: Stock;
  readonly url: string;
  readonly #stack: AsyncDisposableStack;

  private constructor(
    { clock, publicUrl }: BackendOptions,
    { db, secretKey, stock, url, stack }: Opened,
  ) {
    this.clock = clock;
    this.publicUrl = publicUrl;
    this.db = db;
    this.secretKey = secretKey;
    this.stock = stock;
    this.url = url;
    this.#stack = stack;
  }

  /** Opens, migrates and seeds a database of its own, and starts the service on it. */
  static async open(options: BackendOptions): Promise<Backend> {
    const { clock, publicUrl, notices, startService, units, redirectUris } = options;
    await using stack = new AsyncDisposableStack();
    const engine = await pgliteEngine({ folder: null, onDeath: options.onDeath });
    stack.defer(async () => await engine.close());
    await migrate(engine);
    const db = openDatabase(engine, { onFault: options.onFault });
    stack.defer(async () => await db.close());
    const stock = makeStock(units, clock.now());
    await seed(db, clock, stock, { redirectUris });
    const secretKey = randomBytes(SECRET_KEY_BYTES).toString('base64url');
    const pictures = new MemoryPictures();
    const store = { engine, db, secretKey };
    const service = await startService({ publicUrl, clock, store, pictures, notices });
    stack.defer(async () => await service.close());
    await Promise.all([uploadPhotos(service.url, stock), service.whenReady()]);
    const opened = { db, secretKey, stock, url: service.url, stack: stack.move() };
    return new Backend(options, opened);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack.disposeAsync();
  }
}

type Opened = Pick<Backend, 'db' | 'secretKey' | 'stock' | 'url'> & {
  readonly stack: AsyncDisposableStack;
};
