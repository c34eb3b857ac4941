import { createServer, type Socket } from 'node:net';

/** How a fake server treats a client after the startup message. */
export type FakeBehavior =
  /** Never responds. */
  | 'silent'
  /** Accepts the client, and disconnects the client at the first query. */
  | 'drops'
  /**
   * Accepts the client without reporting whether the session is read-only, as a pooler may, and
   * never answers a query.
   */
  | 'hangs'
  /** Refuses the client with 08P01, as PgBouncer does while its server is down. */
  | 'pooler_alone';

/** A server that implements just enough of PostgreSQL's protocol to fail in one way. */
export interface FakePostgresql extends AsyncDisposable {
  readonly port: number;
  /** Returns the number of clients that have connected. */
  connections(): number;
}

/** Listens on a free port of 127.0.0.1. */
export async function startFakePostgresql(behavior: FakeBehavior): Promise<FakePostgresql> {
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('error', () => undefined);
    let isAccepted = false;
    socket.on('data', () => {
      if (behavior === 'silent') return;
      if (isAccepted) {
        if (behavior === 'drops') socket.destroy();
        return;
      }
      isAccepted = true;
      if (behavior === 'pooler_alone') {
        socket.end(message('E', 'SFATAL\0VFATAL\0C08P01\0Mserver login has been failing\0\0'));
        return;
      }
      const status = behavior === 'drops' ? message('S', 'in_hot_standby\0off\0') : Buffer.alloc(0);
      socket.write(Buffer.concat([message('R', '\0\0\0\0'), status, message('Z', 'I')]));
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    port: address.port,
    connections: () => connections,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Encodes a message: the type, the length including the length field, and the body. */
function message(type: string, body: string): Buffer {
  const head = Buffer.alloc(5);
  head.write(type);
  head.writeInt32BE(Buffer.byteLength(body) + 4, 1);
  return Buffer.concat([head, Buffer.from(body)]);
}
