// Sends thousands of valid, nearly valid and hostile requests to a real process. The requests go to
// both APIs (as their OpenAPI documents describe them), to the authorization server and to the
// console's forms and uploads; some are not HTTP at all. Every answer is checked: no internal errors, no hangs,
// nothing undocumented, and no data that the caller may not see.
//
// `FUZZ_SEED` repeats a run, except for its timing. `FUZZ_SECONDS` sets its length; the run then
// continues until every operation has succeeded once, and until clients that stop in the middle of
// a request have timed out, which takes a minute. `FUZZ_MEMORY_MB` limits the memory of the service
// and its child processes, which needs root. `npm run prove -- --full` runs it for an hour on the
// packaged PostgreSQL.
import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { findPackagedBinaries } from '../../src/database/packaged/binaries.ts';
import { makePlainImage } from '../../test/images.ts';
import { findFreePort } from '../../src/base/free-port.ts';
import { openTestDatabase } from '../../test/test-database.ts';
import { type ServiceProcess, startServiceProcess } from '../service-process.ts';
import { ApiCases } from './api-cases.ts';
import { AuthorizationFlow } from './authorization-flow.ts';
import { ConsoleCases } from './console-cases.ts';
import { Contract } from './contract.ts';
import { Grants } from './grants.ts';
import { Journal } from './journal.ts';
import { AnswerChecker } from './answer-checker.ts';
import { MemoryWatch } from './memory.ts';
import { OAuthCases } from './oauth-cases.ts';
import { ValuePools } from './value-pools.ts';
import { Random } from './random.ts';
import { RawCases } from './raw-cases.ts';
import { countRequests, findUnreached, renderReport } from './report.ts';
import { Scene } from './scene.ts';
import { ServiceLog } from './service-log.ts';
import type { CaseContext } from './case-context.ts';
import { UploadCases } from './upload-cases.ts';
import { MemoryGroup } from './memory-group.ts';
import { RequestSender } from './request-sender.ts';

const SECONDS = secondsOfRun();
const SEED = process.env['FUZZ_SEED'] ?? String(randomInt(1e9));
/** The number of concurrent cases. */
const WORKERS = 6;
/** The maximum share of 503 responses (load shedding). */
const SHED_PART_MAX = 0.02;
/**
 * The duration of a round of waiting clients, which ends when all timeouts of the server have
 * elapsed.
 */
const WAITING_MS = 73_000;
/** The maximum time that the service may need to answer, or to stop, after the last case. */
const ALIVE_MS_MAX = 60_000;
const RESTORE_EVERY_MS = 3_000;
/** The maximum extension of a run in which some operations have had no 2xx answer. */
const REACHING_MS_MAX = 300_000;
/** The limit of the service's memory in MB, or null. */
const MEMORY_MB = Number(process.env['FUZZ_MEMORY_MB'] ?? 0) || null;
const SECRET_KEY = 'the secret key of a service that is fuzzed, 32 characters';

function secondsOfRun(): number {
  const given = Number(process.env['FUZZ_SECONDS'] ?? Number.NaN);
  if (!Number.isNaN(given)) return given;
  if (process.env['PROVE_FULL'] !== '1') return 20;
  return process.env['TEST_POSTGRES_BIN'] === findPackagedBinaries().folder ? 3_600 : 75;
}

const AREAS = { partner: 24, shop: 30, oauth: 10, console: 16, upload: 12, raw: 8 } as const;
type Area = keyof typeof AREAS;

/** The service under test, and the context of the cases. */
interface Run extends CaseContext {
  readonly service: ServiceProcess;
  readonly log: ServiceLog;
  readonly contracts: Readonly<Record<'partner' | 'shop', Contract>>;
  readonly runCase: (area: Area, random: Random) => Promise<void>;
  /** Runs clients that stop sending in the middle of a request. Takes about a minute. */
  readonly wait: (random: Random) => Promise<void>;
}

async function openRun(scene: Scene, group: MemoryGroup | null): Promise<Run> {
  const port = await findFreePort();
  // Passkeys require a host name.
  const origin = `http://localhost:${port}`;
  const hidden = [SECRET_KEY, scene.base.url, scene.folder];
  const journal = new Journal(() => [...hidden, ...scene.secrets]);
  const log = new ServiceLog(join(scene.folder, 'service.log'), journal);
  const environment = {
    PORT: String(port),
    PUBLIC_URL: origin,
    DATABASE_URL: scene.base.url,
    SECRET_KEY,
    PHOTO_STORE: join(scene.folder, 'photos'),
    MAIL_URL: scene.mails,
    ALLOW_LOOPBACK_WEBHOOKS: 'true',
    LOG_LEVEL: 'warn',
  };
  const service = await startServiceProcess(
    environment,
    ['serve'],
    (part) => log.take(part),
    group?.program(scene.folder),
  );
  const checker = new AnswerChecker({
    journal,
    origins: [origin, new URL(scene.redirectUri).origin],
    hidden,
  });
  const sender = new RequestSender(port, journal, checker);
  const pools = new ValuePools(scene.receiver.url);
  const context: CaseContext = { origin, scene, sender, journal, pools };
  const contracts = {
    partner: await readContract('partner', service.url),
    shop: await readContract('shop', service.url),
  };
  const formats = ['jpeg', 'png', 'webp'] as const;
  const pictures = await Promise.all(
    formats.map(
      async (format) => [`image/${format}`, await makePlainImage(40, 60, format)] as const,
    ),
  );
  const flow = new AuthorizationFlow(context);
  const grants = new Grants(context, flow);
  const apis = new ApiCases(context, grants, contracts, pictures);
  const oauth = new OAuthCases(context, flow, grants);
  const pages = new ConsoleCases(context, pictures);
  const uploads = new UploadCases(context, pictures);
  const raw = new RawCases(context, checker);
  const runCase: Run['runCase'] = async (area, random) => {
    if (area === 'partner' || area === 'shop') await apis.run(area, random);
    else await { oauth, console: pages, upload: uploads, raw }[area].run(random);
  };
  const wait: Run['wait'] = async (random) => await raw.wait(random);
  return { ...context, service, log, contracts, runCase, wait };
}

async function readContract(api: 'partner' | 'shop', url: string): Promise<Contract> {
  const path = api === 'partner' ? '/openapi/partner-v1.json' : '/openapi/shop-v1.json';
  const response = await fetch(`${url}${path}`);
  assert.equal(response.status, 200);
  return new Contract(api, await response.json());
}

/** Returns the operations without a 2xx answer. */
function unreachedBy({ journal, contracts }: Run): readonly string[] {
  return (['partner', 'shop'] as const).flatMap((api) =>
    findUnreached(journal, api, contracts[api]),
  );
}

/**
 * Runs cases, each with separate random choices, until the time is over and every operation has
 * been reached.
 */
async function runCases(run: Run): Promise<void> {
  const { journal, runCase, scene, wait } = run;
  const endsMs = performance.now() + SECONDS * 1_000;
  const isRunning = (): boolean => {
    const now = performance.now();
    if (journal.isFull) return false;
    return now < endsMs || (now < endsMs + REACHING_MS_MAX && unreachedBy(run).length > 0);
  };
  let restoredMs = performance.now();
  const worker = async (): Promise<void> => {
    while (isRunning()) {
      const random = new Random(`${SEED}/${++journal.cases}`);
      if (performance.now() - restoredMs > RESTORE_EVERY_MS) {
        restoredMs = performance.now();
        await scene.restore(random);
      }
      const area = random.weigh(AREAS);
      await runCase(area, random).catch((error: unknown) => {
        const text = error instanceof Error ? String(error.stack) : String(error);
        journal.failWith(
          `the case itself failed: ${String(error)}`,
          `case ${random.name} (${area})\n${text}`,
        );
      });
    }
  };
  const waiter = async (): Promise<void> => {
    // Do not begin a round that would end after the run.
    let round = 0;
    do {
      await wait(new Random(`${SEED} waiting ${round++}`));
    } while (performance.now() < endsMs - WAITING_MS && !journal.isFull);
  };
  await Promise.all([waiter(), ...Array.from({ length: WORKERS }, worker)]);
}

/** Checks that the service has not restarted, is ready and answers correctly. */
async function checkAlive({ service, scene }: Run): Promise<void> {
  process.kill(service.pid, 0);
  const signal = AbortSignal.timeout(ALIVE_MS_MAX);
  const ready = await fetch(`${service.url}/readyz`, { signal });
  assert.equal(ready.status, 200);
  await scene.renewKey();
  const headers = { authorization: `Bearer ${scene.shopKey}` };
  const sites = await fetch(`${service.url}/shop/v1/sites?limit=1`, { headers, signal });
  assert.equal(sites.status, 200);
}

/** Stops the service; kills it if it hangs and ignores SIGTERM. */
async function endService(service: ServiceProcess): Promise<void> {
  const timer = setTimeout(() => void service.kill(), ALIVE_MS_MAX);
  await service.stop();
  clearTimeout(timer);
}

describe('a fuzzed service', () => {
  it(`a fuzzed service responds to every request as documented (seed ${SEED}, ${SECONDS} s)`, async (t) => {
    t.diagnostic(`to repeat this run: FUZZ_SEED=${SEED} FUZZ_SECONDS=${SECONDS}`);
    await using base = await openTestDatabase();
    await using scene = await Scene.open(base);
    using group = MEMORY_MB === null ? null : new MemoryGroup(MEMORY_MB);
    const run = await openRun(scene, group);
    const { journal, service } = run;
    try {
      const memory = new MemoryWatch(service.pid);
      const descriptors = memory.descriptors;
      await runCases(run);
      await checkAlive(run).catch((error: unknown) => {
        journal.failWith('the service no longer works after the run', String(error));
      });
      const { figures, fault } = memory.stop();
      if (fault !== null) journal.failWith(fault, figures);
      const requests = countRequests(journal);
      for (const line of renderReport(journal).split('\n')) t.diagnostic(line);
      t.diagnostic(`${journal.cases} cases with ${requests} requests`);
      t.diagnostic(
        `${figures}; ${descriptors} file descriptors at the start, ${memory.descriptors} at the end`,
      );
      if (group !== null) t.diagnostic(group.figures);
      t.diagnostic(`the log held ${run.log.summary}; ${journal.shed} requests were shed`);
      if (journal.shed > requests * SHED_PART_MAX) {
        journal.failWith('too many requests are shed', `${journal.shed} of ${requests}`);
      }
      const unreached = unreachedBy(run);
      if (unreached.length > 0) journal.failWith('operations without a 2xx', unreached.join(', '));
    } finally {
      run.sender.close();
      await endService(service);
    }
    const shown = [...journal.failures].map(([kind, text]) => `== ${kind}\n${text}`);
    assert.equal(
      shown.length,
      0,
      `${shown.length} kinds of failures, seed ${SEED}\n${shown.join('\n\n')}`,
    );
  });
});
