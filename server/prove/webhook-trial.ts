import assert from 'node:assert/strict';
import { waitUntil } from '../test/wait-until.ts';
import { findLogFaults, findReceiverFaults, type LoggedAttempt } from './delivery-verdict.ts';
import { BEHAVIORS, type Behavior, ACCEPTING_BEHAVIORS } from './receiver-behavior.ts';
import type { ReceiverProcess } from './receiver-process.ts';
import type { Arrival } from './receiver.ts';
import type { StockWriters } from './stock-writers.ts';
import type { TrialConnection } from './webhook-scene.ts';

/** A running service with its receivers, connections and writers. */
export interface WebhookTrial {
  /** `PUBLIC_URL`. */
  readonly url: string;
  readonly receivers: ReceiverProcess;
  readonly connections: readonly TrialConnection[];
  readonly writers: StockWriters;
}

const PAGE_LIMIT = 100;
const PAGES_MAX = 1_000;
const CALLS_AT_ONCE = 16;
/** A prime that does not divide any number of receivers. */
const STRIDE = 37;
/** The maximum number of faults printed for one trial; the first ones show the cause. */
const FAULTS_TOLD = 20;

/** Chooses the behaviors of this many receivers. Most are healthy, and each behavior occurs. */
export function behaviorsOf(count: number): Behavior[] {
  const shares: Readonly<Partial<Record<Behavior, number>>> = {
    no_content: 0.14,
    slow: 0.07,
    flapping: 0.07,
    too_many: 0.04,
    drip_body: 0.02,
    huge: 0.02,
    error: 0.04,
  };
  const rare = 0.02;
  const kinds = BEHAVIORS.filter((kind) => kind !== 'ok').flatMap((kind) =>
    Array.from({ length: Math.max(1, Math.round(count * (shares[kind] ?? rare))) }, () => kind),
  );
  const all = [...kinds, ...Array.from({ length: count - kinds.length }, () => 'ok' as const)];
  // Every shop has two apps. With this stride, each pair of behaviors occurs in some shop.
  return all.map((_, n) => all[(n * STRIDE) % count] ?? 'ok');
}

/**
 * Waits until every healthy receiver has its shop's stock. Receivers read only after a delivery.
 */
export async function waitUntilAllInSync(
  { receivers, connections, writers }: WebhookTrial,
  boundMs: number,
): Promise<void> {
  let unsynced: string[] = [];
  const look = async (): Promise<boolean> => {
    const held = await receivers.held();
    unsynced = connections
      .filter(({ behavior }) => ACCEPTING_BEHAVIORS.has(behavior))
      .filter(({ receiver, shop }) => {
        const known = held[receiver];
        const truth = writers.truth.get(shop.id) ?? new Map<string, number>();
        return [...truth].some(([id, price]) => known?.get(id) !== price);
      })
      .map(({ receiver, behavior }) => `${receiver} ${behavior}`);
    if (unsynced.length > 0) await new Promise((resolve) => setTimeout(resolve, 200));
    return unsynced.length === 0;
  };
  await waitUntil(look, boundMs).catch(() => assert.fail(`not in sync: ${unsynced.join(', ')}`));
}

/** A connection as the Shop API shows it. */
interface Shown {
  readonly id: string;
  readonly webhook: {
    readonly state: string;
    readonly lastAttempt: { readonly startedAt: string; readonly result: string } | null;
  } | null;
  readonly removedWebhook: { readonly reason: string } | null;
}

/**
 * Waits until the Shop API shows no pending deliveries for healthy connections, and no attempt that
 * a killed worker left in progress. `killedAtMs` is the time of the last kill, in milliseconds
 * since 1970.
 */
export async function waitUntilSettled(
  { url, connections, writers }: WebhookTrial,
  killedAtMs: number,
  boundMs: number,
): Promise<void> {
  const healthy = new Set(
    connections
      .filter(({ behavior }) => ACCEPTING_BEHAVIORS.has(behavior))
      .map((one) => one.connectionId),
  );
  const isSettled = ({ id, webhook }: Shown): boolean => {
    if (healthy.has(id) && webhook?.state !== 'idle') return false;
    const last = webhook?.lastAttempt;
    return last?.result !== 'in_progress' || Date.parse(last.startedAt) > killedAtMs;
  };
  const waiting = new Map(connections.map(({ shop }) => [shop.id, shop.key]));
  assert.equal(waiting.size, writers.truth.size);
  await waitUntil(async () => {
    for (const [shopId, key] of waiting) {
      if (!(await listConnections(url, key)).every(isSettled)) break;
      waiting.delete(shopId);
    }
    if (waiting.size > 0) await new Promise((resolve) => setTimeout(resolve, 200));
    return waiting.size === 0;
  }, boundMs);
}

async function listConnections(url: string, key: string): Promise<readonly Shown[]> {
  const answer = (await callShop(url, '/connections', key)) as {
    readonly connections: readonly Shown[];
  };
  return answer.connections;
}

/** The result of a trial. */
export interface Verdict {
  readonly deliveries: number;
  readonly rows: number;
  readonly interrupted: number;
  readonly faults: readonly string[];
}

/** Compares the receivers' arrivals with the rules and with the attempt log of the Shop API. */
export async function checkTrial(trial: WebhookTrial): Promise<Verdict> {
  const { arrivals, canaryHits } = await trial.receivers.report();
  const byReceiver = Map.groupBy(arrivals, ({ receiver }) => receiver);
  const faults: string[] = [];
  if (canaryHits > 0) faults.push(`redirects were followed ${canaryHits} times`);
  let rows = 0;
  let interrupted = 0;
  const checkConnection = async (connection: TrialConnection): Promise<void> => {
    const own: readonly Arrival[] = byReceiver.get(connection.receiver) ?? [];
    const logged = await readAttempts(trial.url, connection);
    rows += logged.length;
    interrupted += logged.filter(({ error }) => error === 'interrupted').length;
    const { behavior } = connection;
    const found = [...findReceiverFaults(behavior, own, logged), ...findLogFaults(logged, own)];
    if (behavior !== 'bad_certificate' && own.length === 0) found.push('no delivery arrived');
    if (logged.length === 0) found.push('no attempt was logged');
    faults.push(...found.map((fault) => `${connection.receiver} (${behavior}): ${fault}`));
  };
  for (let from = 0; from < trial.connections.length; from += CALLS_AT_ONCE) {
    await Promise.all(trial.connections.slice(from, from + CALLS_AT_ONCE).map(checkConnection));
  }
  faults.push(...(await findUnreportedRemovals(trial)));
  return { deliveries: arrivals.length, rows, interrupted, faults };
}

/** Fails with the first faults of a verdict. */
export function requireNoFaults({ faults }: Verdict): void {
  const told = faults.slice(0, FAULTS_TOLD).join('\n');
  assert.equal(faults.length, 0, `${faults.length} faults:\n${told}`);
}

async function readAttempts(
  url: string,
  { shop, connectionId }: TrialConnection,
): Promise<readonly LoggedAttempt[]> {
  const attempts: LoggedAttempt[] = [];
  let cursor: string | null = null;
  for (let page = 0; page < PAGES_MAX; page++) {
    const query: string = cursor === null ? '' : `&cursor=${cursor}`;
    const path = `/connections/${connectionId}/attempts?limit=${PAGE_LIMIT}${query}`;
    const answer = (await callShop(url, path, shop.key)) as {
      readonly attempts: readonly LoggedAttempt[];
      readonly nextCursor: string | null;
    };
    attempts.push(...answer.attempts);
    cursor = answer.nextCursor;
    if (cursor === null) return attempts;
  }
  throw new Error(`the attempt log has more than ${PAGES_MAX} pages`);
}

/**
 * Returns a fault for each receiver that responded 410 but whose webhook is not shown as removed
 * for that reason.
 */
async function findUnreportedRemovals({ url, connections }: WebhookTrial): Promise<string[]> {
  const faults: string[] = [];
  for (const { shop, connectionId, behavior, receiver } of connections) {
    if (behavior !== 'gone') continue;
    const own = (await listConnections(url, shop.key)).find(({ id }) => id === connectionId);
    const isTold = own?.webhook === null && own.removedWebhook?.reason === 'gone';
    if (!isTold) {
      faults.push(`${receiver} (gone): the Shop API does not show why the webhook was removed`);
    }
  }
  return faults;
}

async function callShop(url: string, path: string, key: string): Promise<unknown> {
  const headers = { authorization: `Bearer ${key}` };
  const answer = await fetch(`${url}/shop/v1${path}`, { headers });
  const text = await answer.text();
  assert.equal(answer.status, 200, `${path}: ${text}`);
  return JSON.parse(text);
}
