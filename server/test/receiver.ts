import { once } from 'node:events';
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { createServer, type Server, type Socket } from 'node:net';
import { newId } from '../src/base/secrets.ts';
import type { SignedRequest } from '../src/webhooks/attempt.ts';
import { renderEvent, signRequest } from '../src/webhooks/event-request.ts';
import { signingKeysOf } from '../src/webhooks/signature.ts';
import type { TestCertificate } from './certificate.ts';

/** A listener on 127.0.0.1 that counts its connections. */
export interface Listener extends AsyncDisposable {
  readonly port: number;
  /** The number of accepted connections, including closed ones. */
  readonly connections: number;
  closeConnections(): void;
}

/** Starts an HTTP receiver, or an HTTPS receiver if a certificate is passed. */
export async function startReceiver(
  answer: RequestListener,
  certificate?: TestCertificate,
): Promise<Listener> {
  const server =
    certificate === undefined
      ? createHttpServer(answer)
      : createHttpsServer({ ...certificate }, answer);
  return await listen(server);
}

/** Starts a receiver that passes each connection to `answer` when its first bytes arrive. */
export async function startRawReceiver(answer: (socket: Socket) => void): Promise<Listener> {
  const server = createServer((socket) => {
    socket.once('data', () => answer(socket));
    socket.on('error', () => undefined);
  });
  return await listen(server);
}

/** Starts a listener that passes each connection to `onConnection`. */
export async function startListener(onConnection: (socket: Socket) => void): Promise<Listener> {
  return await listen(createServer(onConnection));
}

/** Starts a listener at `host` that counts connections, by default on a free port. */
export async function startCanary(host: string, port = 0): Promise<Listener> {
  return await listen(createServer(), host, port);
}

async function listen(server: Server, host = '127.0.0.1', port = 0): Promise<Listener> {
  const open = new Set<Socket>();
  let connections = 0;
  server.on('connection', (socket: Socket) => {
    connections++;
    open.add(socket);
    socket.on('close', () => open.delete(socket));
    socket.on('error', () => undefined);
  });
  server.listen(port, host);
  await once(server, 'listening');
  const address = server.address();
  const closeConnections = (): void => {
    for (const socket of open) socket.resetAndDestroy();
  };
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    get connections() {
      return connections;
    },
    closeConnections,
    [Symbol.asyncDispose]: async () => {
      const closed = once(server, 'close');
      server.close();
      closeConnections();
      await closed;
    },
  };
}

const BODY = renderEvent({ shopId: newId(), connectionId: newId(), occurredAt: new Date() });
const KEYS = signingKeysOf(`whsec_${Buffer.alloc(32, 5).toString('base64')}`);

/** Returns a signed webhook request to this URL. */
export function signedRequestTo(url: string): SignedRequest {
  const at = new Date();
  return signRequest({ url, body: BODY, eventId: newId(), attempt: 1, keys: [KEYS], at });
}
