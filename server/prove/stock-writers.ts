import assert from 'node:assert/strict';
import { Agent, request } from 'node:http';
import { newId } from '../src/base/secrets.ts';
import { monotonicMs } from './receiver.ts';
import type { TrialShop } from './webhook-scene.ts';

/**
 * The maximum random delay between two writes of one writer, so that many shops change without
 * saturating the machine.
 */
const PAUSE_MS = 120;
/** The delay between retries while the service is down. */
const RETRY_MS = 50;
const TRIES_MAX = 1_200;
const agent = new Agent({ keepAlive: true, maxSockets: 32 });

/** An acknowledged change. Times are from the monotonic clock. */
export interface Write {
  readonly shopId: string;
  readonly askedAtMs: number;
  readonly answeredAtMs: number;
}

/**
 * Concurrent writers that change prices through the Shop API. Each writer has a separate unit in
 * every shop, and prices only rise.
 */
export class StockWriters {
  readonly writes: Write[] = [];
  /** For each shop, the last acknowledged price of each unit. */
  readonly truth = new Map<string, Map<string, number>>();
  readonly #url: string;
  readonly #shops: readonly TrialShop[];
  #isStopped = false;
  #price = 0;

  constructor(url: string, shops: readonly TrialShop[]) {
    this.#url = url;
    this.#shops = shops;
    for (const { id } of shops) this.truth.set(id, new Map());
  }

  /**
   * Writes until `stop` is called. Writes are idempotent, so a write that got no response because
   * the service was killed is repeated.
   */
  async run(writers: number): Promise<void> {
    const write = async (): Promise<void> => {
      const units = new Map(this.#shops.map(({ id }) => [id, newId()]));
      while (!this.#isStopped) {
        const shop = this.#shops[Math.floor(Math.random() * this.#shops.length)];
        assert.ok(shop !== undefined);
        await this.write(shop, units.get(shop.id) ?? '');
        await new Promise((resolve) => setTimeout(resolve, Math.random() * PAUSE_MS));
      }
    };
    await Promise.all(Array.from({ length: writers }, write));
  }

  stop(): void {
    this.#isStopped = true;
  }

  /** Sets a new price and waits until the write is acknowledged. */
  async write(shop: TrialShop, unitId: string): Promise<Write> {
    const priceMinor = ++this.#price;
    const { siteId, cardId, id: shopId } = shop;
    const body = JSON.stringify({ siteId, item: { kind: 'card', cardId }, priceMinor });
    const askedAtMs = monotonicMs();
    for (let attempt = 0; attempt < TRIES_MAX; attempt++) {
      const answer = await this.#put(shop, unitId, body).catch(() => null);
      if (answer?.status === 200 || answer?.status === 201) {
        const write = { shopId, askedAtMs, answeredAtMs: monotonicMs() };
        this.truth.get(shopId)?.set(unitId, priceMinor);
        this.writes.push(write);
        return write;
      }
      assert.ok(answer === null || answer.status === 503, `${answer?.status} ${answer?.text}`);
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
    throw new Error('the service did not come back');
  }

  async #put(
    shop: TrialShop,
    unitId: string,
    body: string,
  ): Promise<{ readonly status: number; readonly text: string }> {
    const headers = { authorization: `Bearer ${shop.key}`, 'content-type': 'application/json' };
    const options = { agent, method: 'PUT', headers };
    return await new Promise((resolve, reject) => {
      request(`${this.#url}/shop/v1/units/${unitId}`, options, (response) => {
        const parts: Buffer[] = [];
        response.on('data', (part: Buffer) => parts.push(part));
        response.once('error', reject);
        response.once('end', () => {
          resolve({ status: response.statusCode ?? 0, text: Buffer.concat(parts).toString() });
        });
      })
        .once('error', reject)
        .end(body);
    });
  }
}
