import { isObject } from '../expect.ts';

/** An object of a list. */
export type Listed = Readonly<Record<string, unknown>> & { readonly id: string };

function isListed(value: unknown): value is Listed {
  return isObject(value) && typeof value['id'] === 'string';
}

/** Pages of one list at most. */
const LIST_PAGES_MAX = 100;

/** A shop's own system: it writes through the Shop API with a key of the shop. */
export class ShopSystem {
  readonly #shopUrl: string;
  readonly #key: string;

  /** `shopUrl` is the service's address followed by `/shop/v1`. */
  constructor(shopUrl: string, key: string) {
    this.#shopUrl = shopUrl;
    this.#key = key;
  }

  /** Creates or changes an object. */
  async put(path: string, value: unknown): Promise<void> {
    await this.#call('PUT', path, 'application/json', JSON.stringify(value));
  }

  /** An order without a body, or with a JSON one. */
  async post(path: string, value?: unknown): Promise<void> {
    if (value === undefined) await this.#call('POST', path);
    else await this.#call('POST', path, 'application/json', JSON.stringify(value));
  }

  async delete(path: string): Promise<void> {
    await this.#call('DELETE', path);
  }

  /** Puts a picture on a side of a unit. */
  async putPhoto(unitId: string, side: string, picture: Buffer<ArrayBuffer>): Promise<void> {
    await this.#call('PUT', `/units/${unitId}/photos/${side}`, 'image/png', picture);
  }

  /** Writes many units at once. */
  async putUnits(units: readonly unknown[]): Promise<void> {
    const lines = units.map((unit) => `${JSON.stringify(unit)}\n`).join('');
    const text = await this.#call('POST', '/units/batch', 'application/x-ndjson', lines);
    if (!text.includes('"rejected":[]')) throw new Error(`units were rejected: ${text}`);
  }

  /** What a path shows. */
  async get(path: string): Promise<unknown> {
    const value: unknown = JSON.parse(await this.#call('GET', path));
    return value;
  }

  /** Every object of a list, such as `/units` or `/boosts?status=open`. */
  async list(path: string): Promise<readonly Listed[]> {
    const name = /^\/([a-z]+)/.exec(path)?.[1] ?? '';
    const objects: Listed[] = [];
    let cursor: unknown = null;
    for (let page = 0; page < LIST_PAGES_MAX; page++) {
      const url = new URL(path, 'http://list');
      url.searchParams.set('limit', '1000');
      if (typeof cursor === 'string') url.searchParams.set('cursor', cursor);
      const answer = await this.get(`${url.pathname}${url.search}`);
      if (!isObject(answer)) break;
      const found: unknown = answer[name];
      if (Array.isArray(found)) objects.push(...found.filter(isListed));
      if (answer['hasMore'] !== true) return objects;
      cursor = answer['nextCursor'];
    }
    throw new Error(`${path} has no end`);
  }

  /** Ends every active connection of an app. */
  async endConnections(clientId: string): Promise<void> {
    for (const { id, app } of await this.list('/connections?status=active')) {
      if (isObject(app) && app['clientId'] === clientId) await this.delete(`/connections/${id}`);
    }
  }

  async #call(
    method: string,
    path: string,
    type?: string,
    body?: string | Buffer<ArrayBuffer>,
  ): Promise<string> {
    const answer = await fetch(`${this.#shopUrl}${path}`, {
      method,
      headers: {
        Authorization: `Bearer ${this.#key}`,
        ...(type === undefined ? {} : { 'Content-Type': type }),
      },
      ...(body === undefined ? {} : { body }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return text;
  }
}
