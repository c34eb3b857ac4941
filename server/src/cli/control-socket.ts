import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';

/** Longest path of a Unix socket that every system takes (macOS: 104 bytes with the final NUL). */
const SOCKET_PATH_BYTES_MAX = 103;

/** Where to bind or connect; good until it is disposed. */
export interface SocketAddress extends Disposable {
  readonly address: string;
}

/** The file of the socket in the embedded folder on which a running service takes commands. */
export function controlSocketFile(folder: string): string {
  return join(folder, 'control.sock');
}

/**
 * The address of a folder's socket. A folder with a long name is reached through its descriptor (Linux), because the
 * address of a socket is short. Dispose it when the socket is connected, or closed.
 */
export function openSocketAddress(folder: string): SocketAddress {
  const address = controlSocketFile(folder);
  if (Buffer.byteLength(address) <= SOCKET_PATH_BYTES_MAX || process.platform !== 'linux') {
    return { address, [Symbol.dispose]: () => undefined };
  }
  const descriptor = openSync(folder, 'r');
  return {
    address: `/proc/self/fd/${descriptor}/control.sock`,
    [Symbol.dispose]: () => closeSync(descriptor),
  };
}
