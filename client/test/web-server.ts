import { createServer, type IncomingMessage, type Server } from 'node:http';
import { Readable } from 'node:stream';

/** Serves a web-standard handler with node:http, as Next and Hono do. */
export function serveWeb(handle: (request: Request) => Promise<Response>): Server {
  return createServer((incoming, response) => {
    void (async (): Promise<void> => {
      const answer = await handle(toRequest(incoming));
      response.writeHead(answer.status, Object.fromEntries(answer.headers));
      response.end(await answer.text());
    })();
  });
}

function toRequest(incoming: IncomingMessage): Request {
  const { method = 'GET', url = '/', headers } = incoming;
  const pairs = Object.entries(headers).map(([name, value]): [string, string] => [
    name,
    String(value),
  ]);
  const hasBody = method !== 'GET' && method !== 'HEAD';
  return new Request(`http://${headers.host ?? 'localhost'}${url}`, {
    method,
    headers: pairs,
    ...(hasBody
      ? { body: Readable.toWeb(incoming) as ReadableStream<Uint8Array>, duplex: 'half' }
      : {}),
  });
}
