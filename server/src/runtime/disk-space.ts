import { statfs } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import type { Config } from '../config/config.ts';
import type { Metrics } from '../http/metrics.ts';

/** An hour of a shop's writes needs several of PostgreSQL's 16 MB WAL segments. */
const FREE_BYTES_MIN = 100_000_000;
/** A network folder may not respond. After this time, the last known value is used. */
const READ_TIMEOUT_MS = 500;

export class DiskSpace {
  readonly #folders: readonly WatchedFolder[];

  constructor({ store, photoStore }: Pick<Config, 'store' | 'photoStore'>) {
    this.#folders = [
      ...(store.kind === 'packaged' ? [new WatchedFolder('data', 'DATA_DIR', store.folder)] : []),
      ...(photoStore.kind === 'folder'
        ? [new WatchedFolder('photos', 'PHOTO_STORE', photoStore.path)]
        : []),
    ];
  }

  async findProblems(): Promise<readonly string[]> {
    const refreshes = Promise.all(this.#folders.map(async (folder) => await folder.refresh()));
    await Promise.race([refreshes, wait(READ_TIMEOUT_MS, undefined, { ref: false })]);
    return this.#folders
      .filter(({ bytes }) => bytes < FREE_BYTES_MIN)
      .map(({ setting, bytes }) => {
        return `only ${Math.floor(bytes / 1_000_000)} MB free in ${setting}`;
      });
  }

  addGauge(metrics: Metrics): void {
    const help = 'Free bytes in the file system of a folder: DATA_DIR, PHOTO_STORE.';
    metrics.addLabelledGauge('cardport_folder_free_bytes', help, ['folder'], () =>
      this.#folders.map((folder) => {
        void folder.refresh();
        return { labels: { folder: folder.label }, value: folder.bytes };
      }),
    );
  }
}

class WatchedFolder {
  readonly label: 'data' | 'photos';
  readonly setting: string;
  readonly #path: string;
  #bytes = Number.NaN;
  #refreshing: Promise<void> | null = null;

  constructor(label: WatchedFolder['label'], setting: string, path: string) {
    this.label = label;
    this.setting = setting;
    this.#path = path;
    void this.refresh();
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Waits for the read in progress instead of starting another: a network folder may hang. */
  async refresh(): Promise<void> {
    this.#refreshing ??= this.#read().finally(() => {
      this.#refreshing = null;
    });
    await this.#refreshing;
  }

  async #read(): Promise<void> {
    try {
      const { bavail, bsize } = await statfs(this.#path);
      this.#bytes = bavail * bsize;
    } catch {
      this.#bytes = Number.NaN;
    }
  }
}
