import { Agent, get, type IncomingMessage } from 'node:http';

/** A page of the feed, as the client received it. */
export interface FeedPageRead {
  readonly bytes: number;
  readonly nextCursor: string;
  readonly hasMore: boolean;
}

/**
 * The number of bytes kept from the end of a page. They contain the cursor, which has at most 200
 * characters.
 */
const TAIL_BYTES = 512;
const TAIL = /"nextCursor":"([\w-]+)","hasMore":(true|false)\}$/;

/** Reads a shop's feed over one connection. */
export class FeedClient implements Disposable {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  readonly #url: string;
  readonly #headers: Readonly<Record<string, string>>;

  constructor(url: string, token: string) {
    this.#url = url;
    this.#headers = { authorization: `Bearer ${token}` };
  }

  /** Reads a page and keeps only the last bytes, which contain the cursor. */
  async read(cursor: string | null, limit: number): Promise<FeedPageRead> {
    const response = await this.#request(cursor, limit);
    let bytes = 0;
    let last: Buffer = Buffer.alloc(0);
    for await (const piece of bytesOf(response)) {
      bytes += piece.length;
      const kept = piece.length >= TAIL_BYTES ? piece : Buffer.concat([last, piece]);
      last = kept.subarray(Math.max(0, kept.length - TAIL_BYTES));
    }
    return { bytes, ...readTail(response.statusCode, last) };
  }

  /** Reads and returns a complete page. */
  async readText(cursor: string | null, limit: number): Promise<string> {
    const pieces: Buffer[] = [];
    for await (const piece of bytesOf(await this.#request(cursor, limit))) pieces.push(piece);
    return Buffer.concat(pieces).toString();
  }

  async #request(cursor: string | null, limit: number): Promise<IncomingMessage> {
    const query = cursor === null ? '' : `&cursor=${cursor}`;
    const url = `${this.#url}/partner/v1/inventory/changes?limit=${limit}${query}`;
    return await new Promise((resolve, reject) => {
      get(url, { agent: this.#agent, headers: this.#headers }, resolve).on('error', reject);
    });
  }

  [Symbol.dispose](): void {
    this.#agent.destroy();
  }
}

async function* bytesOf(response: IncomingMessage): AsyncGenerator<Buffer, void, undefined> {
  for await (const piece of response) {
    if (!Buffer.isBuffer(piece)) throw new Error('a body of text');
    yield piece;
  }
}

function readTail(
  status: number | undefined,
  tail: Buffer,
): { readonly nextCursor: string; readonly hasMore: boolean } {
  const [, nextCursor, hasMore] = TAIL.exec(tail.toString()) ?? [];
  if (status !== 200 || nextCursor === undefined) throw new Error(`${status}: ${tail.toString()}`);
  return { nextCursor, hasMore: hasMore === 'true' };
}
