import type { FetchPage } from '../src/change-reader.ts';
import { CursorExpiredError, InvalidRequestError } from '../src/errors.ts';
import type { Change } from '../src/types.ts';

/** A minimal feed: objects by id, each at the position of its latest change. */
export class ModelFeed {
  #epoch = 1;
  #head = 0;
  #objects = new Map<string, { readonly seq: number; readonly value: number }>();

  /** Creates or changes an object. */
  put(id: string, value: number): void {
    this.#objects.set(id, { seq: ++this.#head, value });
  }

  /** Returns the state that a reader of the whole feed gets. */
  state(): ReadonlyMap<string, number> {
    return new Map([...this.#objects].map(([id, { value }]) => [id, value]));
  }

  /** Takes a backup. The returned function restores it, which begins a new epoch. */
  backUp(): () => void {
    const objects = new Map(this.#objects);
    const head = this.#head;
    return () => {
      this.#objects = new Map(objects);
      this.#head = head;
      this.#epoch++;
    };
  }

  /** Returns one page, as GET /inventory/changes does. The default limit is two records. */
  readonly fetchPage: FetchPage = async ({ cursor, limit = 2 }) => {
    const from = this.#position(cursor ?? null);
    const rest = [...this.#objects]
      .filter(([, { seq }]) => seq > from)
      .toSorted(([, one], [, other]) => one.seq - other.seq);
    const rows = rest.slice(0, limit);
    const last = rows.at(-1)?.[1].seq ?? from;
    return await Promise.resolve({
      changes: rows.map(([id, { value }]) => changeOf(id, value)),
      nextCursor: `e${this.#epoch}-${last}`,
      hasMore: rest.length > rows.length,
    });
  };

  #position(cursor: string | null): number {
    if (cursor === null) return 0;
    const [, epoch, seq] = /^e(\d+)-(\d+)$/u.exec(cursor) ?? [];
    if (epoch === undefined) throw new InvalidRequestError({ status: 400 });
    if (Number(epoch) !== this.#epoch) throw new CursorExpiredError({ status: 410 });
    return Number(seq);
  }
}

/** Returns a unit record with the value as its price. */
export function changeOf(id: string, value: number): Change {
  const at = '2026-11-22T03:00:00.000Z';
  return {
    kind: 'unit',
    id,
    changedAt: at,
    data: {
      id,
      status: 'in_stock',
      siteId: 's',
      locationId: null,
      item: { kind: 'product', product: PRODUCT },
      certNumber: null,
      serialNumber: null,
      ownership: 'owned',
      priceMinor: value,
      costMinor: null,
      currency: 'JPY',
      photos: [],
      acquiredAt: null,
      statusChangedAt: at,
      createdAt: at,
      updatedAt: at,
    },
  };
}

const PRODUCT = {
  id: 'p',
  name: '星降るBOX',
  productKind: 'box',
  janCode: null,
  languageCode: 'ja',
  imageUrl: null,
  game: { id: 'g', code: 'skyfall', name: '空のかけら' },
};
