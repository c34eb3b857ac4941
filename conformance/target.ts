import { isObject } from './expect.ts';

/** An app that is registered with a shop. */
export interface TargetApp {
  readonly clientId: string;
  readonly clientSecret: string;
  /** One of its redirect URIs. */
  readonly redirectUri: string;
  /** The scopes that the shop allows the app to ask for. */
  readonly scopes: readonly string[];
}

/** A member of a shop who can sign in. */
export interface TargetMember {
  readonly email: string;
  readonly password: string;
  readonly name: string;
}

/** The seeded objects of a shop, by their API ids. */
export interface TargetStock {
  /**
   * The ids of all sites, of all locations, and of all units, including units that have left stock.
   */
  readonly siteIds: readonly string[];
  readonly locationIds: readonly string[];
  readonly unitIds: readonly string[];
  /** An inactive site, and an inactive location. */
  readonly inactiveSiteId: string | null;
  readonly inactiveLocationId: string | null;
  /** A unit with photos, and the sides that have one. */
  readonly photo: { readonly unitId: string; readonly sides: readonly string[] } | null;
  /** A unit without photos. */
  readonly unitWithoutPhotoId: string | null;
  /** A unit that is in stock and stays there. */
  readonly unitInStockId: string | null;
  /** A unit with a cost that is shared with no app. */
  readonly unitWithSecretCostId: string | null;
  /** The ids of units whose status the controls do not change, grouped by status. */
  readonly statuses: Readonly<Record<string, readonly string[]>>;
  /**
   * Expected values of sites, locations and units. Leave out values that the controls change. The
   * more values are listed, the more is checked.
   */
  readonly values?: readonly KnownObject[] | null;
}

/** A site, location or unit with members of its `data`, as the implementation names them. */
export type KnownObject = Readonly<Record<string, unknown>> & { readonly id: string };

/** The expected fields of a boost. Other fields are not checked. */
export interface KnownBoost {
  readonly id: string;
  /**
   * The BoostCard with its Grade (null means any grade), or the BoostProduct, each with all fields.
   */
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

/** The seeded boosts of a shop, by state. */
export interface TargetBoosts {
  /**
   * Ids in the required order of the list. They include at least one boost of a card and one of a
   * product.
   */
  readonly open: readonly string[];
  /** Ids of open and filled boosts, in the order of `include=filled`. */
  readonly openAndFilled: readonly string[];
  /** Expected fields of open and filled boosts. More fields mean more checks. */
  readonly values: readonly KnownBoost[];
  /** Boosts that must never be listed, by state: `scheduled`, `paused`, `ended`, `expired`. */
  readonly hidden: Readonly<Record<string, readonly string[]>>;
  /** A boost that is not yet listed, opens at startsAt and closes at endsAt. */
  readonly opensLater: {
    readonly id: string;
    readonly startsAt: string;
    readonly endsAt: string;
  } | null;
}

export interface TargetShop {
  readonly id: string;
  readonly name: string;
  readonly slug: string;
  readonly members: {
    /** A member who has all permissions in the shop. */
    readonly owner: TargetMember;
    /** A member without the permission `purchases.read`. Only the first shop needs one. */
    readonly clerk: TargetMember | null;
  };
  readonly apps: {
    /** An app that may ask for all five scopes. */
    readonly main: TargetApp;
    /**
     * Another app that may ask for all five scopes. Tests disable this app, end its connections and
     * revoke its tokens.
     */
    readonly spare: TargetApp | null;
    /** An app that may not ask for `inventory:read`. */
    readonly narrow: TargetApp | null;
  };
  readonly stock: TargetStock;
  readonly boosts: TargetBoosts;
}

/** A catalog card that searches must find. */
export interface KnownCard {
  readonly id: string;
  readonly name: string;
  readonly cardNumber: string | null;
  readonly janCode: string | null;
  /** Further expected fields of the card (2.2). */
  readonly [field: string]: unknown;
}

/** An implementation under test: its addresses, its data, and the controls of the shop's side. */
export interface Target {
  readonly name: string;
  /** `{base_url}`, without a trailing slash. */
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
    /** An inactive card, which no search may find. */
    readonly inactiveCard: KnownCard | null;
    /** A search with more than 25 active matches. */
    readonly commonSearch: string | null;
  };
  readonly webhook: {
    /** A URL that may be registered for the main app of the first shop. No notice is sent to it. */
    readonly acceptableUrl: string;
    /**
     * Where the suite listens for notices: an http address on loopback that may also be registered.
     */
    readonly receiverUrl: string | null;
    /**
     * An http redirect URI of the apps of the first shop, for rule 1 of 4.10. No notice is sent
     * there.
     */
    readonly loopbackRedirectUri: string | null;
  };
  /** Names that the specification does not show, or shows only as a neutral placeholder. */
  readonly names: {
    readonly cursorParameter: string;
    /** The parameter for the page size of the feed; null when a reader cannot choose it. */
    readonly limitParameter: string | null;
    /** The member of a feed page that lists its records. */
    readonly changesMember: string;
    readonly timestampHeader: string;
    readonly signatureHeader: string;
  };
}

/** The result of reading a description. */
export type TargetReading =
  | { readonly kind: 'target'; readonly target: Target }
  | { readonly kind: 'faults'; readonly faults: readonly string[] };

/** Validates a description of a target. Each error is a sentence that names the invalid member. */
export function readTarget(value: unknown): TargetReading {
  const faults: string[] = [];
  checkDescription(new DescriptionNode(value, '', faults));
  // The only cast: every member was checked above.
  return faults.length === 0
    ? { kind: 'target', target: value as Target }
    : { kind: 'faults', faults };
}

function checkDescription(target: DescriptionNode): void {
  target.at('name').requireText();
  for (const name of ['baseUrl', 'authUrl', 'metadataUrl', 'controlUrl']) {
    target.at(name).requireUrl();
  }
  const shops = target.at('shops');
  const isPair = shops.isArray() && shops.length() === 2;
  if (!isPair) shops.addError('must be two shops');
  for (const shop of shops.elements()) checkShop(shop);
  checkCard(target.at('catalog').at('card'));
  target.at('catalog').at('inactiveCard').orNull(checkCard);
  target
    .at('catalog')
    .at('commonSearch')
    .orNull((node) => node.requireText());
  target.at('webhook').at('acceptableUrl').requireUrl();
  target
    .at('webhook')
    .at('receiverUrl')
    .orNull((node) => node.requireUrl());
  target
    .at('webhook')
    .at('loopbackRedirectUri')
    .orNull((node) => node.requireUrl());
  for (const name of ['cursorParameter', 'changesMember', 'timestampHeader', 'signatureHeader']) {
    target.at('names').at(name).requireText();
  }
  target
    .at('names')
    .at('limitParameter')
    .orNull((node) => node.requireText());
}

function checkShop(shop: DescriptionNode): void {
  for (const name of ['id', 'name', 'slug']) shop.at(name).requireText();
  checkMember(shop.at('members').at('owner'));
  shop.at('members').at('clerk').orNull(checkMember);
  checkApp(shop.at('apps').at('main'));
  shop.at('apps').at('spare').orNull(checkApp);
  shop.at('apps').at('narrow').orNull(checkApp);
  const stock = shop.at('stock');
  for (const name of ['siteIds', 'locationIds', 'unitIds']) stock.at(name).requireTexts();
  for (const name of [
    'inactiveSiteId',
    'inactiveLocationId',
    'unitWithoutPhotoId',
    'unitInStockId',
    'unitWithSecretCostId',
  ]) {
    stock.at(name).orNull((node) => node.requireText());
  }
  stock.at('photo').orNull((photo) => {
    photo.at('unitId').requireText();
    photo.at('sides').requireTexts();
  });
  for (const status of stock.at('statuses').members()) status.requireTexts();
  stock.at('values').ifPresent((values) => {
    if (!values.isArray()) values.addError('must be an array');
    for (const known of values.elements()) known.at('id').requireText();
  });
  shop.at('boosts').at('open').requireTexts();
  shop.at('boosts').at('openAndFilled').requireTexts();
  shop
    .at('boosts')
    .at('opensLater')
    .orNull((later) => {
      for (const name of ['id', 'startsAt', 'endsAt']) later.at(name).requireText();
    });
  const values = shop.at('boosts').at('values');
  if (!values.isArray()) values.addError('must be an array');
  for (const boost of values.elements()) boost.at('id').requireText();
  for (const condition of shop.at('boosts').at('hidden').members()) condition.requireTexts();
}

function checkMember(member: DescriptionNode): void {
  for (const name of ['email', 'password', 'name']) member.at(name).requireText();
}

function checkApp(app: DescriptionNode): void {
  for (const name of ['clientId', 'clientSecret']) app.at(name).requireText();
  app.at('redirectUri').requireUrl();
  app.at('scopes').requireTexts();
}

function checkCard(card: DescriptionNode): void {
  for (const name of ['id', 'name']) card.at(name).requireText();
  for (const name of ['cardNumber', 'janCode']) card.at(name).orNull((node) => node.requireText());
}

/** A value in the description; reading it adds its errors to the list. */
class DescriptionNode {
  readonly #value: unknown;
  readonly #path: string;
  readonly #faults: string[];

  constructor(value: unknown, path: string, faults: string[]) {
    this.#value = value;
    this.#path = path;
    this.#faults = faults;
  }

  at(name: string): DescriptionNode {
    const path = this.#path === '' ? name : `${this.#path}.${name}`;
    const value = isObject(this.#value) ? this.#value[name] : undefined;
    return new DescriptionNode(value, path, this.#faults);
  }

  addError(sentence: string): void {
    this.#faults.push(`${this.#path} ${sentence}`);
  }

  requireText(): void {
    if (typeof this.#value !== 'string' || this.#value === '') this.addError('must be a string');
  }

  requireUrl(): void {
    const value = this.#value;
    if (typeof value !== 'string' || !URL.canParse(value)) this.addError('must be an absolute URL');
    else if (value.endsWith('/') && new URL(value).pathname !== '/') {
      this.addError('must not end with a slash');
    }
  }

  isArray(): boolean {
    return Array.isArray(this.#value);
  }

  length(): number {
    return this.elements().length;
  }

  elements(): readonly DescriptionNode[] {
    if (!Array.isArray(this.#value)) return [];
    return this.#value.map(
      (element: unknown, index) =>
        new DescriptionNode(element, `${this.#path}[${index}]`, this.#faults),
    );
  }

  members(): readonly DescriptionNode[] {
    if (!isObject(this.#value)) {
      this.addError('must be an object');
      return [];
    }
    return Object.keys(this.#value).map((name) => this.at(name));
  }

  requireTexts(): void {
    if (this.isArray()) for (const element of this.elements()) element.requireText();
    else this.addError('must be an array of strings');
  }

  ifPresent(check: (node: DescriptionNode) => void): void {
    if (this.#value !== undefined && this.#value !== null) check(this);
  }

  orNull(check: (node: DescriptionNode) => void): void {
    if (this.#value === undefined) this.addError('is required (null when the target has none)');
    else if (this.#value !== null) check(this);
  }
}
