import type { Answer } from './answer.ts';
import { isObject, NotRun } from './expect.ts';
import { send } from './send.ts';
import type { TargetMember } from './target.ts';

/** What can be changed in a shop's stock. */
export type StockKind = 'unit' | 'site' | 'location';

/** The shop's side of a target: what the suite asks for, and the tester of an implementation provides. */
export interface Control {
  /** Approves as a member, and returns where the browser was sent: null when it was sent nowhere. */
  approve(authorizationUrl: string, member: TargetMember): Promise<URL | null>;
  /** Declines instead. */
  deny(authorizationUrl: string, member: TargetMember): Promise<URL | null>;
  /** Changes a value of a new or known object in the shop; returns its id. */
  changeStock(shopId: string, kind?: StockKind): Promise<string>;
  /** Lets a unit leave stock, or makes a site or location inactive; returns its id. */
  leaveStock(shopId: string, kind: StockKind): Promise<string>;
  /** Brings a boost of the shop into another condition. */
  moveBoost(shopId: string, boostId: string, to: 'open' | 'filled' | 'paused'): Promise<void>;
  disableApp(clientId: string): Promise<void>;
  enableApp(clientId: string): Promise<void>;
  /** Ends the app's connection as the shop. */
  endConnection(clientId: string): Promise<void>;
  /** Lets every cursor that was given expire, as after a restore from a backup. */
  expireCursors(): Promise<void>;
  /** Lets the whole service live so much later. Returns its instant in ms, null when it does not tell. */
  advanceClock(seconds: number): Promise<number | null>;
}

/** Opens the control protocol at an address. A control that the target does not have (404) makes a test `not_run`. */
export function openControl(controlUrl: string): Control {
  async function call(name: string, order: unknown): Promise<unknown> {
    const answer = await send({
      method: 'POST',
      url: `${controlUrl}/${name}`,
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(order),
    });
    if (answer.status === 404) throw new NotRun(`the target has no control "${name}"`);
    return parse(name, answer);
  }
  async function decide(name: string, url: string, member: TargetMember): Promise<URL | null> {
    const { email, password } = member;
    const told = await call(name, { authorizationUrl: url, email, password });
    if (isObject(told) && told['redirectUrl'] === null) return null;
    return new URL(textOf(told, 'redirectUrl'));
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

function parse(name: string, answer: Answer): unknown {
  if (answer.status < 200 || answer.status > 299) {
    throw new Error(`the control "${name}" answered ${answer.status} ${answer.text.slice(0, 300)}`);
  }
  if (answer.text === '') return {};
  const value: unknown = JSON.parse(answer.text);
  return value;
}

function textOf(value: unknown, member: string): string {
  const text = isObject(value) ? value[member] : undefined;
  if (typeof text !== 'string') throw new Error(`a control's answer has no ${member}`);
  return text;
}

function instantOf(value: unknown): number | null {
  const now = isObject(value) ? value['now'] : undefined;
  const atMs = typeof now === 'string' ? Date.parse(now) : Number.NaN;
  return Number.isNaN(atMs) ? null : atMs;
}
