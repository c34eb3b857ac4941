// `node pg-boss.mjs DATABASE ADDRESS,ADDRESS… SENDS`: pg-boss delivers signed POSTs, SENDS at a
// time. Each fetcher takes a batch, sends all of it, and completes it in one statement. This was
// faster than `work()`, which waits at least half a second between batches.
// `npm ci` of the project does not install the queues, so their types are unknown to the linter.
// oxlint-disable typescript/no-unsafe-return
import { PgBoss } from 'pg-boss';
import { makeJobs, sendJob, servePeer } from './job-sender.mjs';

const QUEUE = 'deliveries';
const BATCH = 100;
const INSERT_BATCH = 5_000;

const [databaseUrl, addresses, sends] = process.argv.slice(2);
const urls = addresses.split(',');
const fetchers = Math.ceil(Number(sends) / BATCH);
const boss = new PgBoss({ connectionString: databaseUrl, max: fetchers + 2 });
boss.on('error', console.error);
await boss.start();
await boss.createQueue(QUEUE);

async function fill(count) {
  const jobs = makeJobs(urls, count).map((data) => ({ data }));
  for (let at = 0; at < jobs.length; at += INSERT_BATCH) {
    await boss.insert(QUEUE, jobs.slice(at, at + INSERT_BATCH));
  }
}

async function fetchUntilEmpty() {
  for (;;) {
    const jobs = await boss.fetch(QUEUE, { batchSize: BATCH });
    if (jobs.length === 0) return;
    await Promise.all(jobs.map(async ({ data }) => await sendJob(data)));
    await boss.complete(
      QUEUE,
      jobs.map(({ id }) => id),
    );
  }
}

async function drain() {
  await Promise.all(Array.from({ length: fetchers }, fetchUntilEmpty));
}

servePeer(fill, drain);
