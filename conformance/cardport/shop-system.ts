import { isObject } from '../expect.ts';

export type ListedObject = Readonly<Record<string, unknown>> & { readonly id: string };

function isListedObject(value: unknown): value is ListedObject {
  return isObject(value) && typeof value['id'] === 'string';
}

/** The maximum number of pages of one list. */
const LIST_PAGES_MAX = 100;

/** The system of a shop, which calls the Shop API with the shop's key. */
export class ShopSystem {
  readonly #shopUrl: string;
  readonly #key: string;

  /** `shopUrl` is the service's address with `/shop/v1`. */
  constructor(shopUrl: string, key: string) {
    this.#shopUrl = shopUrl;
    this.#key = key;
  }

  /** Creates or changes an object. */
  async put(path: string, value: unknown): Promise<void> {
    await this.#call('PUT', path, 'application/json', JSON.stringify(value));
  }

  /** Posts an action, with or without a JSON body. */
  async post(path: string, value?: unknown): Promise<void> {
    if (value === undefined) await this.#call('POST', path);
    else await this.#call('POST', path, 'application/json', JSON.stringify(value));
  }

  async delete(path: string): Promise<void> {
    await this.#call('DELETE', path);
  }

  /** Uploads a photo of one side of a unit. */
  async putPhoto(unitId: string, side: string, image: Buffer<ArrayBuffer>): Promise<void> {
    await this.#call('PUT', `/units/${unitId}/photos/${side}`, 'image/png', image);
  }

  /** Writes many units in one request. */
  async putUnits(units: readonly unknown[]): Promise<void> {
    const lines = units.map((unit) => `${JSON.stringify(unit)}\n`).join('');
    const text = await this.#call('POST', '/units/batch', 'application/x-ndjson', lines);
    if (!text.includes('"rejected":[]')) throw new Error(`units were rejected: ${text}`);
  }

  async get(path: string): Promise<unknown> {
    const value: unknown = JSON.parse(await this.#call('GET', path));
    return value;
  }

  /** Returns all objects of a list, such as `/units` or `/boosts?status=open`. */
  async list(path: string): Promise<readonly ListedObject[]> {
    const name = /^\/([a-z]+)/.exec(path)?.[1] ?? '';
    const objects: ListedObject[] = [];
    let cursor: unknown = null;
    for (let page = 0; page < LIST_PAGES_MAX; page++) {
      const url = new URL(path, 'http://list');
      url.searchParams.set('limit', '1000');
      if (typeof cursor === 'string') url.searchParams.set('cursor', cursor);
      const response = await this.get(`${url.pathname}${url.search}`);
      if (!isObject(response)) break;
      const found: unknown = response[name];
      if (Array.isArray(found)) objects.push(...found.filter(isListedObject));
      if (response['hasMore'] !== true) return objects;
      cursor = response['nextCursor'];
    }
    throw new Error(`${path} has too many pages`);
  }

  /** Ends all active connections of an app. */
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
    const response = await fetch(`${this.#shopUrl}${path}`, {
      method,
      headers: {
        Authorization: `Bearer ${this.#key}`,
        ...(type === undefined ? {} : { 'Content-Type': type }),
      },
      ...(body === undefined ? {} : { body }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text;
  }
}
