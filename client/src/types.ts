// The API objects of section 2 of the specification, unchanged: no member is renamed, times stay
// strings, and unknown members are kept. Ids of objects are UUIDs, and times are ISO 8601 in UTC with
// milliseconds.

/** A known value, or a value that a later version of the service adds. */
export type OpenSet<Known extends string> = Known | (string & {});

export interface Game {
  readonly id: string;
  readonly code: string;
  readonly name: string;
}

export interface Rarity {
  readonly code: string;
  readonly name: string;
}

export interface CardSet {
  readonly id: string;
  readonly code: string;
  readonly name: string;
  readonly nameEn?: string | null;
}

/** A card of the catalog (spec 2.2). */
export interface Card {
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

/** A card in a boost (spec 2.3): a {@link Card} without JAN code, variant and finish. */
export interface BoostCard {
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

export type KnownProductKind = 'box' | 'pack' | 'deck';

/** A sealed product (spec 2.3). */
export interface BoostProduct {
  readonly id: string;
  readonly name: string;
  readonly productKind: OpenSet<KnownProductKind>;
  readonly janCode: string | null;
  readonly languageCode: string;
  readonly imageUrl: string | null;
  readonly game: Game;
}

/** A condition: a grading service's grade, or the shop's own rank (spec 2.3). */
export interface Grade {
  readonly id: string;
  readonly code: string;
  readonly label: string;
  readonly serviceCode: string;
  readonly serviceName: string;
  readonly serviceKind: 'third_party' | 'internal';
}

/** A boost's target that is a product: shape B of section 2.3 of the specification. */
export interface ProductTarget {
  readonly kind: 'product';
  readonly product: BoostProduct;
}

/** A boost's target that is a card: shape A of section 2.3 of the specification. */
export interface CardTarget {
  readonly kind: 'card';
  readonly card: BoostCard;
  /** Null means any grade. */
  readonly grade: Grade | null;
}

/** A buy boost: a card or product that the shop buys above its usual price (spec 2.3). */
export interface Boost {
  readonly id: string;
  readonly target: CardTarget | ProductTarget;
  /** The boosted price per piece, in the currency's minor unit: whole yen for JPY. */
  readonly priceMinor: number;
  /** ISO 4217. */
  readonly currency: string;
  /** The number of pieces that the shop will still buy; null means no limit. */
  readonly remainingQuantity: number | null;
  /** `filled` occurs only with `include: 'filled'`. */
  readonly status: 'open' | 'filled';
  readonly startsAt: string | null;
  /** The time at which the boost closes; null if it stays open. */
  readonly endsAt: string | null;
  /** A note by the shop, up to 200 characters. */
  readonly note: string | null;
  readonly updatedAt: string;
}

/** The buy boosts, highest price first (spec 4.4). */
export interface BoostList {
  readonly boosts: readonly Boost[];
  readonly generatedAt: string;
}

export type KnownLocationKind =
  | 'showcase'
  | 'shelf'
  | 'storage'
  | 'safe'
  | 'counter'
  | 'transit'
  | 'other';

/** A storage location of a site (spec 2.4). */
export interface Location {
  readonly id: string;
  readonly siteId: string;
  readonly code: string;
  readonly name: string;
  readonly kind: OpenSet<KnownLocationKind>;
  /** False when the location was closed. Locations are never deleted. */
  readonly isActive: boolean;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export type KnownSiteKind = 'store' | 'warehouse' | 'event' | 'online' | 'other';

/** A store, a warehouse or an event, with its storage locations (spec 2.4). */
export interface Site {
  readonly id: string;
  readonly code: string;
  readonly name: string;
  readonly kind: OpenSet<KnownSiteKind>;
  /** ISO 3166-1 alpha-2. */
  readonly countryCode: string;
  /** An IANA time zone. */
  readonly timezone: string;
  /** False when the site was closed. Sites are never deleted. */
  readonly isActive: boolean;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly locations: readonly Location[];
}

/** Only `in_stock` is for sale. `sold`, `returned`, `written_off` and `voided` have left stock. */
export type KnownUnitStatus =
  | 'in_stock'
  | 'reserved'
  | 'in_transit'
  | 'grading'
  | 'sold'
  | 'returned'
  | 'written_off'
  | 'voided';

/** A complete {@link Card}, because variant and finish distinguish a foil from a plain card. */
export interface StockedCard {
  readonly kind: 'card';
  readonly card: Card;
  /** Null means that the card is not graded yet. */
  readonly grade: Grade | null;
}

export type KnownPhotoSide = 'front' | 'back';

/** An entry in the list of a unit's photos. `shop.photo(unit.id, side)` fetches the bytes. */
export interface UnitPhoto {
  readonly side: OpenSet<KnownPhotoSide>;
  readonly contentType: string;
  /** Width and height of the large photo, in pixels. */
  readonly width: number;
  readonly height: number;
  /** Changes with the photo. Pass it to `shop.photo` to fetch the photo only if it has changed. */
  readonly etag: string;
  readonly updatedAt: string;
}

/** One physical piece of stock, never a quantity. */
export interface Unit {
  /** A UUID, never reused. */
  readonly id: string;
  /** The unit is for sale only when `in_stock`; see {@link isForSale}. */
  readonly status: OpenSet<KnownUnitStatus>;
  readonly siteId: string;
  readonly locationId: string | null;
  readonly item: StockedCard | ProductTarget;
  /** The certificate number of a graded card. */
  readonly certNumber: string | null;
  /** The print-run number, such as `025/100`. */
  readonly serialNumber: string | null;
  readonly ownership: 'owned' | 'consigned';
  /** The asking price with tax, in the currency's minor unit; null when there is none. */
  readonly priceMinor: number | null;
  /** Null unless the shop shares costs with this app and the approving member may see costs. */
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
 * A kind that this version does not know. At run time it is a string. The type is not `string`, so
 * that `change.kind === 'unit'` narrows a {@link Change} to a {@link UnitChange}.
 */
export type UnknownKind = 'a kind from a later version' & { readonly [unknownKind]: true };

/** It contains the site's locations, which are also sent as separate records. */
export interface SiteChange {
  readonly kind: 'site';
  readonly id: string;
  readonly changedAt: string;
  readonly data: Site;
}

export interface LocationChange {
  readonly kind: 'location';
  readonly id: string;
  readonly changedAt: string;
  readonly data: Location;
}

export interface UnitChange {
  readonly kind: 'unit';
  readonly id: string;
  readonly changedAt: string;
  readonly data: Unit;
}

/** A record of a kind that a later version of the service adds. Store it or ignore it. */
export interface UnknownChange {
  readonly kind: UnknownKind;
  readonly id: string;
  readonly changedAt: string;
  readonly data: unknown;
}

/** A record of the change feed: the current value of one object. Upsert it by `kind` and `id`. */
export type Change = SiteChange | LocationChange | UnitChange | UnknownChange;

/** One page of the feed (spec 4.6). */
export interface ChangePage {
  readonly changes: readonly Change[];
  /** The cursor of the next page. Every page has a cursor, even the last page or an empty page. */
  readonly nextCursor: string;
  /** True when the next page can be read immediately. */
  readonly hasMore: boolean;
}

/** The app's connection to a shop (spec 2.1). */
export interface Connection {
  readonly id: string;
  readonly tenant: { readonly id: string; readonly name: string; readonly slug: string };
  /** The member who approved. */
  readonly user: { readonly id: string; readonly name: string; readonly email: string };
  readonly clientId: string;
  readonly status: 'active';
  readonly connectedAt: string;
  /** Null when no webhook is registered. */
  readonly webhook?: Webhook | null;
  /** The head of the change feed: reading from this cursor returns only later changes. */
  readonly cursor: string;
}

export interface Webhook {
  readonly url: string;
  readonly createdAt: string;
}

/** The response to a webhook registration (spec 2.5). */
export interface WebhookRegistration {
  readonly url: string;
  /** The signing secret, `whsec_…`. Store it: only this response contains it. */
  readonly secret: string;
  readonly createdAt: string;
}

export interface Photo {
  readonly bytes: Uint8Array;
  /** `image/jpeg` or `image/webp`. */
  readonly contentType: string;
  /** Pass it to the next `shop.photo`; null when the response had no ETag. */
  readonly etag: string | null;
}

/** True if the unit can be sold to a customer now. */
export function isForSale(unit: Pick<Unit, 'status'>): boolean {
  return unit.status === 'in_stock';
}
