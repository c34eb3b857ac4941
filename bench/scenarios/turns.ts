import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { makeNoiseJpeg } from '../../server/test/images.ts';
import { fillCrowd, type CrowdShop } from '../data/crowd.ts';
import { BENCH_PUBLIC_URL } from '../data/tenants.ts';
import type { Bench } from '../harness/bench.ts';
import { LOAD_CORE } from '../harness/cores.ts';
import { medianOf } from '../harness/rounds.ts';
import type { MeasuredService } from '../harness/service.ts';
import { type Figure, makeFigure, type Scenario, type Target } from '../scenario.ts';
import { spreadOf } from '../spread.ts';
import type { GreedyConnection, GreedyPlan, GreedyResult } from './greedy-client.ts';
import { SearchClient } from './search-client.ts';

/** The shop whose requests are measured is the last one; the others are greedy. */
const GREEDY_SHOPS = 10;
const SIZES = { cards: 102_000, shops: GREEDY_SHOPS + 1, unitsOfShop: 30_000 };
const QUICK_SIZES = { cards: 20_000, shops: GREEDY_SHOPS + 1, unitsOfShop: 2_000 };
const SECONDS = 15;
const QUICK_SECONDS = 4;
/** The time that the greedy clients get before the measurement. */
const LEAD_MS = 1_000;
/** A pause between two requests of the measured shop, so that it is not greedy too. */
const PAUSE_MS = 5;
/** One of the slowest searches: each letter is in most names. */
const GREEDY_TEXT = 'a b c d e f g h i j k l m n o p';
const USUAL_TEXT = 'dragon';
const RATIO_MAX = 3;
const MORE_MS_MAX = 10;
/** The width and height of a photo of about 11 MB. */
const PICTURE_PIXELS = 6_000;
/** The number of exports that one session begins at the same time. */
const EXPORTS_OF_SESSION = 200;

/** How long the requests of other shops take beside greedy apps and members. */
export const turnsScenario: Scenario = {
  name: 'turns',
  target: 'turns',
  title: 'p50 of another shop, before and beside greedy clients',
  isOnlyNamed: true,
  run: async (bench) => {
    const { url, data } = await bench.database(
      'turns',
      async (db, own) => await fillCrowd(db, own, bench.isQuick ? QUICK_SIZES : SIZES),
    );
    const folder = mkdtempSync(join(tmpdir(), 'cardport-turns-'));
    try {
      await using service = await bench.service({
        databaseUrl: url,
        publicUrl: BENCH_PUBLIC_URL,
        env: { PHOTO_STORE: join(folder, 'photos') },
      });
      return await measureAll(new Turns(bench, service, folder), data, folder);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

async function measureAll(
  turns: Turns,
  shops: readonly CrowdShop[],
  folder: string,
): Promise<readonly Figure[]> {
  const greedy = shops.slice(0, GREEDY_SHOPS);
  const other = shops[GREEDY_SHOPS];
  if (other === undefined) throw new Error('no other shop');
  const first = greedy.slice(0, 1);
  const figures: Figure[] = [];
  const oneSearchMs = await turns.longestSearchMs(other);
  for (const [apps, each] of [
    [1, 40],
    [4, 25],
    [10, 20],
  ] as const) {
    const searches = greedy
      .slice(0, apps)
      .flatMap((shop) => repeat(each, fromApp(shop, searchPath(GREEDY_TEXT))));
    const what = `${apps} greedy ${apps === 1 ? 'app' : 'apps'} × ${each} searches`;
    figures.push(...(await turns.searches(what, searches, other, oneSearchMs)));
  }
  const pages = first.flatMap((shop) =>
    repeat(40, fromApp(shop, '/partner/v1/inventory/changes?limit=1000')),
  );
  figures.push(...(await turns.usual('40 × feed pages of 1,000', pages, other)));
  const exports = greedy
    .slice(0, 6)
    .flatMap((shop) => shop.sessions.map((secret) => exportOf(shop, secret)));
  figures.push(...(await turns.usual('12 × exports', exports, other)));
  const bodyFile = join(folder, 'picture.jpg');
  writeFileSync(bodyFile, await makeNoiseJpeg(PICTURE_PIXELS));
  const uploads = first.flatMap((shop) => repeat(16, uploadOf(shop, bodyFile)));
  figures.push(...(await turns.usual('16 × photo uploads', uploads, other)));
  const [secret = ''] = first.flatMap(({ sessions }) => sessions);
  const stalled = first.flatMap((shop) =>
    repeat(EXPORTS_OF_SESSION, { ...exportOf(shop, secret), isStalled: true }),
  );
  figures.push(await turns.readiness(`${EXPORTS_OF_SESSION} exports of one session`, stalled));
  return figures;
}

/** A request of the measured shop. Returns how long it took, or null if it was refused. */
type Probe = () => Promise<number | null>;

interface Sampled {
  readonly timesMs: number[];
  refused: number;
}

class Turns {
  readonly #bench: Bench;
  readonly #service: MeasuredService;
  readonly #folder: string;

  constructor(bench: Bench, service: MeasuredService, folder: string) {
    this.#bench = bench;
    this.#service = service;
    this.#folder = folder;
  }

  /** How long the greedy search takes alone, at most. */
  async longestSearchMs(shop: CrowdShop): Promise<number> {
    using client = new SearchClient(this.#service.url, shop.token);
    await client.searchAll(Array.from({ length: 20 }, () => GREEDY_TEXT));
    const { worst } = await client.searchAll(Array.from({ length: 20 }, () => GREEDY_TEXT));
    return worst;
  }

  async searches(
    what: string,
    greedy: readonly GreedyConnection[],
    shop: CrowdShop,
    oneSearchMs: number,
  ): Promise<readonly Figure[]> {
    using client = new SearchClient(this.#service.url, shop.token);
    const search: Probe = async () => {
      const { ms, status } = await client.search(USUAL_TEXT);
      return status === 200 ? ms : null;
    };
    return await this.#compare(what, greedy, { search }, oneSearchMs);
  }

  /** Measures polls, reads of the connection and writes. */
  async usual(
    what: string,
    greedy: readonly GreedyConnection[],
    shop: CrowdShop,
  ): Promise<readonly Figure[]> {
    const app = { authorization: `Bearer ${shop.token}` };
    const till = { authorization: `Bearer ${shop.key}`, 'content-type': 'application/json' };
    const partner = `${this.#service.url}/partner/v1`;
    const readCursor = (text: string): string => /"cursor":"([\w-]+)"/i.exec(text)?.[1] ?? '';
    let cursor = readCursor((await timed(`${partner}/connection`, { headers: app })).text);
    let price = 1_000;
    const probes: Readonly<Record<string, Probe>> = {
      poll: async () => {
        const url = `${partner}/inventory/changes?cursor=${cursor}`;
        const { ms, text } = await timed(url, { headers: app });
        cursor = /"nextCursor":"([\w-]+)"/.exec(text)?.[1] ?? cursor;
        return ms;
      },
      connection: async () => (await timed(`${partner}/connection`, { headers: app })).ms,
      write: async () => {
        const { siteId, unitId } = shop;
        const url = `${this.#service.url}/shop/v1/units/${unitId}`;
        const body = JSON.stringify({ siteId, priceMinor: ++price });
        return (await timed(url, { method: 'PUT', headers: till, body })).ms;
      },
    };
    return await this.#compare(what, greedy, probes, MORE_MS_MAX);
  }

  /** Counts the readiness checks that fail beside greedy clients. */
  async readiness(what: string, greedy: readonly GreedyConnection[]): Promise<Figure> {
    const result = this.#load(greedy);
    const untilMs = performance.now() + this.#seconds * 1_000;
    const durationsMs: number[] = [];
    let failures = 0;
    while (performance.now() < untilMs) {
      const beganAtMs = performance.now();
      const { status } = await fetch(`${this.#service.url}/readyz`);
      durationsMs.push(performance.now() - beganAtMs);
      if (status !== 200) failures += 1;
      await pause(PAUSE_MS);
    }
    const spread = spreadOf(durationsMs);
    const notes = `${spread.count} checks, p50 ${spread.p50.toFixed(1)} ms, worst ${spread.worst.toFixed(0)} ms; greedy: ${describe(await result)}`;
    const target = { text: '0', isMet: failures === 0 };
    return makeFigure({
      what: `${what}: /readyz not 200`,
      unit: '',
      ours: failures,
      target,
      notes,
    });
  }

  /** Measures the probes without and then with the greedy clients. */
  async #compare(
    what: string,
    greedy: readonly GreedyConnection[],
    probes: Readonly<Record<string, Probe>>,
    moreMsMax: number,
  ): Promise<readonly Figure[]> {
    // The first requests of a kind compile code.
    await sample(probes, 1);
    const before = await sample(probes, this.#seconds);
    const result = this.#load(greedy);
    await pause(LEAD_MS);
    const during = await sample(probes, this.#seconds);
    const notes = `greedy: ${describe(await result)}`;
    return Object.keys(probes).map((name) => {
      const { timesMs, refused } = during[name] ?? { timesMs: [], refused: 0 };
      const [limit, ours] = [medianOf(before[name]?.timesMs ?? []), medianOf(timesMs)];
      const { worst, count } = spreadOf(timesMs);
      return makeFigure({
        what: `${what}: ${name}`,
        unit: 'ms',
        limit,
        ours,
        ratio: ours / limit,
        target: targetOf(limit, refused > 0 ? Infinity : ours, moreMsMax),
        notes: `worst ${worst.toFixed(0)} ms of ${count}, ${refused} refused; ${notes}`,
      });
    });
  }

  get #seconds(): number {
    return this.#bench.isQuick ? QUICK_SECONDS : SECONDS;
  }

  /** Runs the greedy clients a little longer than the measurement. */
  async #load(connections: readonly GreedyConnection[]): Promise<GreedyResult> {
    const seconds = this.#seconds + (2 * LEAD_MS) / 1_000;
    const plan: GreedyPlan = { url: this.#service.url, seconds, connections };
    const file = join(this.#folder, 'plan.json');
    writeFileSync(file, JSON.stringify(plan));
    const path = new URL('greedy-client.ts', import.meta.url).pathname;
    await using client = await this.#bench.program(path, [file], { core: LOAD_CORE });
    // The load program wrote it.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    return JSON.parse(client.ready) as GreedyResult;
  }
}

/** Sends the probes one after another for some seconds, and returns the times of each. */
async function sample(
  probes: Readonly<Record<string, Probe>>,
  seconds: number,
): Promise<Readonly<Record<string, Sampled>>> {
  const untilMs = performance.now() + seconds * 1_000;
  const sampled: Record<string, Sampled> = {};
  do {
    for (const [name, probe] of Object.entries(probes)) {
      const own = (sampled[name] ??= { timesMs: [], refused: 0 });
      const ms = await probe();
      if (ms === null) own.refused += 1;
      else own.timesMs.push(ms);
      await pause(PAUSE_MS);
    }
  } while (performance.now() < untilMs);
  return sampled;
}

interface Timed {
  readonly ms: number | null;
  readonly text: string;
}

async function timed(url: string, init: RequestInit): Promise<Timed> {
  const beganAtMs = performance.now();
  const response = await fetch(url, init);
  const text = await response.text();
  const isRefused = response.status === 429 || response.status === 503;
  if (!response.ok && !isRefused) throw new Error(`${url}: ${response.status} ${text}`);
  return { ms: isRefused ? null : performance.now() - beganAtMs, text };
}

function targetOf(before: number, during: number, moreMsMax: number): Target {
  const isMet = during <= Math.max(RATIO_MAX * before, before + moreMsMax);
  return { text: `≤ ${RATIO_MAX} × or ${moreMsMax.toFixed(0)} ms more`, isMet };
}

function describe(result: GreedyResult): string {
  return Object.entries(result)
    .map(([status, count]) => `${count} × ${status}`)
    .join(', ');
}

function repeat(count: number, connection: GreedyConnection): readonly GreedyConnection[] {
  return Array.from({ length: count }, () => connection);
}

function searchPath(text: string): string {
  return `/partner/v1/cards?search=${encodeURIComponent(text)}`;
}

function fromApp({ token }: CrowdShop, path: string): GreedyConnection {
  return { method: 'GET', path, headers: { authorization: `Bearer ${token}` } };
}

function exportOf({ slug }: CrowdShop, secret: string): GreedyConnection {
  const path = `/console/shops/${slug}/stock/export.csv`;
  return { method: 'GET', path, headers: { cookie: `__Host-cardport_session=${secret}` } };
}

function uploadOf({ key, unitId }: CrowdShop, bodyFile: string): GreedyConnection {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'image/jpeg' };
  return { method: 'PUT', path: `/shop/v1/units/${unitId}/photos/front`, headers, bodyFile };
}
