import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request that the server received. */
export interface SeenRequest {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: string;
}

/**
 * A response with status, headers and body; no response; or half of the body before the connection
 * closes.
 */
export type ScriptedAnswer =
  | {
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      /** An object is sent as JSON. */
      readonly body?: string | Uint8Array | object;
    }
  | 'hang'
  | 'cut'
  | 'drop';

/** A local server with scripted responses. */
export interface ScriptedServer {
  readonly url: string;
  /** All requests, in order. */
  readonly seen: SeenRequest[];
  /** Sets the next responses. Later requests get the response of `otherwise`. */
  script(...answers: readonly ScriptedAnswer[]): void;
  /** Sets the response for requests after the end of the script. */
  otherwise(answer: (request: SeenRequest) => ScriptedAnswer): void;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Starts a server. Without a script it responds with 404. */
export async function startScriptedServer(): Promise<ScriptedServer> {
  const seen: SeenRequest[] = [];
  const scripted: ScriptedAnswer[] = [];
  let fallback: (request: SeenRequest) => ScriptedAnswer = notFound;
  const server = createServer((request, response) => {
    void answerNext(request, response);
  });
  async function answerNext(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const read = await readRequest(request);
    seen.push(read);
    answerWith(response, scripted.shift() ?? fallback(read));
  }
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = addressOf(server.address());
  return {
    url: `http://127.0.0.1:${port}`,
    seen,
    script: (...answers) => {
      seen.length = 0;
      scripted.splice(0, scripted.length, ...answers);
      fallback = notFound;
    },
    otherwise: (answer) => {
      fallback = answer;
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}

function notFound(): ScriptedAnswer {
  return { status: 404, body: { error: 'not_found' } };
}

function addressOf(address: AddressInfo | string | null): AddressInfo {
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address;
}

async function readRequest(request: IncomingMessage): Promise<SeenRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) if (chunk instanceof Buffer) chunks.push(chunk);
  const { method = '', url = '', headers } = request;
  return { method, path: url, headers, body: Buffer.concat(chunks).toString() };
}

function answerWith(response: ServerResponse, answer: ScriptedAnswer): void {
  if (answer === 'hang') return;
  if (answer === 'drop') {
    response.destroy();
    return;
  }
  if (answer === 'cut') {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' });
    response.write('{"changes":[', () => response.destroy());
    return;
  }
  const { status, headers = {}, body = '' } = answer;
  const isRaw = typeof body === 'string' || body instanceof Uint8Array;
  const type = isRaw ? {} : { 'content-type': 'application/json' };
  response.writeHead(status, { ...type, ...headers });
  response.end(isRaw ? body : JSON.stringify(body));
}
