import { spawnSync } from 'node:child_process';
import { rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from './cardport.ts';

/** A file system of a few megabytes. */
export interface SmallDisk extends Disposable {
  readonly path: string;
  /** Writes or rewrites a file so that this many bytes remain free. */
  fill(leftBytes: number): void;
  /** Removes the file that `fill` wrote. */
  empty(): void;
}

/**
 * Mounts a file system in memory. Returns null if the user may not mount, as in a restricted
 * container.
 */
export function mountSmallDisk(megabytes: number): SmallDisk | null {
  const folder = temporaryFolder();
  const { path } = folder;
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', path]);
  if (mounted.status !== 0) {
    folder[Symbol.dispose]();
    return null;
  }
  const ballast = join(path, 'ballast');
  const empty = (): void => rmSync(ballast, { force: true });
  return {
    path,
    fill: (leftBytes) => {
      empty();
      const { bavail, bsize } = statfsSync(path);
      writeFileSync(ballast, Buffer.alloc(Math.max(bavail * bsize - leftBytes, 0)));
    },
    empty,
    [Symbol.dispose]: () => {
      // Unmount lazily, because a killed database may still be shutting down on the file system.
      spawnSync('umount', ['-l', path]);
      folder[Symbol.dispose]();
    },
  };
}
