import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Cluster, startCluster } from '../scripts/postgres.ts';
import { readConfig } from '../server/src/config/config.ts';
import { migrate } from '../server/src/database/migrate.ts';
import { findPackagedBinaries } from '../server/src/database/packaged/binaries.ts';
import { postgresqlEngine } from '../server/src/database/postgresql-engine.ts';
import { statement } from '../server/src/database/statement.ts';
import { type Service, startService } from '../server/src/runtime/service.ts';
import { startSession } from '../server/src/shops/session.ts';
import { type ConsolePage, crawlLinks } from './console-crawl.ts';
import { type ConsoleObjects, type ConsoleSizes, fillConsoleShop } from './data/console-shop.ts';
import { type ConsoleStock, fillConsoleStock } from './data/console-stock.ts';
import { withDatabase } from './data/stock-database.ts';
import { cpuMsOf } from './harness/process-figures.ts';
import { BENCH_SECRET_KEY } from './harness/service.ts';
import { atMost, type Figure, makeFigure, type Scenario } from './scenario.ts';

/** The maximum server time of a page. */
const PAGE_MS_MAX = 200;
const WARM_UPS = 3;
const REPEATS = 20;
const SIZES: ConsoleSizes = {
  units: 1_000_000,
  apps: 500,
  attempts: 200,
  boosts: 2_000,
  members: 50,
  audits: 100_000,
};
const QUICK_SIZES: ConsoleSizes = { ...SIZES, units: 20_000, apps: 50, audits: 5_000 };

export const selectBackends = statement<{ readonly pid: number }>(
  'bench_backends',
  `select pid from pg_stat_activity where backend_type = 'client backend'`,
);

export const selectDataFolder = statement<{ readonly folder: string }>(
  'bench_data_folder',
  `select current_setting('data_directory') as folder`,
);

/**
 * Requests every GET page of the console in a shop of the largest supported size, right after the
 * service starts.
 */
export const consoleScenario: Scenario = {
  name: 'console',
  target: 'console',
  title: 'pages of the console, server time',
  isOnlyNamed: true,
  run: async (bench) => {
    const sizes = bench.isQuick ? QUICK_SIZES : SIZES;
    await using stack = new AsyncDisposableStack();
    const cluster = stack.adopt(
      await startCluster(findPackagedBinaries(), { isDurable: true }),
      async (each) => await each.stop(),
    );
    bench.log(`  filling a shop of ${sizes.units} units`);
    const { stock, objects } = await fill(cluster.url, sizes);
    await dropCaches(cluster);
    const folder = mkdtempSync(join(tmpdir(), 'cardport-console-'));
    stack.defer(() => rmSync(folder, { recursive: true, force: true }));
    const service = stack.use(await start(cluster.url, folder));
    const { secret } = await startSession(service.db, objects.ownerId, new Date());
    const home = '/console/shops/console';
    const plain = service.consoleRoutes
      .filter(({ method }) => method === 'GET')
      .map(({ path }) => path.replace('/console/shops/:slug', home))
      .filter((path) => !path.includes(':'));
    const from = [home, ...hardPages(home, stock, objects), ...plain];
    return await measureAll(service, `cardport_session=${secret}`, from, (line) => bench.log(line));
  },
};

async function fill(
  url: string,
  sizes: ConsoleSizes,
): Promise<{ readonly stock: ConsoleStock; readonly objects: ConsoleObjects }> {
  const engine = postgresqlEngine(url);
  await migrate(engine);
  await engine.close();
  return await withDatabase(url, async (db) => {
    const stock = await fillConsoleStock(db, sizes.units);
    const objects = await fillConsoleShop(db, stock.id, sizes, new Date());
    await db.runScript('vacuum analyze');
    await db.runScript('checkpoint');
    return { stock, objects };
  });
}

/**
 * Empties the caches of the database and the system, so that the first request of every page reads
 * from the disk.
 */
async function dropCaches(cluster: Cluster): Promise<void> {
  const folder = await withDatabase(
    cluster.url,
    async (db) => (await db.one(selectDataFolder))?.folder ?? '',
  );
  await cluster.crash();
  await cluster.restart();
  const forget = ['if={}', 'of=/dev/null', 'iflag=nocache', 'count=0', 'status=none'];
  execFileSync('find', [join(folder, 'base'), '-type', 'f', '-exec', 'dd', ...forget, ';']);
}

async function start(databaseUrl: string, folder: string): Promise<Service> {
  const result = readConfig({
    DATABASE_URL: databaseUrl,
    PORT: '0',
    SECRET_KEY: BENCH_SECRET_KEY,
    RATE_LIMITS: 'off',
    LOG_LEVEL: 'warn',
    DRAIN_NOTICE_SECONDS: '0',
    PHOTO_STORE: join(folder, 'photos'),
    MAIL_URL: join(folder, 'mail'),
  });
  if (result.kind === 'invalid') throw new Error(result.problems.join('; '));
  // Send no deliveries, because the receivers do not exist.
  return await startService(result.config, { delivers: false });
}

interface PageResponse {
  /** Empty for a download. */
  readonly text: string;
  readonly bytes: number;
  readonly location: string | null;
  /** True for a download, false for a page. */
  readonly isFile: boolean;
  readonly ms: number;
}

async function measureAll(
  service: Service,
  cookie: string,
  from: readonly string[],
  log: (line: string) => void,
): Promise<Figure[]> {
  const first = new Map<string, PageResponse>();
  const faults: string[] = [];
  const fetchPage = async (path: string): Promise<PageResponse> => {
    const beganAtMs = performance.now();
    const headers = { cookie, 'accept-language': 'ja' };
    const response = await fetch(`${service.url}${path}`, { headers, redirect: 'manual' });
    const isFile = response.headers.has('content-disposition');
    const parts: Uint8Array[] = [];
    let bytes = 0;
    const body: Iterable<Uint8Array> | AsyncIterable<Uint8Array> = response.body ?? [];
    for await (const part of body) {
      bytes += part.length;
      if (!isFile) parts.push(part);
    }
    const ms = performance.now() - beganAtMs;
    if (![200, 303].includes(response.status)) faults.push(`${response.status} ${path}`);
    const text = Buffer.concat(parts).toString();
    const page = { text, bytes, location: response.headers.get('location'), isFile, ms };
    if (!first.has(path)) first.set(path, page);
    return page;
  };
  // Load the session and compile the shared code first, so that the time of the first page does not
  // include this.
  await fetchPage('/console/account');
  const pages = await crawlLinks(fetchPage, service.consoleRoutes, from);
  const figures: Figure[] = [];
  for (const page of pages) {
    const backends = (await service.db.query(selectBackends)).map(({ pid }) => pid);
    const cold = first.get(page.path);
    if (cold !== undefined) figures.push(await measure(page, fetchPage, { cold, backends }));
  }
  const reached = new Set(pages.map(({ pattern }) => pattern));
  for (const { method, path } of service.consoleRoutes) {
    if (method === 'GET' && !reached.has(path)) log(`  no link leads to ${path}`);
  }
  for (const fault of faults) log(`  unexpected response: ${fault}`);
  return figures;
}

/** Lists the pages with the most expensive queries, and pages that only some objects link to. */
function hardPages(home: string, stock: ConsoleStock, objects: ConsoleObjects): string[] {
  const { siteIds, fullLocationId, fullCardId, unitIds } = stock;
  const [, siteId = ''] = siteIds;
  const [gradeId = '', rareGradeId = ''] = stock.gradeIds;
  const { clientId, connectionId, secretId, keyId } = objects;
  const lists = [
    { status: 'grading' },
    { status: 'reserved', site: siteId },
    { site: siteId },
    { location: fullLocationId },
    { card: fullCardId },
    { card: fullCardId, status: 'reserved' },
    { card: fullCardId, site: siteId },
    { grade: rareGradeId },
    { grade: gradeId, site: siteId },
    { grade: rareGradeId, card: fullCardId },
    { q: '竜' },
    { q: '竜', site: siteId, status: 'reserved' },
    { q: 'KGS 12000' },
    { status: 'all' },
    { q: '010/100' },
    { q: '2911525165120' },
    { q: '竜', live: '1' },
    { before: '0-1000' },
  ];
  return [
    ...lists.map((query) => `${home}/stock?${new URLSearchParams(query).toString()}`),
    ...unitIds.slice(0, 2).map((id) => `${home}/stock/${id}`),
    `${home}/cards?q=${encodeURIComponent('竜')}`,
    `${home}/products?q=${encodeURIComponent('ボックス')}`,
    `${home}/apps/${clientId}`,
    `${home}/apps/${clientId}/secrets/${secretId}/remove`,
    `${home}/apps/${clientId}/secret`,
    `${home}/apps/keys/${keyId}/secret`,
    `${home}/connections/${connectionId}`,
  ];
}

async function measure(
  { pattern, path }: ConsolePage,
  fetchPage: (path: string) => Promise<PageResponse>,
  { cold, backends }: { readonly cold: PageResponse; readonly backends: readonly number[] },
): Promise<Figure> {
  const query = path.split('?')[1];
  const at = pattern.replace('/console/shops/:slug', '…');
  const what = query === undefined ? at : `${at}?${decodeURIComponent(query)}`;
  const size = `${Math.ceil(cold.bytes / 1_000)} kB`;
  // An export contains all rows of a list, so the crawl's request is the only one.
  if (cold.isFile) {
    return makeFigure({ what, unit: 'ms', ours: cold.ms, notes: `one request; ${size}` });
  }
  // Measure the CPU time of this process and PostgreSQL, which does not depend on other work on the
  // machine.
  const readCpuMs = (): number =>
    [process.pid, ...backends].reduce((sum, pid) => sum + cpuMsOf(pid), 0);
  const durations: number[] = [];
  for (let turn = 0; turn < WARM_UPS; turn++) await fetchPage(path);
  const before = readCpuMs();
  while (durations.length < REPEATS) durations.push((await fetchPage(path)).ms);
  const cpuMs = readCpuMs() - before;
  durations.sort((a, b) => a - b);
  const median = durations[REPEATS / 2] ?? 0;
  const worst = durations.at(-1) ?? 0;
  return makeFigure({
    what,
    unit: 'ms',
    ours: median,
    cpuMicroseconds: (cpuMs * 1_000) / REPEATS,
    target: atMost(PAGE_MS_MAX, Math.max(worst, cold.ms), 'ms'),
    notes: `worst ${worst.toFixed(0)}, first (cold) ${cold.ms.toFixed(0)} ms; ${size}`,
  });
}
