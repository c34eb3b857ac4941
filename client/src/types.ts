// The API objects of specification 2, unchanged: nothing is renamed, times stay strings, and
// unknown members are passed on. Times are ISO 8601 in UTC with milliseconds.

/** A known value, or one that a later version of the service adds. */
export type OpenSet<Known extends string> = Known | (string & {});

/** A game. `id` is a UUID. */
export interface Game {
  readonly id: string;
  readonly code: string;
  readonly name: string;
}

export interface Rarity {
  readonly code: string;
  readonly name: string;
}

/** A card set. `id` is a UUID. */
export interface CardSet {
  readonly id: string;
  readonly code: string;
  readonly name: string;
  readonly nameEn?: string | null;
}

/** A card of the catalog (specification 2.2). */
export interface Card {
  /** A UUID. */
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

/** A card in a boost (specification 2.3): a {@link Card} without JAN code, variant and finish. */
export interface BoostCard {
  /** A UUID. */
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

/** The known product kinds; the set is open. */
export type KnownProductKind = 'box' | 'pack' | 'deck';

/** A sealed product (specification 2.3). */
export interface BoostProduct {
  /** A UUID. */
  readonly id: string;
  readonly name: string;
  readonly productKind: OpenSet<KnownProductKind>;
  readonly janCode: string | null;
  readonly languageCode: string;
  readonly imageUrl: string | null;
  readonly game: Game;
}

/** A condition: a grading service's grade, or the shop's own rank (specification 2.3). */
export interface Grade {
  /** A UUID. */
  readonly id: string;
  readonly code: string;
  /** The display name. */
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
  /** A UUID. */
  readonly id: string;
  readonly target: CardTarget | ProductTarget;
  /** The boosted price per piece, in the currency's minor unit: whole yen for JPY. */
  readonly priceMinor: number;
  /** ISO 4217. */
  readonly currency: string;
  /** How many more the shop will buy; null means no limit. */
  readonly remainingQuantity: number | null;
  /** `filled` occurs only with `include: 'filled'`. */
  readonly status: 'open' | 'filled';
  readonly startsAt: string | null;
  /** The boost closes at this time. */
  readonly endsAt: string | null;
  /** A note by the shop, up to 200 characters. */
  readonly note: string | null;
  readonly updatedAt: string;
}

/** The buy boosts, highest price first (specification 4.4). */
export interface BoostList {
  readonly boosts: readonly Boost[];
  readonly generatedAt: string;
}

/** The known kinds of storage locations; the set is open. */
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
  /** A UUID. */
  readonly id: string;
  readonly siteId: string;
  readonly code: string;
  readonly name: string;
  readonly kind: OpenSet<KnownLocationKind>;
  /** False when it was closed. Nothing is ever deleted. */
  readonly isActive: boolean;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** The known site kinds; the set is open. */
export type KnownSiteKind = 'store' | 'warehouse' | 'event' | 'online' | 'other';

/** A store, a warehouse or an event, and the storage locations in it (specification 2.4). */
export interface Site {
  /** A UUID. */
  readonly id: string;
  readonly code: string;
  readonly name: string;
  readonly kind: OpenSet<KnownSiteKind>;
  /** ISO 3166-1 alpha-2. */
  readonly countryCode: string;
  /** An IANA time zone. */
  readonly timezone: string;
  /** False when it was closed. Nothing is ever deleted. */
  readonly isActive: boolean;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly locations: readonly Location[];
}

/**
 * The known states of a unit; the set is open. Only `in_stock` is for sale. From `sold` on, the
 * unit has left the shop.
 */
export type KnownUnitStatus =
  | 'in_stock'
  | 'reserved'
  | 'in_transit'
  | 'grading'
  | 'sold'
  | 'returned'
  | 'written_off'
  | 'voided';

/**
 * A card in stock: the whole card, because variant and finish distinguish a foil from a plain card.
 */
export interface StockedCard {
  readonly kind: 'card';
  readonly card: Card;
  /** Null means not graded yet. */
  readonly grade: Grade | null;
}

/** The known sides with photos; the set is open. */
export type KnownPhotoSide = 'front' | 'back';

/** An entry of a unit's photo manifest. `shop.photo(unit.id, side)` fetches the bytes. */
export interface UnitPhoto {
  readonly side: OpenSet<KnownPhotoSide>;
  readonly contentType: string;
  /** Of the large photo, in pixels. */
  readonly width: number;
  /** Of the large photo, in pixels. */
  readonly height: number;
  /** Changes with the photo: pass it to `shop.photo` to fetch only new photos. */
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
  /**
   * What the shop paid; null unless the shop shares costs with this app and the approving member
   * may see them.
   */
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
 * A kind that this version does not know: at run time any other string. The type is not `string`,
 * so that `change.kind === 'unit'` narrows a {@link Change} to a {@link UnitChange}.
 */
export type UnknownKind = 'a kind from a later version' & { readonly [unknownKind]: true };

/** A site as it is now. Its `locations` are included, and also come as separate records. */
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

/** A record of a kind that a later version of the service adds: store it or ignore it. */
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
  /** Where to continue. Every page has it, even the last one or an empty one. */
  readonly nextCursor: string;
  /** While true, the next page can be read at once. */
  readonly hasMore: boolean;
}

/** The app's connection to a shop (specification 2.1). */
export interface Connection {
  /** A UUID. */
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
  /** The head of the change feed: reading from here returns only later changes. */
  readonly cursor: string;
}

export interface Webhook {
  readonly url: string;
  readonly createdAt: string;
}

/** The response to a webhook registration (specification 2.5). */
export interface WebhookRegistration {
  readonly url: string;
  /** The signing secret, `whsec_…`. Only this response has it, so store it. */
  readonly secret: string;
  readonly createdAt: string;
}

/** A photo's bytes. */
export interface Photo {
  readonly bytes: Uint8Array;
  /** `image/jpeg` or `image/webp`. */
  readonly contentType: string;
  /**
   * Pass it to the next `shop.photo` to fetch only a new photo; null when the response had none.
   */
  readonly etag: string | null;
}

/** True when the unit can be sold to a customer now, that is, when its status is `in_stock`. */
export function isForSale(unit: Pick<Unit, 'status'>): boolean {
  return unit.status === 'in_stock';
}
