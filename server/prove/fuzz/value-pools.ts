import { isObject } from '../../test/docs-shape.ts';
import type { Random } from './random.ts';

/**
 * The maximum number of ids of one kind. After that, each new id replaces another, so that cases
 * return to the same objects.
 */
const IDS_MAX = 120;
const CURSORS_MAX = 60;
/** The maximum number of pairs of one kind. Most older pairs no longer exist. */
const PAIRS_MAX = 10;
/** The maximum number of elements of an answer that are examined. */
const LOOKED_AT_MAX = 30;

type Pair = readonly [string, string];
/**
 * Pairs of ids that belong together: a boost and a purchase on it, a unit and a side with a photo,
 * a connection and the URL of its webhook.
 */
type PairKind = 'purchase' | 'photo' | 'webhook';

/** Ids and cursors from answers, for later requests. */
export class ValuePools {
  /** The URL for webhooks. */
  readonly hookUrl: string;
  etag = '"x"';
  readonly #ids = new Map<string, string[]>();
  readonly #cursors: string[] = [];
  readonly #pairs = new Map<PairKind, Pair[]>();

  constructor(hookUrl: string) {
    this.hookUrl = hookUrl;
  }

  /** Returns an id for a member such as `siteId`, usually of an existing object. */
  id(random: Random, name: string): string {
    const known = this.#ids.get(name.replace(/Id$/, '')) ?? [];
    return known.length > 0 && random.chance(90) ? random.pick(known) : random.uuid();
  }

  cursor(random: Random): string {
    return this.#cursors.length > 0 ? random.pick(this.#cursors) : 'none';
  }

  pair(random: Random, kind: PairKind): Pair | undefined {
    const pairs = this.#pairs.get(kind) ?? [];
    return pairs[random.below(Math.max(pairs.length, 1))];
  }

  addPair(kind: PairKind, pair: Pair): void {
    this.#pairs.set(kind, [pair, ...(this.#pairs.get(kind) ?? [])].slice(0, PAIRS_MAX));
  }

  add(random: Random, kind: string, id: string): void {
    const known = this.#ids.get(kind) ?? [];
    if (known.includes(id)) return;
    if (known.length < IDS_MAX) known.push(id);
    else known[random.below(IDS_MAX)] = id;
    this.#ids.set(kind, known);
  }

  /** Stores the ids of a successful answer. `kind` is the kind of its `id` member. */
  learn(random: Random, kind: string, body: unknown, depth = 0): void {
    if (depth > 4) return;
    if (Array.isArray(body)) {
      for (const element of body.slice(0, LOOKED_AT_MAX)) {
        this.learn(random, kind, element, depth + 1);
      }
      return;
    }
    if (!isObject(body)) return;
    // This connection can receive a test delivery.
    if (kind === 'connection' && isObject(body['webhook']) && body['status'] === 'active') {
      this.addPair('webhook', [String(body['id']), this.hookUrl]);
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

/** The kinds of the objects under a member. */
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
