import { Agent, request } from 'node:http';

/** The agent of all readers of this process, so that they share connections to the service. */
const agent = new Agent({ keepAlive: true, maxSockets: 24 });
const PAGE_LIMIT = 1_000;
/** The delay between retries while the service is down. */
const RETRY_MS = 50;
/** The maximum number of retries until the service must respond again. */
const TRIES_MAX = 1_200;

interface Page {
  readonly changes: readonly {
    readonly kind: string;
    readonly id: string;
    readonly changedAt: string;
    readonly data: Readonly<Record<string, unknown>>;
  }[];
  readonly nextCursor: string;
  readonly hasMore: boolean;
}

/** An app that reads the feed only after a delivery, and upserts by `id` (spec 4.6). */
export class FeedFollower {
  /** Every known unit with the price that the app last read. */
  readonly held = new Map<string, unknown>();
  /** The newest `changedAt` read so far, in milliseconds since 1970. */
  newestChangedAtMs = 0;
  readonly #url: string;
  readonly #token: string;
  #cursor: string | null = null;
  #reading: Promise<void> = Promise.resolve();

  constructor(partnerUrl: string, token: string) {
    this.#url = `${partnerUrl}/inventory/changes?limit=${PAGE_LIMIT}`;
    this.#token = token;
  }

  /**
   * Reads to the end of the feed. If a read is in progress, waits for its end and reads again,
   * because that read may have begun too early.
   */
  async read(): Promise<void> {
    this.#reading = this.#readAfter(this.#reading);
    await this.#reading;
  }

  async #readAfter(before: Promise<void>): Promise<void> {
    await before;
    while (await this.#readPage());
  }

  async #readPage(): Promise<boolean> {
    const cursor = this.#cursor === null ? '' : `&cursor=${this.#cursor}`;
    const { changes, nextCursor, hasMore } = await this.#ask(`${this.#url}${cursor}`);
    for (const { kind, id, changedAt, data } of changes) {
      this.newestChangedAtMs = Math.max(this.newestChangedAtMs, Date.parse(changedAt));
      if (kind === 'unit') this.held.set(id, data['priceMinor']);
    }
    this.#cursor = nextCursor;
    return hasMore;
  }

  async #ask(url: string): Promise<Page> {
    for (let attempt = 0; attempt < TRIES_MAX; attempt++) {
      const answer = await get(url, this.#token).catch(() => null);
      if (answer?.status === 200) return JSON.parse(answer.text) as Page;
      if (answer !== null && answer.status !== 503) {
        throw new Error(`the feed answered ${answer.status} ${answer.text}`);
      }
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
    throw new Error('the service did not come back');
  }
}

async function get(
  url: string,
  token: string,
): Promise<{ readonly status: number; readonly text: string }> {
  return await new Promise((resolve, reject) => {
    request(url, { agent, headers: { authorization: `Bearer ${token}` } }, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.once('error', reject);
      response.once('end', () => {
        resolve({ status: response.statusCode ?? 0, text: Buffer.concat(parts).toString() });
      });
    })
      .once('error', reject)
      .end();
  });
}
