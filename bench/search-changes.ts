// Measures the search over HTTP while the catalog changes: `node bench/search-changes.ts [cards]`,
// 500,000 by default (`npm run bench -- search` measures it without changes). It starts a temporary
// PostgreSQL and prints a table and a line of JSON.
import { randomUUID } from 'node:crypto';
import { Agent, request } from 'node:http';
import { cpus, loadavg } from 'node:os';
import { newId } from '../server/src/base/secrets.ts';
import type { Card } from '../server/src/catalog/card.ts';
import { openConnection } from '../server/src/connections/connection.ts';
import type { Database } from '../server/src/database/database.ts';
import { statement } from '../server/src/database/statement.ts';
import { announce } from '../server/src/database/channel.ts';
import { lockCatalogExclusive } from '../server/src/catalog/catalog-lock.ts';
import { OPERATOR } from '../server/src/shops/audit.ts';
import { seedGrant, seedParty, TEST_NOW } from '../server/test/partner.ts';
import { copyCards } from './data/cards.ts';
import { type MeasuredService, startMeasuredService } from './measured-service.ts';
import { importCards, openBenchDatabase } from './search-database.ts';
import { mixedQueries } from './data/search-queries.ts';
import { type Spread, spreadOf, formatSpread } from './spread.ts';
import { varyCards } from './data/vary-cards.ts';

const CARDS = 500_000;
const PORT = 39_140;
const MIXED = 4_000;
const IMPORT_CARDS = 5_000;
const LONG_IMPORT_CARDS = 20_000;
/** The number of changed cards above which an import ends with a new base index (decision 0090). */
const LAYERED_MAX = 10_000;
/** How long to wait until V8 has freed unused memory. */
const SETTLE_MS = 10_000;
const DAY_SECONDS = 86_400;

/** Rewrites cards so that they get new positions, as an import of changed cards does. */
export const rewriteCards = statement(
  'bench_touch_cards',
  `with touched as (
    update card set name = name || ' +', updated_at = now()
     where card_id in (select card_id from card order by card_id limit $1)
    returning card_id
  )
  update catalog_change set position = nextval('catalog_position')
   where entry_kind = 'card' and entry_id in (select card_id from touched)`,
);

const agent = new Agent({ keepAlive: true, maxSockets: 1 });

async function search(
  url: string,
  token: string,
  text: string,
): Promise<{ readonly ms: number; readonly status: number; readonly body: string }> {
  const startedAtMs = performance.now();
  const path = `/partner/v1/cards?search=${encodeURIComponent(text.toWellFormed())}`;
  return await new Promise((resolve, reject) => {
    const sent = request(
      `${url}${path}`,
      { agent, headers: { authorization: `Bearer ${token}` } },
      (response) => {
        const parts: Buffer[] = [];
        response.on('data', (part: Buffer) => parts.push(part));
        response.on('end', () => {
          const ms = performance.now() - startedAtMs;
          const body = Buffer.concat(parts).toString();
          resolve({ ms, status: response.statusCode ?? 0, body });
        });
      },
    );
    sent.on('error', reject);
    sent.end();
  });
}

async function searchAll(url: string, token: string, texts: readonly string[]): Promise<Spread> {
  const durations: number[] = [];
  for (const text of texts) {
    const { ms, status, body } = await search(url, token, text);
    if (status !== 200) throw new Error(`${status} ${body}: ${text}`);
    durations.push(ms);
  }
  return spreadOf(durations);
}

/** Searches repeatedly while `work` runs. */
async function searchWhile(
  url: string,
  token: string,
  texts: readonly string[],
  work: Promise<void>,
): Promise<Spread & { readonly refused: number }> {
  const done = new AbortController();
  const working = work.finally(() => done.abort());
  const durations: number[] = [];
  let refused = 0;
  for (let at = 0; !done.signal.aborted; at++) {
    const { ms, status } = await search(url, token, texts[at % texts.length] ?? '');
    durations.push(ms);
    if (status !== 200) refused += 1;
  }
  await working;
  return { ...spreadOf(durations), refused };
}

async function connect(db: Database, url: string): Promise<string> {
  const party = await seedParty(db);
  const lifetimeSeconds = (Date.now() - TEST_NOW.getTime()) / 1_000 + DAY_SECONDS;
  const resource = `${url}/partner/v1`;
  const grant = await seedGrant(db, party, {
    resource,
    lifetimeSeconds: Math.round(lifetimeSeconds),
  });
  const { shop, app, accountId } = party;
  const { approvalId } = grant;
  const opener = { shopId: shop.id, clientId: app.clientId, accountId, approvalId };
  await db.transaction(async (tx) => await openConnection(tx, opener, TEST_NOW, OPERATOR));
  return grant.token;
}

/** Waits until a search finds a card, and returns how long that took. */
async function untilFound(url: string, token: string, text: string, id: string): Promise<number> {
  const startedAtMs = performance.now();
  while (!(await search(url, token, text)).body.includes(id)) {
    if (performance.now() - startedAtMs > 60_000) throw new Error(`never found: ${text}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return performance.now() - startedAtMs;
}

/**
 * Changes one card after another while an import runs, and measures the time from each commit until
 * the search finds the card.
 */
async function changeWhile(
  importing: Promise<void>,
  url: string,
  token: string,
  cards: readonly Card[],
): Promise<Spread> {
  const done = new AbortController();
  const working = importing.finally(() => done.abort());
  const durations: number[] = [];
  for (let at = 0; !done.signal.aborted; at++) {
    const card = cards.at(-1 - at);
    if (card === undefined) break;
    const name = `探針 ${at} ${card.id.slice(0, 8)}`;
    await importCards(db, [{ ...card, name }]);
    durations.push(await untilFound(url, token, name, card.id));
  }
  await working;
  return spreadOf(durations);
}

/** Waits until this many indexes have been built and none is pending. */
async function untilSettled(service: MeasuredService, builds: number): Promise<void> {
  const isSettled = async (): Promise<boolean> =>
    (await service.metric('cardport_card_search_changed_cards')) <= LAYERED_MAX &&
    (await service.metric('cardport_card_search_index_builds_total')) >= builds;
  while (!(await isSettled())) await new Promise((resolve) => setTimeout(resolve, 200));
}

const results: Record<string, unknown> = {};
function report(name: string, value: number | Spread, unit = ''): void {
  results[name] = value;
  const text = typeof value === 'number' ? `${value.toFixed(1)} ${unit}` : formatSpread(value);
  console.log(`${name.padEnd(58)} ${text}`);
}
function reportLoad(where: string): void {
  console.log(
    `-- ${where}; load average ${loadavg()
      .map((load) => load.toFixed(2))
      .join(' ')}`,
  );
}

const count = Number(process.argv[2] ?? CARDS);
console.log(`${cpus().length} × ${cpus()[0]?.model ?? ''}, Node ${process.version}`);
await using base = await openBenchDatabase();
const { db, url: databaseUrl } = base;
const port = PORT + Math.floor(Math.random() * 500) * 2;

reportLoad('filling');
const filledAtMs = performance.now();
const sample: Card[] = [];
function* sampled(cards: Iterable<Card>): Generator<Card> {
  let at = 0;
  for (const card of cards) {
    if (at++ % Math.max(1, Math.floor(count / 20_000)) === 0) sample.push(card);
    yield card;
  }
}
const written = await copyCards(db, databaseUrl, sampled(varyCards(count)));
report('cards', written);
report('filled in', (performance.now() - filledAtMs) / 1_000, 's');

reportLoad('building');
await using service = await startMeasuredService(databaseUrl, port);
const { url } = service;
report('start to ready', service.readyMs, 'ms');
report('longest stall of the event loop while building', await service.stallMs(), 'ms');
report('memory, highest while building', service.readyPeakMb, 'MB');
await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
report('memory, ten seconds later', service.memoryMb(), 'MB');

const token = await connect(db, url);
const mixed = mixedQueries(sample, MIXED);
await searchAll(url, token, mixed.slice(0, 500));
await service.stallMs();
reportLoad('searching');
report('mixed queries, one in flight', await searchAll(url, token, mixed));
report('longest stall of the event loop while searching', await service.stallMs(), 'ms');
report('memory after searching', service.memoryMb(), 'MB');

reportLoad('importing');
const game = sample[0]?.game ?? { id: newId(), code: 'x', name: 'x' };
const fresh = Array.from({ length: IMPORT_CARDS }, (_, at): Card => {
  const like = sample[at % sample.length];
  if (like === undefined) throw new Error('no sample');
  return { ...like, id: randomUUID(), name: `${like.name} 新${at}`, game };
});
service.peakMb();
const during = await searchWhile(url, token, mixed, importCards(db, fresh));
report(`mixed queries while ${IMPORT_CARDS} cards are imported`, during);
report('searches refused during the import', during.refused);
report('longest stall of the event loop while importing', await service.stallMs(), 'ms');
const last = fresh.at(-1);
if (last !== undefined) {
  report(
    'time until the last imported card is found',
    await untilFound(url, token, last.name, last.id),
    'ms',
  );
}
const more = sample.slice(0, LONG_IMPORT_CARDS).map((card) => ({ ...card, id: randomUUID() }));
const importing = importCards(db, more);
const found = await changeWhile(importing, url, token, sample);
report(`time until a changed card is found while ${more.length} are imported`, found);
report('mixed queries with layers', await searchAll(url, token, mixed.slice(0, 1_000)));
report('memory, highest while importing', service.peakMb(), 'MB');

// More than 10,000 cards have changed, so a new base index is being built. Wait until it is ready,
// so that the next figures do not include this build.
await untilSettled(service, 1);
const settledBuilds = await service.metric('cardport_card_search_index_builds_total');
service.peakMb();
await service.stallMs();
reportLoad('building a new base');
const touched = Math.ceil(count * 0.25) + 10_001;
const rebuilding = (async (): Promise<void> => {
  await db.transaction(async (tx) => {
    await lockCatalogExclusive(tx);
    await tx.query(rewriteCards, [touched]);
    await announce(tx, 'catalog', '');
  });
  await untilSettled(service, settledBuilds + 1);
})();
const swap = await searchWhile(url, token, mixed, rebuilding);
report(`mixed queries while ${touched} cards change and a new base is built`, swap);
report('searches refused while a new base is built', swap.refused);
report('longest stall of the event loop, new base', await service.stallMs(), 'ms');
report('memory, highest while building a new base', service.peakMb(), 'MB');
await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
report('memory, ten seconds after a new base', service.memoryMb(), 'MB');
reportLoad('done');
console.log(JSON.stringify(results));
agent.destroy();
