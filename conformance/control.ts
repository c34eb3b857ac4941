import type { HttpResponse } from './response.ts';
import { isObject, NotRun } from './expect.ts';
import { send } from './send.ts';
import type { TargetMember } from './target.ts';

/** The kinds of stock objects that can be changed. */
export type StockKind = 'unit' | 'site' | 'location';

/** Actions of the shop that tests need. The tester of an implementation provides them. */
export interface Control {
  /** Approves as a member. Returns the redirect target, or null when there is none. */
  approve(authorizationUrl: string, member: TargetMember): Promise<URL | null>;
  /** Denies as a member. Returns the redirect target, or null when there is none. */
  deny(authorizationUrl: string, member: TargetMember): Promise<URL | null>;
  /** Changes a value of an object in the shop, or creates one. Returns its id. */
  changeStock(shopId: string, kind?: StockKind): Promise<string>;
  /** Takes a unit out of stock, or deactivates a site or location. Returns its id. */
  leaveStock(shopId: string, kind: StockKind): Promise<string>;
  /** Changes the state of a boost. */
  moveBoost(shopId: string, boostId: string, to: 'open' | 'filled' | 'paused'): Promise<void>;
  disableApp(clientId: string): Promise<void>;
  enableApp(clientId: string): Promise<void>;
  /** Ends the app's connection on behalf of the shop. */
  endConnection(clientId: string): Promise<void>;
  /** Expires all existing cursors, as a restore from a backup does. */
  expireCursors(): Promise<void>;
  /** Moves the clock of the whole service forward. Returns its time in ms, or null when unknown. */
  advanceClock(seconds: number): Promise<number | null>;
}

/**
 * Opens the control protocol at an address. A control that the target lacks (404) makes a test
 * `not_run`.
 */
export function openControl(controlUrl: string): Control {
  async function call(name: string, parameters: unknown): Promise<unknown> {
    const response = await send({
      method: 'POST',
      url: `${controlUrl}/${name}`,
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(parameters),
    });
    if (response.status === 404) throw new NotRun(`the target has no control "${name}"`);
    return parse(name, response);
  }
  async function decide(name: string, url: string, member: TargetMember): Promise<URL | null> {
    const { email, password } = member;
    const result = await call(name, { authorizationUrl: url, email, password });
    if (isObject(result) && result['redirectUrl'] === null) return null;
    return new URL(textOf(result, 'redirectUrl'));
  }
  return {
    approve: async (url, member) => await decide('approve', url, member),
    deny: async (url, member) => await decide('deny', url, member),
    changeStock: async (shopId, kind = 'unit') =>
      textOf(await call('change-stock', { shopId, kind }), 'id'),
    leaveStock: async (shopId, kind) => textOf(await call('leave-stock', { shopId, kind }), 'id'),
    moveBoost: async (shopId, boostId, to) =>
      void (await call('move-boost', { shopId, boostId, to })),
    disableApp: async (clientId) => void (await call('disable-app', { clientId })),
    enableApp: async (clientId) => void (await call('enable-app', { clientId })),
    endConnection: async (clientId) => void (await call('end-connection', { clientId })),
    expireCursors: async () => void (await call('expire-cursors', {})),
    advanceClock: async (seconds) => instantOf(await call('advance-clock', { seconds })),
  };
}

function parse(name: string, response: HttpResponse): unknown {
  if (response.status < 200 || response.status > 299) {
    throw new Error(
      `the control "${name}" returned ${response.status} ${response.text.slice(0, 300)}`,
    );
  }
  if (response.text === '') return {};
  const value: unknown = JSON.parse(response.text);
  return value;
}

function textOf(value: unknown, member: string): string {
  const text = isObject(value) ? value[member] : undefined;
  if (typeof text !== 'string') throw new Error(`the response of a control has no ${member}`);
  return text;
}

function instantOf(value: unknown): number | null {
  const now = isObject(value) ? value['now'] : undefined;
  const atMs = typeof now === 'string' ? Date.parse(now) : Number.NaN;
  return Number.isNaN(atMs) ? null : atMs;
}
