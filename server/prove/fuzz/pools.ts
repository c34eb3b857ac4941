import { isObject } from '../../test/docs-shape.ts';
import type { Random } from './random.ts';

/** Ids of one kind at most; a new one takes the place of another, so that cases go back to the same objects. */
const IDS_MAX = 120;
const CURSORS_MAX = 60;
const PAIRS_MAX = 40;
/** Elements of one answer that are looked at. */
const LOOKED_AT_MAX = 30;

type Pair = readonly [string, string];

/** Ids and cursors that answers have shown, for the requests that follow. */
export class Pools {
  /** Where a webhook may point to. */
  readonly hookUrl: string;
  etag = '"x"';
  readonly #ids = new Map<string, string[]>();
  readonly #cursors: string[] = [];
  readonly #purchases: Pair[] = [];
  readonly #photos: Pair[] = [];

  constructor(hookUrl: string) {
    this.hookUrl = hookUrl;
  }

  /** An id for a member such as `siteId`: mostly one that is there. */
  id(random: Random, name: string): string {
    const known = this.#ids.get(name.replace(/Id$/, '')) ?? [];
    return known.length > 0 && random.chance(90) ? random.pick(known) : random.uuid();
  }

  cursor(random: Random): string {
    return this.#cursors.length > 0 ? random.pick(this.#cursors) : 'none';
  }

  /** A boost and one of its purchases. */
  purchase(random: Random): Pair | undefined {
    return this.#purchases[random.below(Math.max(this.#purchases.length, 1))];
  }

  /** A unit and a side of which it has a photo. */
  photo(random: Random): Pair | undefined {
    return this.#photos[random.below(Math.max(this.#photos.length, 1))];
  }

  addPair(kind: 'purchase' | 'photo', pair: Pair): void {
    const pairs = kind === 'purchase' ? this.#purchases : this.#photos;
    if (pairs.unshift(pair) > PAIRS_MAX) pairs.pop();
  }

  add(random: Random, kind: string, id: string): void {
    const known = this.#ids.get(kind) ?? [];
    if (known.includes(id)) return;
    if (known.length < IDS_MAX) known.push(id);
    else known[random.below(IDS_MAX)] = id;
    this.#ids.set(kind, known);
  }

  /** Keeps what a good answer shows. `kind` is what its own `id` names. */
  learn(random: Random, kind: string, body: unknown, depth = 0): void {
    if (depth > 4) return;
    if (Array.isArray(body)) {
      for (const element of body.slice(0, LOOKED_AT_MAX)) {
        this.learn(random, kind, element, depth + 1);
      }
      return;
    }
    if (!isObject(body)) return;
    // A connection that can be sent a notice.
    if (kind === 'connection' && isObject(body['webhook']) && body['status'] === 'active') {
      this.add(random, 'hooked', String(body['id']));
    }
    for (const [name, value] of Object.entries(body)) {
      if (typeof value === 'string') this.#learnText(random, kind, name, value);
      else this.learn(random, KINDS[name] ?? (depth === 0 ? kind : 'other'), value, depth + 1);
    }
  }

  #learnText(random: Random, kind: string, name: string, value: string): void {
    if (/^(?:next)?cursor$/i.test(name)) {
      if (this.#cursors.length < CURSORS_MAX) this.#cursors.push(value);
      else this.#cursors[random.below(CURSORS_MAX)] = value;
    } else if (name === 'id') this.add(random, kind, value);
    else if (/^\w+Id$/.test(name)) this.add(random, name.slice(0, -2), value);
  }
}

/** What the objects under a member are. */
const KINDS: Readonly<Record<string, string>> = {
  sites: 'site',
  locations: 'location',
  grades: 'grade',
  grade: 'grade',
  units: 'unit',
  boosts: 'boost',
  purchases: 'purchase',
  cards: 'card',
  card: 'card',
  product: 'product',
  connections: 'connection',
};
