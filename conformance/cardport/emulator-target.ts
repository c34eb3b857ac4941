import { isObject } from '../expect.ts';
import { card as cardShape } from '../resources.ts';
import type {
  KnownBoost,
  KnownCard,
  KnownObject,
  TargetApp,
  TargetBoosts,
  TargetMember,
  TargetShop,
  TargetStock,
} from '../target.ts';
import { startControlServer } from './control-server.ts';
import { LATER_BOOST_TIMES, NOTE_WITH_MARKUP, SECRET_COST, withoutChangedValues } from './stock.ts';
import { freePort, startProgram } from './program.ts';
import type { RunningTarget } from './serve-target.ts';
import { type ListedObject, ShopSystem } from './shop-system.ts';

const REDIRECT_URI = 'https://app.example/callback';
const OTHER_REDIRECT_URI = 'https://mirror.example/callback';
const FAR_AWAY = '2099-12-31T23:59:59Z';
const LATER_BOOST_ID = 'd1f0c0de-0015-4000-8000-000000000013';

/**
 * Starts the real `cardport emulate` with its seed. Its admin API provides the controls, including
 * the clock.
 *
 * @param file the program to start; defaults to this repository's
 */
export async function startEmulatorTarget(file?: string): Promise<RunningTarget> {
  await using stack = new AsyncDisposableStack();
  const port = await freePort();
  const receiverUrl = `http://127.0.0.1:${await freePort()}/hook`;
  const loopbackRedirectUri = new URL('/callback', receiverUrl).href;
  const args = ['emulate', '--json', '--port', String(port)].concat(
    ['--redirect-uri', REDIRECT_URI],
    ['--redirect-uri', loopbackRedirectUri],
  );
  const program = await startProgram(args, {}, (printed) => printed.includes('\n'), file);
  stack.defer(async () => await program.stop());
  const emulator = new Emulator(JSON.parse(program.printed));
  await emulator.prepare();
  const first = await emulator.shop(0);
  const second = await emulator.shop(1);
  const { known } = emulator;
  const control = await startControlServer({
    shops: [
      { ...first, changeable: emulator.changeable(first) },
      { ...second, changeable: emulator.changeable(second) },
    ],
    setAppEnabled: async (clientId, isEnabled) => {
      await emulator.call(`faults/${isEnabled ? 'enable' : 'disable'}-app`, { clientId });
    },
    endConnection: async (clientId) => {
      for (const { system } of [first, second]) await system.endConnections(clientId);
    },
    expireCursors: async () => void (await emulator.call('faults/expire-cursors', {})),
    advanceClock: async (seconds) => {
      const result = await emulator.call('clock', { advanceSeconds: seconds });
      return textOf(isObject(result) ? result : {}, 'now');
    },
  });
  stack.defer(async () => await control.close());
  const target = {
    name: 'cardport emulate',
    baseUrl: emulator.text('baseUrl'),
    authUrl: emulator.text('authUrl'),
    metadataUrl: emulator.text('metadataUrl'),
    controlUrl: control.url,
    shops: [first.shop, second.shop],
    catalog: {
      card: await emulator.card(known('card')),
      inactiveCard: await emulator.card(known('inactiveCard')),
      commonSearch: COMMON_SEARCH,
    },
    webhook: { acceptableUrl: 'https://app.example/notices', receiverUrl, loopbackRedirectUri },
    names: {
      cursorParameter: 'cursor',
      limitParameter: 'limit',
      changesMember: 'changes',
      timestampHeader: 'X-Service-Timestamp',
      signatureHeader: 'X-Service-Signature',
    },
  } as const;
  const owned = stack.move();
  return {
    target,
    serviceUrl: emulator.text('url'),
    close: async () => await owned.disposeAsync(),
    [Symbol.asyncDispose]: async () => await owned.disposeAsync(),
  };
}

/** The code of a card set with more than 25 cards. */
const COMMON_SEARCH = 'HT01';

interface EmulatedShop {
  readonly id: string;
  readonly shop: TargetShop;
  readonly system: ShopSystem;
}

/** A running emulator, described by its ready line. */
class Emulator {
  readonly #report: Readonly<Record<string, unknown>>;

  constructor(report: unknown) {
    if (!isObject(report)) throw new Error('the emulator’s ready line is not a JSON object');
    this.#report = report;
  }

  readonly known = (name: string): string => textOf(objectOf(this.#report, 'known'), name);

  text(name: string): string {
    return textOf(this.#report, name);
  }

  /** Calls the admin API of the emulator. */
  async call(path: string, value: object): Promise<unknown> {
    const response = await fetch(`${this.text('adminUrl')}/${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(value),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`the emulator's ${path}: ${response.status} ${text}`);
    const result: unknown = JSON.parse(text);
    return result;
  }

  /**
   * Adds data that the suite needs and the seed lacks: a boost that opens and closes, a note, a
   * cost, and a redirect URI of another origin for the second shop's app.
   */
  async prepare(): Promise<void> {
    const shop = elementOf(this.#report, 'shops', 0);
    const system = new ShopSystem(this.text('shopApiUrl'), textOf(shop, 'shopKey'));
    await system.put(`/boosts/${LATER_BOOST_ID}`, {
      target: { kind: 'product', productId: this.known('product') },
      priceMinor: 7_000,
      ...LATER_BOOST_TIMES,
    });
    await system.put(`/units/${this.known('unitWithPhotos')}`, { costMinor: SECRET_COST });
    await this.#keepBoosts(system);
    const [boost] = await system.list('/boosts?status=open');
    await system.put(`/boosts/${boost?.id}`, { note: NOTE_WITH_MARKUP });
    const clientId = textOf(elementOf(elementOf(this.#report, 'shops', 1), 'apps', 0), 'clientId');
    await this.call('redirect-uris', { clientId, redirectUri: OTHER_REDIRECT_URI });
  }

  /**
   * Moves the times of seeded boosts far into the future. Otherwise the first run would move the
   * clock past these times, and the lists in a second run would differ from the description.
   */
  async #keepBoosts(system: ShopSystem): Promise<void> {
    for (const { id } of await system.list('/boosts?status=scheduled')) {
      if (id === LATER_BOOST_ID) continue;
      await system.put(`/boosts/${id}`, { startsAt: FAR_AWAY, endsAt: null });
    }
    for (const status of ['open', 'filled']) {
      for (const { id, endsAt } of await system.list(`/boosts?status=${status}`)) {
        if (endsAt !== null) await system.put(`/boosts/${id}`, { endsAt: FAR_AWAY });
      }
    }
  }

  /** Returns a shop with the objects that its Shop API lists. */
  async shop(index: number): Promise<EmulatedShop> {
    const shop = elementOf(this.#report, 'shops', index);
    const system = new ShopSystem(this.text('shopApiUrl'), textOf(shop, 'shopKey'));
    const [id, name, slug] = [textOf(shop, 'id'), textOf(shop, 'name'), textOf(shop, 'slug')];
    const isFirst = index === 0;
    return {
      id,
      system,
      shop: {
        id,
        name,
        slug,
        members: {
          owner: memberOf(elementOf(shop, 'members', 0)),
          clerk: isFirst ? memberOf(elementOf(shop, 'members', 1)) : null,
        },
        apps: {
          main: appOf(elementOf(shop, 'apps', 0), isFirst ? REDIRECT_URI : OTHER_REDIRECT_URI),
          spare: isFirst ? appOf(elementOf(shop, 'apps', 2)) : null,
          narrow: isFirst ? appOf(elementOf(shop, 'apps', 1)) : null,
        },
        stock: await this.#stock(system, isFirst),
        boosts: {
          ...(await boostsOf(system)),
          opensLater: isFirst ? { id: LATER_BOOST_ID, ...LATER_BOOST_TIMES } : null,
        },
      },
    };
  }

  /** Returns the objects that the controls change. */
  changeable({ shop }: EmulatedShop): {
    readonly siteId: string;
    readonly locationId: string;
    readonly unitId: string;
    readonly leavingUnitId: string;
    readonly leavingSiteId: string;
    readonly leavingLocationId: string;
  } {
    const isFirst = shop.stock.inactiveSiteId !== null;
    const { siteIds, locationIds, unitIds } = shop.stock;
    const [siteId = '', locationId = '', unitId = ''] = [siteIds[0], locationIds[0], unitIds[0]];
    return {
      siteId: isFirst ? this.known('site') : siteId,
      locationId,
      unitId: isFirst ? this.known('unitConsigned') : unitId,
      leavingUnitId: isFirst ? this.known('unitAtInactiveSite') : unitId,
      leavingSiteId: isFirst ? this.known('inactiveSite') : siteId,
      leavingLocationId: isFirst ? this.known('inactiveLocation') : locationId,
    };
  }

  /** Returns a card as an app of the second shop gets it. */
  async card(id: string): Promise<KnownCard> {
    const result = await this.call('tokens', { clientId: 'app_second' });
    const token = isObject(result) ? result['access_token'] : undefined;
    const response = await fetch(`${this.text('baseUrl')}/cards/${id}`, {
      headers: { Authorization: `Bearer ${String(token)}` },
    });
    const reading = cardShape.read(await response.json(), '', false);
    if (reading.kind === 'faults') throw new Error(reading.faults.join('; '));
    const { name = '', cardNumber = null, janCode = null } = reading.value;
    return { ...reading.value, id, name, cardNumber, janCode };
  }

  async #stock(system: ShopSystem, isFirst: boolean): Promise<TargetStock> {
    const sites = await system.list('/sites');
    const locations = await system.list('/locations');
    const units = await system.list('/units');
    const idsOf = (list: readonly ListedObject[]): readonly string[] => list.map(({ id }) => id);
    const seeded = {
      siteIds: idsOf(sites),
      locationIds: idsOf(locations),
      unitIds: idsOf(units),
    };
    const none = {
      inactiveSiteId: null,
      inactiveLocationId: null,
      photo: null,
      unitWithoutPhotoId: null,
      unitInStockId: null,
      unitWithSecretCostId: null,
      statuses: {},
    };
    if (!isFirst) return { ...seeded, ...none };
    return {
      ...seeded,
      inactiveSiteId: this.known('inactiveSite'),
      inactiveLocationId: this.known('inactiveLocation'),
      photo: { unitId: this.known('unitWithPhotos'), sides: ['front', 'back'] },
      unitWithoutPhotoId: this.known('unitWithoutPhotos'),
      unitInStockId: this.known('unitWithPhotos'),
      unitWithSecretCostId: this.known('unitWithPhotos'),
      statuses: Object.fromEntries(
        Object.entries(Object.groupBy(units, (unit) => String(unit['status']))).map(
          ([status, some = []]) => [status, some.slice(0, 2).map(({ id }) => id)],
        ),
      ),
      values: withoutChangedValues([...sites, ...locations, ...units].map(stockValueOf), {
        siteId: this.known('site'),
        locationId: locations[0]?.id ?? '',
        unitId: this.known('unitConsigned'),
      }),
    };
  }
}

async function boostsOf(system: ShopSystem): Promise<Omit<TargetBoosts, 'opensLater'>> {
  const inState = async (status: string): Promise<readonly ListedObject[]> =>
    await system.list(`/boosts?status=${status}`);
  const open = await inState('open');
  const filled = await inState('filled');
  const hidden: Record<string, readonly string[]> = {};
  for (const status of ['scheduled', 'paused', 'ended', 'expired']) {
    hidden[status] = (await inState(status)).map(({ id }) => id);
  }
  return {
    open: inOrder(open),
    openAndFilled: inOrder([...open, ...filled]),
    values: [...open, ...filled].map(valueOf),
    hidden,
  };
}

/** Members that must be equal in both APIs, and that the controls do not change. */
const STOCK_MEMBERS = new Set(
  'code name kind countryCode timezone siteId locationId item priceMinor currency'.split(' '),
);

function stockValueOf(listed: ListedObject): KnownObject {
  const members = Object.entries(listed).filter(([name]) => STOCK_MEMBERS.has(name));
  return { ...Object.fromEntries(members), id: listed.id };
}

/** Returns the values that the Partner API must show for this boost. */
function valueOf(boost: ListedObject): KnownBoost {
  const target = objectOf(boost, 'target');
  const memberOrNull = (name: string): Readonly<Record<string, unknown>> | null => {
    const member = target[name];
    return isObject(member) ? member : null;
  };
  const textOrNull = (name: string): string | null => {
    const text = boost[name];
    return typeof text === 'string' ? text : null;
  };
  return {
    id: boost.id,
    card: memberOrNull('card'),
    grade: memberOrNull('grade'),
    product: memberOrNull('product'),
    priceMinor: Number(boost['priceMinor']),
    currency: textOf(boost, 'currency'),
    remainingQuantity:
      boost['remainingQuantity'] === null ? null : Number(boost['remainingQuantity']),
    startsAt: textOrNull('startsAt'),
    endsAt: textOrNull('endsAt'),
    note: textOrNull('note'),
  };
}

/** Sorts by highest price, then newest change, then id (decision 9). */
function inOrder(boosts: readonly ListedObject[]): readonly string[] {
  return boosts
    .toSorted(
      (a, b) =>
        Number(b['priceMinor']) - Number(a['priceMinor']) ||
        Date.parse(String(b['updatedAt'])) - Date.parse(String(a['updatedAt'])) ||
        (a.id < b.id ? -1 : 1),
    )
    .map(({ id }) => id);
}

function memberOf(member: Readonly<Record<string, unknown>>): TargetMember {
  return {
    email: textOf(member, 'email'),
    password: textOf(member, 'password'),
    name: textOf(member, 'name'),
  };
}

function appOf(app: Readonly<Record<string, unknown>>, redirectUri = REDIRECT_URI): TargetApp {
  const scopes: unknown = app['scopes'];
  return {
    clientId: textOf(app, 'clientId'),
    clientSecret: textOf(app, 'clientSecret'),
    redirectUri,
    scopes: Array.isArray(scopes) ? scopes.map(String) : [],
  };
}

function objectOf(
  value: Readonly<Record<string, unknown>>,
  name: string,
): Readonly<Record<string, unknown>> {
  const member = value[name];
  if (!isObject(member)) throw new Error(`the emulator's report has no ${name}`);
  return member;
}

function elementOf(
  value: Readonly<Record<string, unknown>>,
  name: string,
  index: number,
): Readonly<Record<string, unknown>> {
  const list = value[name];
  const element: unknown = Array.isArray(list) ? list[index] : undefined;
  if (!isObject(element)) throw new Error(`the emulator's report has no ${name}[${index}]`);
  return element;
}

function textOf(value: Readonly<Record<string, unknown>>, name: string): string {
  const text = value[name];
  if (typeof text !== 'string') throw new Error(`the emulator's report has no ${name}`);
  return text;
}
