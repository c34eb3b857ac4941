import { Agent, request } from 'node:http';
import { type Spread, spreadOf } from '../spread.ts';

export interface SearchResponse {
  /** The time from the request to the last byte of the response. */
  readonly ms: number;
  readonly status: number;
  readonly body: string;
}

/** Searches sequentially over one keep-alive connection. */
export class SearchClient implements Disposable {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  readonly #url: string;
  readonly #token: string;

  constructor(url: string, token: string) {
    this.#url = `${url}/partner/v1/cards?search=`;
    this.#token = token;
  }

  async search(text: string): Promise<SearchResponse> {
    const url = `${this.#url}${encodeURIComponent(text.toWellFormed())}`;
    const headers = { authorization: `Bearer ${this.#token}` };
    const startedAtMs = performance.now();
    return await new Promise((resolve, reject) => {
      request(url, { agent: this.#agent, headers }, (response) => {
        const parts: Buffer[] = [];
        response.on('data', (part: Buffer) => parts.push(part));
        response.once('error', reject);
        response.once('end', () => {
          const ms = performance.now() - startedAtMs;
          resolve({ ms, status: response.statusCode ?? 0, body: Buffer.concat(parts).toString() });
        });
      })
        .once('error', reject)
        .end();
    });
  }

  /** Runs several searches and returns their times. @throws Error when a search is refused */
  async searchAll(texts: readonly string[]): Promise<Spread> {
    const durationsMs: number[] = [];
    for (const text of texts) {
      const { ms, status, body } = await this.search(text);
      if (status !== 200) throw new Error(`${status} ${body}: ${text}`);
      durationsMs.push(ms);
    }
    return spreadOf(durationsMs);
  }

  [Symbol.dispose](): void {
    this.#agent.destroy();
  }
}
