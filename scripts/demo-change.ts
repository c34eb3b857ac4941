import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readCredentials } from '../server/src/demo/credentials.ts';

/** A change that the demo's shop can make while the example app is open. */
export type DemoChange = 'sell' | 'buy';

export function isDemoChange(word: string): word is DemoChange {
  return word === 'sell' || word === 'buy';
}

/** The maximum number of pages to read, enough for 100,000 units. The demo has 2,000. */
const PAGES_MAX = 100;

/**
 * Makes the change through the Shop API, as a till would, and prints where to see it. Returns the
 * exit code.
 */
export async function changeDemo(folder: string, change: DemoChange): Promise<number> {
  const credentials = readCredentials(join(folder, 'demo.json'));
  if (credentials === null) throw new Error('the demo is not running: start it with npm run demo');
  const addresses = JSON.parse(readFileSync(join(folder, 'addresses.json'), 'utf8')) as Addresses;
  const till = { ...addresses, shopKey: credentials.shopKey };
  console.log(change === 'sell' ? await sellMostExpensive(till) : await buyMostExpensive(till));
  return 0;
}

interface Addresses {
  readonly url: string;
  readonly appUrl: string;
}

interface Till extends Addresses {
  readonly shopKey: string;
}

interface Named {
  readonly card?: { readonly name: string };
  readonly product?: { readonly name: string };
}

interface Unit {
  readonly id: string;
  readonly status: string;
  readonly priceMinor: number | null;
  readonly item: Named;
}

interface Boost {
  readonly id: string;
  readonly priceMinor: number;
  readonly remainingQuantity: number | null;
  readonly target: Named;
}

async function sellMostExpensive(till: Till): Promise<string> {
  const pieces = await list<Unit>(till, 'units', '');
  const forSale = pieces.filter(({ status }) => status === 'in_stock');
  const piece = findMostExpensive(forSale);
  if (piece === undefined) return 'Everything is already sold.';
  await call(till, `/units/${piece.id}/status`, { status: 'sold' });
  return `Sold: ${nameOf(piece.item)}, ${yen(piece.priceMinor)}. Reload ${till.appUrl}/stock: the card is gone.`;
}

async function buyMostExpensive(till: Till): Promise<string> {
  const boosts = await list<Boost>(till, 'boosts', 'status=open&');
  const boost = findMostExpensive(
    boosts.filter(({ remainingQuantity }) => remainingQuantity !== null),
  );
  if (boost === undefined) return 'Every boost with a limit is already filled.';
  await call(till, `/boosts/${boost.id}/purchases`, { id: randomUUID(), quantity: 1 });
  const left = (boost.remainingQuantity ?? 0) - 1;
  const shown = left === 0 ? 'leaves' : `asks for ${left} more on`;
  return `Bought: ${nameOf(boost.target)} for ${yen(boost.priceMinor)}. It ${shown} ${till.appUrl}/ within 10 seconds.`;
}

function findMostExpensive<T extends { readonly priceMinor: number | null }>(
  from: readonly T[],
): T | undefined {
  return from.toSorted((a, b) => (b.priceMinor ?? 0) - (a.priceMinor ?? 0))[0];
}

function nameOf({ card, product }: Named): string {
  return card?.name ?? product?.name ?? '?';
}

function yen(priceMinor: number | null): string {
  return `¥${(priceMinor ?? 0).toLocaleString('en')}`;
}

interface Page {
  readonly nextCursor: string | null;
  readonly hasMore: boolean;
}

async function list<T>(
  till: Till,
  name: 'units' | 'boosts',
  filter: string,
): Promise<readonly T[]> {
  const found: T[] = [];
  let cursor = '';
  for (let pages = 0; pages < PAGES_MAX; pages++) {
    const path = `/${name}?${filter}limit=1000${cursor === '' ? '' : `&cursor=${cursor}`}`;
    const page = (await call(till, path)) as Page & Record<typeof name, readonly T[]>;
    found.push(...page[name]);
    if (!page.hasMore) break;
    cursor = page.nextCursor ?? '';
  }
  return found;
}

async function call({ url, shopKey }: Till, path: string, body?: object): Promise<unknown> {
  const sent = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
  const headers = { authorization: `Bearer ${shopKey}`, 'content-type': 'application/json' };
  const answer = await fetch(`${url}/shop/v1${path}`, { ...sent, headers }).catch(() => null);
  if (answer === null) throw new Error(`no response from ${url}: start the demo with npm run demo`);
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text}`);
  return JSON.parse(text);
}
