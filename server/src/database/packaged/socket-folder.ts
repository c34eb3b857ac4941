import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { ClusterUnusable } from './cluster.ts';

/** The longest socket address that every system accepts (macOS: 104 bytes with the final NUL). */
const ADDRESS_BYTES_MAX = 103;
const LONGEST_SOCKET_NAME = '/.s.PGSQL.65535';

/** A path of the socket's folder that is short enough for a socket address. */
export interface SocketFolder {
  readonly path: string;
  close(): void;
}

/** @throws ClusterUnusable when the path is too long on this system. */
export function openSocketFolder(folder: string): SocketFolder {
  const path = join(folder, 'data');
  if (Buffer.byteLength(path + LONGEST_SOCKET_NAME) <= ADDRESS_BYTES_MAX) {
    return { path, close: () => undefined };
  }
  if (process.platform !== 'linux') {
    throw new ClusterUnusable(
      folder,
      'the path is too long for a socket: choose a shorter DATA_DIR',
    );
  }
  // Linux also resolves a folder through an open file descriptor.
  const descriptor = openSync(folder, 'r');
  return { path: `/proc/self/fd/${descriptor}/data`, close: () => closeSync(descriptor) };
}
