import assert from 'node:assert/strict';
import { newId } from '../src/base/secrets.ts';

/** The key, site and card with which units are written. */
export interface WriteTarget {
  readonly shopKey: string;
  readonly siteId: string;
  readonly cardId: string;
}

const UNITS_PER_WRITER = 10;
const REQUEST_TIMEOUT_MS = 30_000;
/** The delay between retries while the database is down. A restart takes much longer. */
const PAUSE_MS = 20;

/** Whether writers stop at the first request without a response, or continue. */
export type LostResponsePolicy = 'stop' | 'continue';

/**
 * Writes over the Shop API with several writers. Each writer has separate units, and prices only
 * rise. The class records the last acknowledged and the last attempted price of every unit.
 */
export class AcknowledgedWrites {
  /** The number of acknowledged writes so far. */
  count = 0;
  readonly #target: WriteTarget;
  readonly #units: readonly (readonly string[])[];
  readonly #acknowledged = new Map<string, number>();
  readonly #tried = new Map<string, number>();
  readonly #restMs: number;
  #price = 0;
  #isStopped = false;

  /** @param restMs the time that a writer rests after a write, so that it leaves the CPU to others */
  constructor(target: WriteTarget, writers: number, restMs = 0) {
    this.#target = target;
    this.#restMs = restMs;
    this.#units = Array.from({ length: writers }, () =>
      Array.from({ length: UNITS_PER_WRITER }, () => newId()),
    );
  }

  /** Writes until `stop` is called or, with policy 'stop', until a request has no response. */
  async run(url: string, policy: LostResponsePolicy): Promise<void> {
    this.#isStopped = false;
    await Promise.all(this.#units.map(async (own) => await this.#write(url, own, policy)));
  }

  stop(): void {
    this.#isStopped = true;
  }

  /** Returns a copy of the last acknowledged price of each unit. */
  acknowledged(): ReadonlyMap<string, number> {
    return new Map(this.#acknowledged);
  }

  async #write(url: string, own: readonly string[], policy: LostResponsePolicy): Promise<void> {
    for (let turn = 0; !this.#isStopped; turn++) {
      const id = own[turn % own.length] ?? '';
      this.#price += 1;
      const price = this.#price;
      this.#tried.set(id, price);
      const status = await this.#put(url, id, price);
      if (status === 200 || status === 201) {
        this.#acknowledged.set(id, price);
        this.count += 1;
        if (this.#restMs > 0) await new Promise((resolve) => setTimeout(resolve, this.#restMs));
      } else if (policy === 'stop' && status === null) {
        return;
      } else {
        assert.ok(status === null || status === 503, `the response to a write was ${status}`);
        await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      }
    }
  }

  /** Returns the status, or null if no response came. */
  async #put(url: string, id: string, priceMinor: number): Promise<number | null> {
    const { siteId, cardId } = this.#target;
    const body = JSON.stringify({ siteId, item: { kind: 'card', cardId }, priceMinor });
    try {
      const response = await this.#call(url, id, { method: 'PUT', body });
      await response.arrayBuffer();
      return response.status;
    } catch {
      return null;
    }
  }

  /**
   * Compares every unit with its acknowledged price. The price of a write that was attempted but
   * not acknowledged is also accepted.
   */
  async verify(url: string): Promise<void> {
    for (const [id, acknowledged] of this.#acknowledged) {
      const response = await this.#call(url, id, {});
      assert.equal(response.status, 200, `the acknowledged unit ${id} is gone`);
      const unit: unknown = await response.json();
      const price =
        typeof unit === 'object' && unit !== null && 'priceMinor' in unit ? unit.priceMinor : null;
      assert.ok(
        typeof price === 'number' && price >= acknowledged && price <= (this.#tried.get(id) ?? 0),
        `unit ${id}: the price ${acknowledged} was acknowledged, but it is ${String(price)}`,
      );
    }
  }

  async #call(url: string, id: string, init: RequestInit): Promise<Response> {
    return await fetch(`${url}/shop/v1/units/${id}`, {
      ...init,
      headers: {
        authorization: `Bearer ${this.#target.shopKey}`,
        ...(init.body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    });
  }
}
