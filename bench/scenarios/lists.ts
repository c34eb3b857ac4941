import assert from 'node:assert/strict';
import { findFreePort } from '../../server/src/base/free-port.ts';
import {
  checkDirectusIsInstalled,
  DIRECTUS_PROGRAM,
  DIRECTUS_VERSION,
  directusSettings,
  installDirectus,
} from '../data/directus.ts';
import { BENCH_PUBLIC_URL, fillTenants } from '../data/tenants.ts';
import type { Bench } from '../harness/bench.ts';
import type { MeasuredProgram } from '../harness/measured-program.ts';
import { compareRounds, type Sample } from '../harness/rounds.ts';
import type { LoadRequest } from '../harness/wrk.ts';
import { type Figure, figuresOf, makeFigure, ratioAtLeast, type Scenario } from '../scenario.ts';
import { BOOSTS, inBatches, measureLoad, readResponse, requestsOf, USUAL } from './hot-request.ts';
import { boostsRequest } from './hot-requests.ts';

/** The fields that Cardport's list shows. */
const FIELDS = [
  'boost_id,price_minor,currency,remaining_quantity,starts_at,ends_at,note,updated_at',
  'card_id.card_id,card_id.name,card_id.localized_names,card_id.card_number,card_id.set_total_raw',
  'card_id.language_code,card_id.image_url,card_id.rarity_code,card_id.rarity_name',
  'card_id.set_id,card_id.set_code,card_id.set_name,card_id.game_id.*',
].join();
/** Cardport's order: highest price, newest change, id. */
const SORT = '-price_minor,-updated_at,boost_id';
const DIRECTUS_PATH = `/items/shown_boost?fields=${FIELDS}&sort=${SORT}`;
/**
 * Longer than in other scenarios: of the slow server, a round counts hundreds of responses and not
 * the 64 that are still being made at its end.
 */
const ROUND_SECONDS = 10;
const QUICK_ROUND_SECONDS = 5;
const TIMEOUT_SECONDS = 30;
/** The port follows. */
const READY_WORD = 'Server started at http://127.0.0.1:';
/** The response header that says whether a response comes from the cache of Directus. */
const CACHE_HEADER = 'x-cache';

/**
 * Compares the list of open boosts with Directus, a ready server for the tables of a database: the
 * same rows in the same order for the same tokens. Directus is measured with its cache of responses
 * off, as it is by default, and on.
 */
export const listsScenario: Scenario = {
  name: 'lists',
  target: 'T1',
  title: 'boost lists beside Directus',
  isOnlyNamed: true,
  run: measure,
};

interface ListServer {
  readonly url: string;
  readonly program: MeasuredProgram;
  readonly requests: readonly LoadRequest[];
  readonly samples: Sample[];
}

async function measure(bench: Bench): Promise<readonly Figure[]> {
  checkDirectusIsInstalled();
  const { url: databaseUrl, data } = await bench.database('lists', async (db, url) => {
    const tenants = await fillTenants(db, { ...USUAL, boosts: BOOSTS });
    await installDirectus(db, url, tenants);
    return tenants;
  });
  await using service = await bench.service({ databaseUrl, publicUrl: BENCH_PUBLIC_URL });
  await using uncachedProgram = await startDirectus(bench, databaseUrl, 'false');
  await using cachedProgram = await startDirectus(bench, databaseUrl, 'true');
  const requests = data.tokens.map((token) => ({ path: DIRECTUS_PATH, token }));
  const ours: ListServer = {
    url: service.url,
    program: service,
    requests: await requestsOf(service.url, data, boostsRequest),
    samples: [],
  };
  const [uncached, cached]: readonly [ListServer, ListServer] = [
    { url: urlOf(uncachedProgram), program: uncachedProgram, requests, samples: [] },
    { url: urlOf(cachedProgram), program: cachedProgram, requests, samples: [] },
  ];
  const sizes = await checkLists(ours, uncached);

  const servers = [uncached, cached, ours];
  // Each token once, which fills the caches of all three.
  for (const { url, requests: all } of servers) {
    await inBatches(all, async (request) => await readResponse(url, request));
  }
  const { headers } = await readResponse(cached.url, requests[0]);
  assert.equal(headers[headers.findIndex((name) => name === CACHE_HEADER) + 1], 'HIT');
  const seconds = bench.isQuick ? QUICK_ROUND_SECONDS : ROUND_SECONDS;
  for (let round = 0; round < bench.rounds; round++) {
    for (const server of servers) server.samples.push(await load(server, seconds));
  }
  return [
    compare(`without its cache (${sizes})`, uncached, ours),
    compare('with its cache', cached, ours),
  ];
}

async function startDirectus(
  bench: Bench,
  databaseUrl: string,
  isCached: string,
): Promise<MeasuredProgram> {
  const port = String(await findFreePort());
  return await bench.program(DIRECTUS_PROGRAM, ['start'], {
    readyWord: READY_WORD,
    env: {
      ...directusSettings(databaseUrl),
      HOST: '127.0.0.1',
      PORT: port,
      CACHE_ENABLED: isCached,
      // It would refuse requests of this load with 503.
      PRESSURE_LIMITER_ENABLED: 'false',
      // Longer than the measurement.
      CACHE_TTL: '1h',
      CACHE_STATUS_HEADER: CACHE_HEADER,
    },
  });
}

function urlOf({ ready }: MeasuredProgram): string {
  return `http://127.0.0.1:${Number.parseInt(ready, 10)}`;
}

async function load({ url, requests, program }: ListServer, seconds: number): Promise<Sample> {
  return await measureLoad(url, requests, seconds, program, TIMEOUT_SECONDS);
}

/**
 * Returns the sizes of both lists.
 *
 * @throws Error unless both have the same boosts in the same order.
 */
async function checkLists(ours: ListServer, directus: ListServer): Promise<string> {
  const own = (await readResponse(ours.url, ours.requests[0])).body;
  const other = (await readResponse(directus.url, directus.requests[0])).body;
  const ownIds = own.toString().match(/(?<=\{"id":")[^"]+(?=","target":)/g) ?? [];
  const otherIds = other.toString().match(/(?<="boost_id":")[^"]+/g) ?? [];
  assert.equal(ownIds.length, BOOSTS);
  assert.deepEqual(otherIds, ownIds);
  return `${other.length.toLocaleString('en')} bytes, ours ${own.length.toLocaleString('en')}`;
}

function compare(how: string, directus: ListServer, ours: ListServer): Figure {
  const compared = compareRounds(directus.samples, ours.samples);
  return makeFigure({
    what: `${BOOSTS} boosts; limit: Directus ${DIRECTUS_VERSION} ${how}`,
    unit: 'requests/s',
    ...figuresOf(compared),
    target: ratioAtLeast(1, compared.ratio),
  });
}
