import { connect, createServer, type Socket } from 'node:net';

/** A TCP proxy that can stop forwarding without closing connections, like a lost network. */
export interface TcpProxy extends AsyncDisposable {
  readonly port: number;
  /** Stops forwarding in both directions. */
  freeze(): void;
  thaw(): void;
  /**
   * Closes every connection, and each new connection immediately, like a server that has stopped.
   */
  disconnect(): void;
  reconnect(): void;
  /**
   * Returns the number of open client connections. While forwarding is stopped, the proxy does not
   * notice a closed connection.
   */
  connections(): number;
}

/** Opens a proxy to a port of 127.0.0.1. */
export async function openTcpProxy(targetPort: number): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  let isFrozen = false;
  let isDisconnected = false;
  const server = createServer((client) => {
    if (isDisconnected) {
      client.destroy();
      return;
    }
    const upstream = connect(targetPort, '127.0.0.1');
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
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
    disconnect: (): void => {
      isDisconnected = true;
      for (const socket of sockets) socket.destroy();
    },
    reconnect: (): void => {
      isDisconnected = false;
    },
    connections: (): number => sockets.size / 2,
    [Symbol.asyncDispose]: async (): Promise<void> => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
