import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { readBytes } from '../bytes.ts';
import { isObject } from '../expect.ts';
import { type Decision, MemberBrowser } from './member-browser.ts';
import type { ShopSystem } from './shop-system.ts';
import type { ChangeableStock } from './stock.ts';

/** A shop, and the objects that the controls change. */
export interface ControlledShop {
  readonly id: string;
  readonly system: ShopSystem;
  readonly changeable: ChangeableStock;
}

/** The parts of the target that the controls act on. */
export interface ControlledTarget {
  readonly shops: readonly ControlledShop[];
  setAppEnabled(clientId: string, isEnabled: boolean): Promise<void>;
  endConnection(clientId: string): Promise<void>;
  expireCursors(): Promise<void>;
  /**
   * Moves the target's clock forward and returns its time as text. Missing when the clock cannot be
   * moved.
   */
  readonly advanceClock?: (seconds: number) => Promise<string>;
}

/** Serves the control protocol (conformance/README.md) for a Cardport target. */
export interface ControlServer {
  readonly url: string;
  close(): Promise<void>;
}

/** The maximum size of a command. The largest command contains an authorization URL. */
const COMMAND_BYTES_MAX = 65_536;

type Command = Readonly<Record<string, unknown>>;
type Handler = (command: Command) => Promise<object>;

/** Serves the controls on a free loopback port. */
export async function startControlServer(controlled: ControlledTarget): Promise<ControlServer> {
  const handlers = handlersOf(controlled);
  const server = createServer((request, response) => {
    void respond(handlers, request, response);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  if (typeof address !== 'object' || address === null) {
    throw new Error('the control server is not listening');
  }
  return {
    url: `http://127.0.0.1:${address.port}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
      });
    },
  };
}

/** Executes a command and responds. An error becomes a 500 with its message. */
async function respond(
  handlers: Readonly<Record<string, Handler>>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const result = await handleCommand(handlers, request).catch((error: unknown) => ({
    status: 500,
    body: { sentence: error instanceof Error ? error.message : String(error) },
  }));
  response.writeHead(result.status, { 'Content-Type': 'application/json' });
  response.end(JSON.stringify(result.body));
}

async function handleCommand(
  handlers: Readonly<Record<string, Handler>>,
  request: IncomingMessage,
): Promise<{ readonly status: number; readonly body: object }> {
  const name = request.url?.slice(1) ?? '';
  const handler = Object.hasOwn(handlers, name) ? handlers[name] : undefined;
  if (handler === undefined) return { status: 404, body: {} };
  const command: unknown = JSON.parse(
    (await readBytes(request, COMMAND_BYTES_MAX)).toString('utf8'),
  );
  if (!isObject(command)) return { status: 400, body: {} };
  return { status: 200, body: await handler(command) };
}

function handlersOf(controlled: ControlledTarget): Record<string, Handler> {
  const { advanceClock } = controlled;
  const browsers = new Map<string, MemberBrowser>();
  const quantities = new Map<string, unknown>();
  let count = 0;
  const decide = async (command: Command, decision: Decision): Promise<object> => {
    const [email, password] = [textOf(command, 'email'), textOf(command, 'password')];
    const browser = browsers.get(email) ?? new MemberBrowser(email, password);
    browsers.set(email, browser);
    return { redirectUrl: await browser.decide(textOf(command, 'authorizationUrl'), decision) };
  };
  const shopOf = (command: Command): ControlledShop => {
    const shop = controlled.shops.find(({ id }) => id === command['shopId']);
    if (shop === undefined) throw new Error('unknown shop');
    return shop;
  };
  return {
    approve: async (command) => await decide(command, 'allow'),
    deny: async (command) => await decide(command, 'deny'),
    'change-stock': async (command) => ({
      id: await changeStock(shopOf(command), command, ++count),
    }),
    'leave-stock': async (command) => ({ id: await leaveStock(shopOf(command), command) }),
    'move-boost': async (command) => await moveBoost(shopOf(command), command, quantities),
    'disable-app': async (command) => {
      await controlled.setAppEnabled(textOf(command, 'clientId'), false);
      return {};
    },
    'enable-app': async (command) => {
      await controlled.setAppEnabled(textOf(command, 'clientId'), true);
      return {};
    },
    'expire-cursors': async () => {
      await controlled.expireCursors();
      return {};
    },
    'end-connection': async (command) => {
      await controlled.endConnection(textOf(command, 'clientId'));
      return {};
    },
    ...(advanceClock === undefined
      ? {}
      : {
          'advance-clock': async (command) => ({
            now: await advanceClock(Number(command['seconds'])),
          }),
        }),
  };
}

async function changeStock(
  { system, changeable }: ControlledShop,
  command: Command,
  count: number,
): Promise<string> {
  switch (command['kind']) {
    case 'site':
      await system.put(`/sites/${changeable.siteId}`, { name: `${count}回目の店` });
      return changeable.siteId;
    case 'location':
      await system.put(`/locations/${changeable.locationId}`, { name: `${count}番の棚` });
      return changeable.locationId;
    default:
      await system.put(`/units/${changeable.unitId}`, { priceMinor: 10_000 + count });
      return changeable.unitId;
  }
}

async function leaveStock(
  { system, changeable }: ControlledShop,
  command: Command,
): Promise<string> {
  switch (command['kind']) {
    case 'site':
      await system.put(`/sites/${changeable.leavingSiteId}`, { isActive: true });
      await system.put(`/sites/${changeable.leavingSiteId}`, { isActive: false });
      return changeable.leavingSiteId;
    case 'location':
      await system.put(`/locations/${changeable.leavingLocationId}`, { isActive: true });
      await system.put(`/locations/${changeable.leavingLocationId}`, { isActive: false });
      return changeable.leavingLocationId;
    default:
      await system.post(`/units/${changeable.leavingUnitId}/status`, { status: 'in_stock' });
      await system.post(`/units/${changeable.leavingUnitId}/status`, { status: 'sold' });
      return changeable.leavingUnitId;
  }
}

/**
 * Changes the state of a boost. `quantities` keeps the remaining quantity of each filled boost, so
 * that a reopened boost gets the same quantity.
 */
async function moveBoost(
  { system }: ControlledShop,
  command: Command,
  quantities: Map<string, unknown>,
): Promise<object> {
  const path = `/boosts/${textOf(command, 'boostId')}`;
  switch (command['to']) {
    case 'filled': {
      const boost = await system.get(path);
      const left = isObject(boost) ? boost['remainingQuantity'] : undefined;
      if (left !== 0) quantities.set(path, left);
      await system.put(path, { remainingQuantity: 0 });
      break;
    }
    case 'paused':
      await system.post(`${path}/pause`);
      break;
    default:
      if (quantities.has(path)) {
        await system.put(path, { remainingQuantity: quantities.get(path) });
      }
      await system.post(`${path}/resume`);
  }
  return {};
}

function textOf(command: Command, name: string): string {
  const value = command[name];
  if (typeof value !== 'string') throw new Error(`the request has no ${name}`);
  return value;
}
