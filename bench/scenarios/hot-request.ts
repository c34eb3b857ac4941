import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BENCH_PUBLIC_URL, fillTenants, type Tenants } from '../data/tenants.ts';
import type { Bench } from '../harness/bench.ts';
import { interleave, type Sample } from '../harness/rounds.ts';
import type { MeasuredService } from '../harness/service.ts';
import type { MeasuredProgram } from '../harness/measured-program.ts';
import { type LoadRequest, runWrk } from '../harness/wrk.ts';
import { type Figure, makeFigure, figuresOf, ratioAtLeast, type Scenario } from '../scenario.ts';

/** A GET request that is sent over all connections with alternating tokens. */
export interface HotRequest {
  readonly name: string;
  readonly target: string;
  readonly title: string;
  /** The minimum ratio to the baseline. */
  readonly least: number;
  /**
   * The path for every token, or a function that derives the path from the response to the token's
   * own GET /connection.
   */
  readonly path: string | ((own: string) => string);
}

interface Size {
  readonly tokens: number;
  readonly shops: number;
}

const PARTNER_PATH = '/partner/v1';
/**
 * The number of concurrent requests that fetch the cursors of all shops and the bodies for the
 * baseline before the rounds.
 */
const CONCURRENT_REQUESTS = 32;
/** The open boosts of each shop. */
export const BOOSTS = 50;
/** The size to which the target applies. */
export const USUAL: Size = { tokens: 1_000, shops: 100 };
/** The small size with which the larger sizes are compared. */
const FEW: Size = { tokens: 10, shops: 1 };
const MANY: Size = { tokens: 100_000, shops: 10_000 };
/** Growth is measured in CPU time, which varies less than rates. */
const GROWTH_ROUNDS = 3;
const GROWTH_ROUND_SECONDS = 2;
/** The maximum ratio of the cost per request with many tokens to the cost with few tokens. */
const GROWTH_MAX = 1.2;
/**
 * Duration of each load before the rounds. It compiles the code and fills the caches, as a minute
 * of operation would.
 */
const WARM_SECONDS = 4;

/** Returns a scenario that compares the service with bare node:http at every size. */
export function makeHotScenario(hotRequest: HotRequest): Scenario {
  const { name, target, title } = hotRequest;
  return { name, target, title, run: async (bench) => await runHot(bench, hotRequest) };
}

async function runHot(bench: Bench, hotRequest: HotRequest): Promise<readonly Figure[]> {
  const usual = await measureSize(bench, hotRequest, USUAL, bench);
  const brief = {
    rounds: Math.min(bench.rounds, GROWTH_ROUNDS),
    roundSeconds: Math.min(bench.roundSeconds, GROWTH_ROUND_SECONDS),
  };
  const few = await measureSize(bench, hotRequest, FEW, brief);
  const figures = [{ ...usual, target: ratioAtLeast(hotRequest.least, usual.ratio ?? 0) }, few];
  if (bench.isQuick) return figures;
  const many = await measureSize(bench, hotRequest, MANY, brief);
  const growth = (many.cpuMicroseconds ?? Number.NaN) / (few.cpuMicroseconds ?? Number.NaN);
  // The same ratio for bare node:http shows how much of the growth is due to the machine's caches.
  const bare = (many.limitCpuMicroseconds ?? Number.NaN) / (few.limitCpuMicroseconds ?? Number.NaN);
  const target = { text: `CPU ≤ ${GROWTH_MAX} × that of 10 tokens`, isMet: growth <= GROWTH_MAX };
  const notes = `${growth.toFixed(2)} × the CPU of 10 tokens; for the limit ${bare.toFixed(2)} ×`;
  return [...figures, { ...many, target, notes }];
}

async function measureSize(
  bench: Bench,
  hotRequest: HotRequest,
  size: Size,
  { rounds, roundSeconds }: Pick<Bench, 'rounds' | 'roundSeconds'>,
): Promise<Figure> {
  const { url, data } = await tenantsOf(bench, size);
  await using service = await bench.service({ databaseUrl: url, publicUrl: BENCH_PUBLIC_URL });
  const requests = await requestsOf(service.url, data, hotRequest);
  const responses = await inBatches(
    requests.slice(0, size.shops),
    async (request) => await readResponse(service.url, request),
  );
  await using limit = await startBaselineServer(bench, responses);
  const limitUrl = `http://127.0.0.1:${limit.ready}`;
  await warmUp(bench, service, requests);
  service.takePeakMb();
  const compared = await interleave(
    rounds,
    async () => await measureLoad(limitUrl, requests, roundSeconds, limit),
    async () => await measureLoad(service.url, requests, roundSeconds, service),
  );
  return makeFigure({
    what: `${size.tokens.toLocaleString('en')} tokens, ${size.shops.toLocaleString('en')} shops`,
    unit: 'requests/s',
    ...figuresOf(compared),
    memoryMb: service.takePeakMb(),
  });
}

export async function tenantsOf(
  bench: Bench,
  { tokens, shops }: Size,
): Promise<{ readonly url: string; readonly data: Tenants }> {
  return await bench.database(
    `tenants_${tokens}`,
    async (db) => await fillTenants(db, { tokens, shops, boosts: BOOSTS }),
  );
}

/**
 * Loads the service before the rounds, repeatedly until every token was used, because the first use
 * of a token reads its access from the database. A quick run loads it once.
 */
async function warmUp(
  bench: Bench,
  service: MeasuredService,
  requests: readonly LoadRequest[],
): Promise<void> {
  const seconds = bench.isQuick ? WARM_SECONDS / 2 : WARM_SECONDS;
  let used = 0;
  do {
    used += (await measureLoad(service.url, requests, seconds, service)).count;
  } while (!bench.isQuick && used < requests.length);
}

/**
 * Returns one request for every token, with the cursor of the token's shop if the path needs one.
 */
export async function requestsOf(
  url: string,
  { tokens, shopIds }: Tenants,
  hotRequest: Pick<HotRequest, 'path'>,
): Promise<LoadRequest[]> {
  const { path } = hotRequest;
  if (typeof path === 'string') {
    return tokens.map((token) => ({ path: `${PARTNER_PATH}${path}`, token }));
  }
  // A cursor belongs to a shop, so all apps of a shop request the same path.
  const first = tokens.slice(0, shopIds.length);
  const paths = await inBatches(first, async (token) => {
    const { body } = await readResponse(url, { path: `${PARTNER_PATH}/connection`, token });
    return `${PARTNER_PATH}${path(body.toString())}`;
  });
  return tokens.map((token, n) => ({ path: paths[n % paths.length] ?? '', token }));
}

/** Runs several requests at a time and returns the responses in the same order as `items`. */
export async function inBatches<Item, Result>(
  items: readonly Item[],
  run: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const responses: Result[] = [];
  for (let from = 0; from < items.length; from += CONCURRENT_REQUESTS) {
    responses.push(...(await Promise.all(items.slice(from, from + CONCURRENT_REQUESTS).map(run))));
  }
  return responses;
}

/** A raw response: header fields in their order and spelling, and the body. */
export interface WholeResponse {
  readonly headers: readonly string[];
  readonly body: Buffer;
}

const agent = new Agent({ keepAlive: true });

/** Sends one request and reads the complete response. */
export async function readResponse(
  url: string,
  request: LoadRequest | undefined,
): Promise<WholeResponse> {
  const authorization =
    request?.token === null ? {} : { authorization: `Bearer ${request?.token ?? ''}` };
  return await new Promise((resolve, reject) => {
    get(`${url}${request?.path ?? ''}`, { agent, headers: authorization }, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.once('end', () => {
        const body = Buffer.concat(parts);
        if (response.statusCode === 200) resolve({ headers: response.rawHeaders, body });
        else reject(new Error(`${request?.path}: ${response.statusCode} ${body.toString()}`));
      });
    }).once('error', reject);
  });
}

/** The header of the file that baseline-server.ts reads. */
export interface PreparedResponses {
  /** Header names and values alternate. Content-Length is not included. */
  readonly headers: readonly string[];
  /** The length of each body. */
  readonly lengths: readonly number[];
}

/** Headers that node:http sets itself or that depend on the length of the body. */
const OWN_FIELDS = /^(?:date|connection|keep-alive|content-length)$/i;

/** Starts the baseline: a bare node:http server that sends these bodies with the same headers. */
export async function startBaselineServer(
  bench: Bench,
  responses: readonly WholeResponse[],
): Promise<MeasuredProgram> {
  const raw = responses[0]?.headers ?? [];
  const headers: string[] = [];
  for (let at = 0; at < raw.length; at += 2) {
    const name = raw[at] ?? '';
    if (!OWN_FIELDS.test(name)) headers.push(name, raw[at + 1] ?? '');
  }
  const ready: PreparedResponses = { headers, lengths: responses.map(({ body }) => body.length) };
  const folder = mkdtempSync(join(tmpdir(), 'cardport-ready-'));
  const file = join(folder, 'answers');
  const bodies = responses.map(({ body }) => body);
  writeFileSync(file, Buffer.concat([Buffer.from(`${JSON.stringify(ready)}\n`), ...bodies]));
  try {
    return await bench.program(new URL('baseline-server.ts', import.meta.url).pathname, [file]);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/**
 * The index at which the next load of a list starts, so that all tokens are used and not only those
 * at the start of the list.
 */
const nextOf = new WeakMap<readonly LoadRequest[], number>();

/** Loads a program for some seconds. Fails unless every response is successful. */
export async function measureLoad(
  url: string,
  requests: readonly LoadRequest[],
  seconds: number,
  program: Pick<MeasuredProgram, 'cpuMs'>,
  timeoutSeconds?: number,
): Promise<Sample> {
  const cpuBefore = program.cpuMs();
  const first = nextOf.get(requests) ?? 0;
  const timeout = timeoutSeconds === undefined ? {} : { timeoutSeconds };
  const done = await runWrk({ url, requests, first, seconds, ...timeout });
  nextOf.set(requests, (first + done.requests) % requests.length);
  if (done.refused + done.failed > 0) {
    throw new Error(`${url}: ${done.refused} refused, ${done.failed} failed`);
  }
  return { count: done.requests, seconds: done.seconds, cpuMs: program.cpuMs() - cpuBefore };
}
