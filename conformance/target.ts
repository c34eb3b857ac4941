import { isObject } from './expect.ts';

/** An app that is registered with a shop. */
export interface TargetApp {
  readonly clientId: string;
  readonly clientSecret: string;
  /** One of its redirect URIs. */
  readonly redirectUri: string;
  /** What the shop allowed it to ask for. */
  readonly scopes: readonly string[];
}

/** A member of a shop, who can sign in. */
export interface TargetMember {
  readonly email: string;
  readonly password: string;
  readonly name: string;
}

/** What is seeded in a shop. Ids are those of the wire. */
export interface TargetStock {
  /** The ids of all sites; of all locations; of all units, also of those that left stock. */
  readonly siteIds: readonly string[];
  readonly locationIds: readonly string[];
  readonly unitIds: readonly string[];
  /** One of each that is not active. */
  readonly inactiveSiteId: string | null;
  readonly inactiveLocationId: string | null;
  /** A unit with photos, and the sides that it has. */
  readonly photo: { readonly unitId: string; readonly sides: readonly string[] } | null;
  /** A unit without any photo. */
  readonly unitWithoutPhotoId: string | null;
  /** A unit that is in stock and stays there. */
  readonly unitInStockId: string | null;
  /** A unit with a purchase cost that is shared with no app. */
  readonly unitWithSecretCostId: string | null;
  /** Units by the word of their status, as far as they keep it. */
  readonly statuses: Readonly<Record<string, readonly string[]>>;
  /** What sites, locations and units have to say, without what the controls change; the more, the more is shown. */
  readonly values?: readonly KnownObject[] | null;
}

/** A site, location or unit with members of its `data`, called as the implementation calls them. */
export type KnownObject = Readonly<Record<string, unknown>> & { readonly id: string };

/** What the list has to say of a boost, whatever else it says of it. */
export interface KnownBoost {
  readonly id: string;
  /** BoostCard with Grade (null: any), or BoostProduct: every field that they have. */
  readonly card: Readonly<Record<string, unknown>> | null;
  readonly grade: Readonly<Record<string, unknown>> | null;
  readonly product: Readonly<Record<string, unknown>> | null;
  readonly priceMinor: number;
  readonly currency: string;
  readonly remainingQuantity: number | null;
  readonly startsAt: string | null;
  readonly endsAt: string | null;
  readonly note: string | null;
}

/** The buy boosts that are seeded in a shop, by what holds of them. */
export interface TargetBoosts {
  /** In the order in which the list has to show them. At least one of a card, one of a product. */
  readonly open: readonly string[];
  /** `open` and `filled` ones in the order of `include=filled`. */
  readonly openAndFilled: readonly string[];
  /** The values of open and filled ones; the more, the more is shown. */
  readonly values: readonly KnownBoost[];
  /** Those that are never listed, by their condition: `scheduled`, `paused`, `ended`, `expired`. */
  readonly hidden: Readonly<Record<string, readonly string[]>>;
  /** One that is not listed yet, opens at startsAt and closes at endsAt. */
  readonly opensLater: {
    readonly id: string;
    readonly startsAt: string;
    readonly endsAt: string;
  } | null;
}

/** A shop of the target. */
export interface TargetShop {
  readonly id: string;
  readonly name: string;
  readonly slug: string;
  readonly members: {
    /** May do everything in the shop. */
    readonly owner: TargetMember;
    /** Has not the permission `purchases.read`. Needed in the first shop only. */
    readonly clerk: TargetMember | null;
  };
  readonly apps: {
    /** May ask for all five scopes. */
    readonly main: TargetApp;
    /** Another one that may ask for all five: tests disable it, end its connections and revoke its tokens. */
    readonly spare: TargetApp | null;
    /** May not ask for `inventory:read`. */
    readonly narrow: TargetApp | null;
  };
  readonly stock: TargetStock;
  readonly boosts: TargetBoosts;
}

/** A card of the catalog that searches have to find. */
export interface KnownCard {
  readonly id: string;
  readonly name: string;
  readonly cardNumber: string | null;
  readonly janCode: string | null;
  /** Further fields of the Card of 2.2 that it has to be shown with. */
  readonly [field: string]: unknown;
}

/** An implementation under test: where it is, what is in it, how the suite reaches the shop's side. */
export interface Target {
  readonly name: string;
  /** `{base_url}`, without a slash at its end. */
  readonly baseUrl: string;
  /** `{auth_url}` */
  readonly authUrl: string;
  /** `{metadata_url}` */
  readonly metadataUrl: string;
  /** The address of the control protocol (conformance/README.md). */
  readonly controlUrl: string;
  readonly shops: readonly [TargetShop, TargetShop];
  readonly catalog: {
    readonly card: KnownCard;
    /** A card that is not active, which no search may find. */
    readonly inactiveCard: KnownCard | null;
    /** A search that more than 25 active cards meet. */
    readonly commonSearch: string | null;
  };
  readonly webhook: {
    /** A URL that may be registered for the main app of the first shop. Nothing is sent to it. */
    readonly acceptableUrl: string;
    /** Where the suite listens for notices: an http address of loopback that may be registered too. */
    readonly receiverUrl: string | null;
    /** A redirect URI of the apps of the first shop that is http, for rule 1 of 4.10 where nothing is sent there. */
    readonly loopbackRedirectUri: string | null;
  };
  /** Names that the specification does not show, or shows with a neutral word. */
  readonly names: {
    readonly cursorParameter: string;
    /** Of the feed: how many records a page has at most; null where a reader cannot choose. */
    readonly limitParameter: string | null;
    /** The member of a page of the feed that lists its records. */
    readonly changesMember: string;
    readonly timestampHeader: string;
    readonly signatureHeader: string;
  };
}

/** What reading a description came to. */
export type TargetReading =
  | { readonly kind: 'target'; readonly target: Target }
  | { readonly kind: 'faults'; readonly faults: readonly string[] };

/** Reads a description of a target. Every fault is a sentence that names its place. */
export function readTarget(value: unknown): TargetReading {
  const faults: string[] = [];
  checkDescription(new Place(value, '', faults));
  // Everything that the type says was looked at: this is the parser's one assertion.
  return faults.length === 0
    ? { kind: 'target', target: value as Target }
    : { kind: 'faults', faults };
}

function checkDescription(target: Place): void {
  target.at('name').isText();
  for (const name of ['baseUrl', 'authUrl', 'metadataUrl', 'controlUrl']) target.at(name).isUrl();
  const shops = target.at('shops');
  const isPair = shops.isArray() && shops.length() === 2;
  if (!isPair) shops.fault('must be two shops');
  for (const shop of shops.elements()) checkShop(shop);
  checkCard(target.at('catalog').at('card'));
  target.at('catalog').at('inactiveCard').orNull(checkCard);
  target
    .at('catalog')
    .at('commonSearch')
    .orNull((place) => place.isText());
  target.at('webhook').at('acceptableUrl').isUrl();
  target
    .at('webhook')
    .at('receiverUrl')
    .orNull((place) => place.isUrl());
  target
    .at('webhook')
    .at('loopbackRedirectUri')
    .orNull((place) => place.isUrl());
  for (const name of ['cursorParameter', 'changesMember', 'timestampHeader', 'signatureHeader']) {
    target.at('names').at(name).isText();
  }
  target
    .at('names')
    .at('limitParameter')
    .orNull((place) => place.isText());
}

function checkShop(shop: Place): void {
  for (const name of ['id', 'name', 'slug']) shop.at(name).isText();
  checkMember(shop.at('members').at('owner'));
  shop.at('members').at('clerk').orNull(checkMember);
  checkApp(shop.at('apps').at('main'));
  shop.at('apps').at('spare').orNull(checkApp);
  shop.at('apps').at('narrow').orNull(checkApp);
  const stock = shop.at('stock');
  for (const name of ['siteIds', 'locationIds', 'unitIds']) stock.at(name).isTexts();
  for (const name of [
    'inactiveSiteId',
    'inactiveLocationId',
    'unitWithoutPhotoId',
    'unitInStockId',
    'unitWithSecretCostId',
  ]) {
    stock.at(name).orNull((place) => place.isText());
  }
  stock.at('photo').orNull((photo) => {
    photo.at('unitId').isText();
    photo.at('sides').isTexts();
  });
  for (const status of stock.at('statuses').members()) status.isTexts();
  stock.at('values').ifThere((values) => {
    if (!values.isArray()) values.fault('must be an array');
    for (const known of values.elements()) known.at('id').isText();
  });
  shop.at('boosts').at('open').isTexts();
  shop.at('boosts').at('openAndFilled').isTexts();
  shop
    .at('boosts')
    .at('opensLater')
    .orNull((later) => {
      for (const name of ['id', 'startsAt', 'endsAt']) later.at(name).isText();
    });
  const values = shop.at('boosts').at('values');
  if (!values.isArray()) values.fault('must be an array');
  for (const boost of values.elements()) boost.at('id').isText();
  for (const condition of shop.at('boosts').at('hidden').members()) condition.isTexts();
}

function checkMember(member: Place): void {
  for (const name of ['email', 'password', 'name']) member.at(name).isText();
}

function checkApp(app: Place): void {
  for (const name of ['clientId', 'clientSecret']) app.at(name).isText();
  app.at('redirectUri').isUrl();
  app.at('scopes').isTexts();
}

function checkCard(card: Place): void {
  for (const name of ['id', 'name']) card.at(name).isText();
  for (const name of ['cardNumber', 'janCode']) card.at(name).orNull((place) => place.isText());
}

/** A place in the description, which adds what is wrong with it to the faults. */
class Place {
  readonly #value: unknown;
  readonly #path: string;
  readonly #faults: string[];

  constructor(value: unknown, path: string, faults: string[]) {
    this.#value = value;
    this.#path = path;
    this.#faults = faults;
  }

  at(name: string): Place {
    const path = this.#path === '' ? name : `${this.#path}.${name}`;
    const value = isObject(this.#value) ? this.#value[name] : undefined;
    return new Place(value, path, this.#faults);
  }

  fault(sentence: string): void {
    this.#faults.push(`${this.#path} ${sentence}`);
  }

  isText(): void {
    if (typeof this.#value !== 'string' || this.#value === '') this.fault('must be a text');
  }

  isUrl(): void {
    const value = this.#value;
    if (typeof value !== 'string' || !URL.canParse(value)) this.fault('must be an absolute URL');
    else if (value.endsWith('/') && new URL(value).pathname !== '/') {
      this.fault('must not end with a slash');
    }
  }

  isArray(): boolean {
    return Array.isArray(this.#value);
  }

  length(): number {
    return this.elements().length;
  }

  elements(): readonly Place[] {
    if (!Array.isArray(this.#value)) return [];
    return this.#value.map(
      (element: unknown, index) => new Place(element, `${this.#path}[${index}]`, this.#faults),
    );
  }

  members(): readonly Place[] {
    if (!isObject(this.#value)) {
      this.fault('must be an object');
      return [];
    }
    return Object.keys(this.#value).map((name) => this.at(name));
  }

  isTexts(): void {
    if (this.isArray()) for (const element of this.elements()) element.isText();
    else this.fault('must be an array of texts');
  }

  ifThere(check: (place: Place) => void): void {
    if (this.#value !== undefined && this.#value !== null) check(this);
  }

  orNull(check: (place: Place) => void): void {
    if (this.#value === undefined) this.fault('must be there (null when the target has none)');
    else if (this.#value !== null) check(this);
  }
}
