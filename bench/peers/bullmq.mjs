// `node bullmq.mjs SOCKET ADDRESS,ADDRESS… SENDS`: BullMQ delivers signed POSTs queued in Redis,
// SENDS at a time.
import { Queue, Worker } from 'bullmq';
import { makeJobs, sendJob, servePeer } from './job-sender.mjs';

const QUEUE = 'deliveries';
const ADD_BATCH = 5_000;

const [path, addresses, sends] = process.argv.slice(2);
const urls = addresses.split(',');
const connection = { path, maxRetriesPerRequest: null };
const queue = new Queue(QUEUE, { connection, defaultJobOptions: { removeOnComplete: true } });
let completed = 0;
let onCompleted = () => {};
const worker = new Worker(QUEUE, async (job) => await sendJob(job.data), {
  autorun: false,
  concurrency: Number(sends),
  connection,
});
worker.on('error', console.error);
worker.on('failed', (_job, error) => console.error(error));
worker.on('completed', () => {
  completed++;
  onCompleted();
});
void worker.run();
await worker.waitUntilReady();

async function fill(count) {
  await worker.pause();
  const jobs = makeJobs(urls, count).map((data) => ({ name: 'delivery', data }));
  for (let at = 0; at < jobs.length; at += ADD_BATCH) {
    await queue.addBulk(jobs.slice(at, at + ADD_BATCH));
  }
}

async function drain(count) {
  const until = completed + count;
  const drained = new Promise((resolve) => {
    onCompleted = () => {
      if (completed >= until) resolve();
    };
  });
  await worker.resume();
  await drained;
}

servePeer(fill, drain);
