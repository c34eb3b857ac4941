// The objects of specification 2, as they are on the wire: nothing is renamed, no instant becomes a `Date`, and members
// that this version does not know are passed on. Instants are ISO 8601 in UTC with milliseconds.

/** One of the known values, or one that a later version of the service adds. */
export type OpenSet<Known extends string> = Known | (string & {});

/** A game: `id` is a uuid. */
export interface Game {
  readonly id: string;
  readonly code: string;
  readonly name: string;
}

/** A rarity of a game. */
export interface Rarity {
  readonly code: string;
  readonly name: string;
}

/** A set of cards: `id` is a uuid. */
export interface CardSet {
  readonly id: string;
  readonly code: string;
  readonly name: string;
  readonly nameEn?: string | null;
}

/** A card of the catalog (specification 2.2). */
export interface Card {
  /** A uuid. */
  readonly id: string;
  readonly name: string;
  /** Names by language tag (BCP 47). */
  readonly localizedNames: Readonly<Record<string, string>>;
  readonly cardNumber: string | null;
  readonly setTotalRaw: string | null;
  readonly janCode: string | null;
  readonly languageCode: string;
  readonly variant: string | null;
  readonly finish: string | null;
  readonly imageUrl: string | null;
  readonly rarity: Rarity | null;
  readonly set: CardSet | null;
  readonly game: Game;
}

/** A card as a boost shows it (specification 2.3): {@link Card} without JAN code, variant and finish. */
export interface BoostCard {
  /** A uuid. */
  readonly id: string;
  readonly name: string;
  /** Names by language tag (BCP 47). */
  readonly localizedNames: Readonly<Record<string, string>>;
  readonly cardNumber: string | null;
  readonly setTotalRaw: string | null;
  readonly languageCode: string;
  readonly imageUrl: string | null;
  readonly rarity: Rarity | null;
  readonly set: Omit<CardSet, 'nameEn'> | null;
  readonly game: Game;
}

/** Kinds of products that are known; the set is open. */
export type KnownProductKind = 'box' | 'pack' | 'deck';

/** A sealed product (specification 2.3). */
export interface BoostProduct {
  /** A uuid. */
  readonly id: string;
  readonly name: string;
  readonly productKind: OpenSet<KnownProductKind>;
  readonly janCode: string | null;
  readonly languageCode: string;
  readonly imageUrl: string | null;
  readonly game: Game;
}

/** A condition: a grading service's, or the shop's own rank (specification 2.3). */
export interface Grade {
  /** A uuid. */
  readonly id: string;
  readonly code: string;
  /** Its display name. */
  readonly label: string;
  readonly serviceCode: string;
  readonly serviceName: string;
  readonly serviceKind: 'third_party' | 'internal';
}

/** Target shape B of specification 2.3. */
export interface ProductTarget {
  readonly kind: 'product';
  readonly product: BoostProduct;
}

/** Target shape A of specification 2.3. */
export interface CardTarget {
  readonly kind: 'card';
  readonly card: BoostCard;
  /** Null means any grade. */
  readonly grade: Grade | null;
}

/** A buy boost: what the shop buys above its usual price (specification 2.3). */
export interface Boost {
  /** A uuid. */
  readonly id: string;
  readonly target: CardTarget | ProductTarget;
  /** The boosted price a piece, in the currency's minor unit: whole yen for JPY. */
  readonly priceMinor: number;
  /** ISO 4217. */
  readonly currency: string;
  /** How many more the shop will buy; null means no limit. */
  readonly remainingQuantity: number | null;
  /** `filled` comes only with `include: 'filled'`. */
  readonly status: 'open' | 'filled';
  readonly startsAt: string | null;
  /** The boost closes at this instant. */
  readonly endsAt: string | null;
  /** A line that the shop wrote, up to 200 characters. */
  readonly note: string | null;
  readonly updatedAt: string;
}

/** The buy boosts, the highest price first (specification 4.4). */
export interface BoostList {
  readonly boosts: readonly Boost[];
  /** When the list was made. */
  readonly generatedAt: string;
}

/** Kinds of storage locations that are known; the set is open. */
export type KnownLocationKind =
  | 'showcase'
  | 'shelf'
  | 'storage'
  | 'safe'
  | 'counter'
  | 'transit'
  | 'other';

/** A storage location of a site (specification 2.4). */
export interface Location {
  /** A uuid. */
  readonly id: string;
  readonly siteId: string;
  readonly code: string;
  readonly name: string;
  readonly kind: OpenSet<KnownLocationKind>;
  /** False when it was closed: nothing is ever deleted. */
  readonly isActive: boolean;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** Kinds of sites that are known; the set is open. */
export type KnownSiteKind = 'store' | 'warehouse' | 'event' | 'online' | 'other';

/** A store, a warehouse, an event, and the storage locations in it (specification 2.4). */
export interface Site {
  /** A uuid. */
  readonly id: string;
  readonly code: string;
  readonly name: string;
  readonly kind: OpenSet<KnownSiteKind>;
  /** ISO 3166-1. */
  readonly countryCode: string;
  /** A name of the IANA time zone database. */
  readonly timezone: string;
  /** False when it was closed: nothing is ever deleted. */
  readonly isActive: boolean;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly locations: readonly Location[];
}

/** States of a unit that are known; the set is open. Only `in_stock` is for sale, and from `sold` on it has left. */
export type KnownUnitStatus =
  | 'in_stock'
  | 'reserved'
  | 'in_transit'
  | 'grading'
  | 'sold'
  | 'returned'
  | 'written_off'
  | 'voided';

/** A card in stock: the whole card, because variant and finish tell a foil from a plain one. */
export interface StockedCard {
  readonly kind: 'card';
  readonly card: Card;
  /** Null means not graded yet. */
  readonly grade: Grade | null;
}

/** Sides of a unit that are known to have photos; the set is open. */
export type KnownPhotoSide = 'front' | 'back';

/** An entry of a unit's manifest of photos; `shop.photo(unit.id, side)` fetches the bytes. */
export interface UnitPhoto {
  readonly side: OpenSet<KnownPhotoSide>;
  readonly contentType: string;
  /** Of the large picture, in pixels. */
  readonly width: number;
  /** Of the large picture, in pixels. */
  readonly height: number;
  /** It changes when the picture does: give it to `shop.photo` to fetch only what is new. */
  readonly etag: string;
  readonly updatedAt: string;
}

/** One physical piece of stock, never a quantity. */
export interface Unit {
  /** A uuid, never used again. */
  readonly id: string;
  /** For sale only when `in_stock`: {@link isForSale} says so. */
  readonly status: OpenSet<KnownUnitStatus>;
  readonly siteId: string;
  readonly locationId: string | null;
  readonly item: StockedCard | ProductTarget;
  /** The number of a graded slab. */
  readonly certNumber: string | null;
  /** The number of a print run, such as `025/100`. */
  readonly serialNumber: string | null;
  readonly ownership: 'owned' | 'consigned';
  /** The asking price, tax included, in the currency's minor unit; null when there is none. */
  readonly priceMinor: number | null;
  /** What the shop paid; null unless it shares that with this app and the approving member may see it. */
  readonly costMinor: number | null;
  /** ISO 4217. */
  readonly currency: string;
  readonly photos: readonly UnitPhoto[];
  readonly acquiredAt: string | null;
  readonly statusChangedAt: string;
  readonly createdAt: string;
  readonly updatedAt: string;
}

declare const unknownKind: unique symbol;

/**
 * The kind of a record that this version does not know: any other string at run time. Its type is no `string`, so that
 * `change.kind === 'unit'` narrows a {@link Change} to a {@link UnitChange}.
 */
export type UnknownKind = 'a kind of a later version' & { readonly [unknownKind]: true };

/** A site as it is now. Its `locations` are in it, and come as records of their own too. */
export interface SiteChange {
  readonly kind: 'site';
  readonly id: string;
  readonly changedAt: string;
  readonly data: Site;
}

/** A storage location as it is now. */
export interface LocationChange {
  readonly kind: 'location';
  readonly id: string;
  readonly changedAt: string;
  readonly data: Location;
}

/** A unit as it is now. */
export interface UnitChange {
  readonly kind: 'unit';
  readonly id: string;
  readonly changedAt: string;
  readonly data: Unit;
}

/** A record of a kind that a later version of the service adds: keep it or pass over it. */
export interface UnknownChange {
  readonly kind: UnknownKind;
  readonly id: string;
  readonly changedAt: string;
  readonly data: unknown;
}

/** A record of the change feed: the current value of one object. Upsert it by `kind` and `id`. */
export type Change = SiteChange | LocationChange | UnitChange | UnknownChange;

/** One page of the feed (specification 4.6). */
export interface ChangePage {
  readonly changes: readonly Change[];
  /** Where to read on; on every page, the last one and empty ones too. */
  readonly nextCursor: string;
  /** While true there is more to read at once. */
  readonly hasMore: boolean;
}

/** The app's connection to a shop (specification 2.1). */
export interface Connection {
  /** A uuid. */
  readonly id: string;
  /** The connected shop. */
  readonly tenant: { readonly id: string; readonly name: string; readonly slug: string };
  /** The member who approved. */
  readonly user: { readonly id: string; readonly name: string; readonly email: string };
  readonly clientId: string;
  readonly status: 'active';
  readonly connectedAt: string;
  /** Null when none is registered. */
  readonly webhook?: Webhook | null;
  /** The head of the change feed: reading from it returns only later changes. */
  readonly cursor: string;
}

/** The registered webhook. */
export interface Webhook {
  readonly url: string;
  readonly createdAt: string;
}

/** What registering a webhook answers (specification 2.5). */
export interface WebhookRegistration {
  readonly url: string;
  /** The signing secret, `whsec_…`: it is in this answer and nowhere else, so keep it. */
  readonly secret: string;
  readonly createdAt: string;
}

/** The bytes of a photo. */
export interface Photo {
  readonly bytes: Uint8Array;
  /** `image/jpeg` or `image/webp`. */
  readonly contentType: string;
  /** Give it to the next `shop.photo` to fetch only what is new; null when the answer had none. */
  readonly etag: string | null;
}

/** True when the unit can be sold to a customer now: its status is `in_stock`, and no other. */
export function isForSale(unit: Pick<Unit, 'status'>): boolean {
  return unit.status === 'in_stock';
}
