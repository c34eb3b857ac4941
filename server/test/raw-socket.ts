import { connect } from 'node:net';

/** A response exactly as received. */
export interface RawResponse {
  readonly status: number;
  /** By lower-case name. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

/**
 * When the client closes its side of the connection. `at_once`: after its last byte. `at_answer`:
 * at the first byte of the response. `at_answer_or_soon`: as `at_answer`, but after at most one
 * second.
 */
export type ClientClose = 'at_once' | 'at_answer' | 'at_answer_or_soon' | 'never';

/** How long `at_answer_or_soon` waits for a response. */
const SOON_MS = 1_000;

/** Time limit of an exchange. */
const EXCHANGE_MS_MAX = 30_000;

/**
 * Sends raw bytes. Returns the bytes that the server sends before it closes the connection.
 *
 * @throws Error if the connection is still open after `timeoutMs`
 */
export async function exchangeRaw(
  port: number,
  bytes: Buffer | string,
  clientClose: ClientClose = 'at_answer',
  timeoutMs: number = EXCHANGE_MS_MAX,
): Promise<Buffer> {
  return await new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    const timer = setTimeout(() => {
      socket.destroy();
      reject(
        new Error(`still open after ${timeoutMs} ms: ${Buffer.concat(chunks).toString('latin1')}`),
      );
    }, timeoutMs);
    let closeTimer: NodeJS.Timeout | undefined;
    const finish = (): void => {
      clearTimeout(timer);
      clearTimeout(closeTimer);
      socket.destroy();
      resolve(Buffer.concat(chunks));
    };
    socket.on('connect', () => {
      socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes);
      if (clientClose === 'at_once') socket.end();
      if (clientClose === 'at_answer_or_soon') closeTimer = setTimeout(() => socket.end(), SOON_MS);
    });
    socket.on('data', (chunk) => {
      chunks.push(chunk);
      if (clientClose.startsWith('at_answer')) socket.end();
    });
    socket.on('end', finish);
    // The server may reset a connection while the client is still sending. The response received
    // before the reset counts.
    socket.on('error', finish);
    socket.on('close', finish);
  });
}

/**
 * Parses consecutive responses. `isHead` tells whether the response at an index belongs to a HEAD
 * request and so has no body, even if it has a Content-Length.
 *
 * @throws Error when the bytes are not complete responses
 */
export function readResponses(
  bytes: Buffer,
  isHead: (index: number) => boolean = () => false,
): RawResponse[] {
  const responses: RawResponse[] = [];
  let text = bytes.toString('latin1');
  while (text !== '') {
    const end = text.indexOf('\r\n\r\n');
    if (end === -1) throw new Error(`no end of headers: ${text.slice(0, 200)}`);
    const [statusLine = '', ...lines] = text.slice(0, end).split('\r\n');
    const status = /^HTTP\/1\.1 (\d{3}) /.exec(statusLine)?.[1];
    if (status === undefined) throw new Error(`no status line: ${statusLine.slice(0, 200)}`);
    const headers = readHeaders(lines);
    const isBodyless = status === '204' || status === '304' || status.startsWith('1');
    const length =
      isBodyless || isHead(responses.length)
        ? 0
        : Number(headers.get('content-length') ?? Number.NaN);
    if (Number.isNaN(length)) throw new Error(`no Content-Length: ${text.slice(0, 400)}`);
    const body = text.slice(end + 4, end + 4 + length);
    if (body.length !== length) throw new Error(`incomplete body: ${body}`);
    if (!status.startsWith('1')) {
      responses.push({
        status: Number(status),
        headers,
        body: Buffer.from(body, 'latin1').toString(),
      });
    }
    text = text.slice(end + 4 + length);
  }
  return responses;
}

function readHeaders(lines: readonly string[]): Map<string, string> {
  const headers = new Map<string, string>();
  for (const line of lines) {
    const colon = line.indexOf(':');
    const name = line.slice(0, colon).toLowerCase();
    if (colon === -1 || headers.has(name)) {
      throw new Error(`duplicate or malformed header: ${line}`);
    }
    headers.set(name, line.slice(colon + 1).trim());
  }
  return headers;
}
