import { connect, createServer, type Socket } from 'node:net';

/** A TCP proxy that can stop forwarding without closing connections, like a lost network. */
export interface FrozenWire extends AsyncDisposable {
  readonly port: number;
  /** From now on nothing is forwarded in either direction. */
  freeze(): void;
  thaw(): void;
  /** Closes every connection, and each new one at once, like a server that is gone. */
  cut(): void;
  mend(): void;
  /** Open client connections. While frozen, a closed one is noticed only after thawing. */
  connections(): number;
}

/** Opens a proxy to a port of 127.0.0.1. */
export async function openFrozenWire(targetPort: number): Promise<FrozenWire> {
  const sockets = new Set<Socket>();
  let isFrozen = false;
  let isCut = false;
  const server = createServer((near) => {
    if (isCut) {
      near.destroy();
      return;
    }
    const far = connect(targetPort, '127.0.0.1');
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.on('data', (chunk) => to.write(chunk));
      from.on('end', () => to.end());
      from.on('error', () => to.destroy());
      from.on('close', () => sockets.delete(from));
      if (isFrozen) from.pause();
    }
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    port: address.port,
    freeze: (): void => {
      isFrozen = true;
      for (const socket of sockets) socket.pause();
    },
    thaw: (): void => {
      isFrozen = false;
      for (const socket of sockets) socket.resume();
    },
    cut: (): void => {
      isCut = true;
      for (const socket of sockets) socket.destroy();
    },
    mend: (): void => {
      isCut = false;
    },
    connections: (): number => sockets.size / 2,
    [Symbol.asyncDispose]: async (): Promise<void> => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
