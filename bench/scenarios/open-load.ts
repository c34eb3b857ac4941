// Generates an open-loop load: requests are sent at fixed times that do not depend on responses.
// `node open-load.ts '<OpenLoadPlan as JSON>'` prints `ready ` and, at the end, an OpenLoadResult
// as JSON.
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { argv, pid as ownPid } from 'node:process';
import { cpuMsOf } from '../harness/process-figures.ts';

export interface OpenLoadPlan {
  readonly port: number;
  /** The process whose CPU time is measured. */
  readonly pid: number;
  /** A file with one line `<path> <token>` per request. The requests are sent in turn. */
  readonly requestsFile: string;
  readonly connections: number;
  /** Requests per second, evenly spaced. */
  readonly rate: number;
  readonly seconds: number;
  /** The rate after the overload, to measure how soon the service recovers. */
  readonly afterRate: number;
  readonly afterSeconds: number;
  /** True if a refused client retries after `Retry-After` until it gets a successful response. */
  readonly comesBack: boolean;
}

/** Times in ms from sending a request to the end of its response. */
export interface ResponseTimes {
  readonly count: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly mostMs: number;
}

export interface OpenLoadResult {
  /** The number of scheduled requests, including retries. */
  readonly due: number;
  /** The number of scheduled requests that were sent. */
  readonly sent: number;
  /** The number of requests that were not sent because every connection was busy. */
  readonly unsent: number;
  readonly served: ResponseTimes;
  readonly shed: ResponseTimes;
  /** CPU time of the process during the load. */
  readonly cpuMs: number;
  /**
   * CPU time of this generator during the load. If it is close to the duration, the generator and
   * not the service was the bottleneck.
   */
  readonly ownCpuMs: number;
  /** The number of responses other than 200 and 503, plus the number of broken connections. */
  readonly failed: number;
  /**
   * The time from the end of the load to the last response that was not 200, in ms; 0 if all were
   * 200.
   */
  readonly recoveredMs: number;
  readonly after: ResponseTimes;
}

const BUFFER_BYTES = 262_144;
const HEAD_BYTES_MAX = 4_096;
const WARM_SECONDS = 1;
/** The number of connections opened concurrently. */
const OPENED_AT_ONCE = 100;

interface Connection {
  readonly socket: Socket;
  sentAtMs: number;
  /** The number of calls to `take` before the request was sent. */
  phase: number;
  /** The remaining bytes of the body. Null while the head is being read. */
  left: number | null;
  head: string;
  status: number;
  retryMs: number;
}

class Sender {
  readonly #plan: OpenLoadPlan;
  readonly #requests: readonly Buffer[];
  readonly #idle: Connection[] = [];
  /** The number of clients that will retry, by millisecond. */
  readonly #returns = new Map<number, number>();
  #nextRequest = 0;
  #served: number[] = [];
  #shed: number[] = [];
  #lastBadAtMs = 0;
  #phase = 0;
  due = 0;
  sent = 0;
  unsent = 0;
  failed = 0;

  constructor(plan: OpenLoadPlan) {
    this.#plan = plan;
    this.#requests = readFileSync(plan.requestsFile, 'utf8')
      .trim()
      .split('\n')
      .map((connection) => {
        const [path, token] = connection.split(' ');
        return Buffer.from(
          `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${token}\r\n\r\n`,
        );
      });
  }

  async open(): Promise<void> {
    for (let n = 0; n < this.#plan.connections; n += OPENED_AT_ONCE) {
      const count = Math.min(OPENED_AT_ONCE, this.#plan.connections - n);
      await Promise.all(Array.from({ length: count }, async () => await this.#openOne()));
    }
  }

  async #openOne(): Promise<void> {
    await new Promise<void>((resolve) => {
      const onread = {
        // Reads never overlap, so all connections share one buffer; the callback is per connection.
        buffer: shared,
        callback: (size: number, buffer: Uint8Array): boolean => {
          this.#receive(connection, buffer, size);
          return true;
        },
      };
      const socket = connect({ port: this.#plan.port, host: '127.0.0.1', noDelay: true, onread });
      const connection: Connection = {
        socket,
        sentAtMs: 0,
        phase: 0,
        left: null,
        head: '',
        status: 0,
        retryMs: 0,
      };
      socket.once('connect', () => {
        this.#idle.push(connection);
        resolve();
      });
      socket.on('error', () => {
        this.failed += 1;
        resolve();
      });
    });
  }

  /** Sends the scheduled requests for this many seconds. */
  async run(rate: number, seconds: number): Promise<void> {
    const beganAtMs = performance.now();
    let count = 0;
    let returnedUntilMs = Math.floor(beganAtMs);
    await new Promise<void>((resolve) => {
      const tick = (): void => {
        const nowMs = performance.now();
        const passedMs = Math.min(nowMs - beganAtMs, seconds * 1_000);
        for (const target = Math.floor((passedMs * rate) / 1_000); count < target; count++) {
          this.#send(nowMs);
        }
        for (; returnedUntilMs < nowMs; returnedUntilMs++) {
          const back = this.#returns.get(returnedUntilMs) ?? 0;
          this.#returns.delete(returnedUntilMs);
          for (let n = 0; n < back; n++) this.#send(nowMs);
        }
        if (passedMs >= seconds * 1_000) resolve();
        else setTimeout(tick, 1);
      };
      tick();
    });
  }

  /**
   * Returns the results since the last call. Clients that were refused before this call do not
   * retry.
   */
  take(): {
    readonly served: ResponseTimes;
    readonly shed: ResponseTimes;
    readonly lastBadAtMs: number;
  } {
    const taken = {
      served: timesOf(this.#served),
      shed: timesOf(this.#shed),
      lastBadAtMs: this.#lastBadAtMs,
    };
    [this.#served, this.#shed] = [[], []];
    this.#phase += 1;
    this.#returns.clear();
    return taken;
  }

  #send(nowMs: number): void {
    this.due += 1;
    const connection = this.#idle.shift();
    if (connection === undefined) {
      this.unsent += 1;
      return;
    }
    this.sent += 1;
    connection.sentAtMs = nowMs;
    connection.phase = this.#phase;
    const bytes = this.#requests[this.#nextRequest++ % this.#requests.length];
    if (bytes !== undefined) connection.socket.write(bytes);
  }

  #receive(connection: Connection, buffer: Uint8Array, size: number): void {
    let bodyBytes = size;
    if (connection.left === null) {
      const before = connection.head.length;
      connection.head += Buffer.from(buffer.buffer, 0, Math.min(size, HEAD_BYTES_MAX)).toString(
        'latin1',
      );
      const end = connection.head.indexOf('\r\n\r\n');
      if (end === -1) return;
      connection.status = Number(connection.head.slice(9, 12));
      connection.left = Number(/\r\ncontent-length: (\d+)/i.exec(connection.head)?.[1]);
      if (connection.status === 503) {
        connection.retryMs = Number(/\r\nretry-after: (\d+)/i.exec(connection.head)?.[1]) * 1_000;
      }
      bodyBytes = size - (end + 4 - before);
      connection.head = '';
    }
    connection.left -= bodyBytes;
    if (connection.left > 0) return;
    connection.left = null;
    this.#count(connection);
    this.#idle.push(connection);
  }

  #count({ status, sentAtMs, phase, retryMs }: Connection): void {
    const nowMs = performance.now();
    if (status === 200) {
      if (phase === this.#phase) this.#served.push(nowMs - sentAtMs);
      return;
    }
    this.#lastBadAtMs = nowMs;
    if (status === 503) this.#shed.push(nowMs - sentAtMs);
    else this.failed += 1;
    if (status !== 503 || !this.#plan.comesBack) return;
    const atMs = Math.ceil(nowMs + retryMs);
    this.#returns.set(atMs, (this.#returns.get(atMs) ?? 0) + 1);
  }
}

function timesOf(times: readonly number[]): ResponseTimes {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number): number => sorted[Math.floor(sorted.length * share)] ?? 0;
  return { count: sorted.length, p50Ms: at(0.5), p99Ms: at(0.99), mostMs: sorted.at(-1) ?? 0 };
}

const shared = Buffer.alloc(BUFFER_BYTES);

async function main(plan: OpenLoadPlan): Promise<void> {
  const sender = new Sender(plan);
  await sender.open();
  // Warm up until the process has accepted every connection, because accepting one costs more than
  // a request.
  await sender.run(plan.afterRate, WARM_SECONDS);
  sender.take();
  const cpuBeforeMs = cpuMsOf(plan.pid);
  const ownBeforeMs = cpuMsOf(ownPid);
  const before = { due: sender.due, sent: sender.sent, unsent: sender.unsent };
  await sender.run(plan.rate, plan.seconds);
  const cpuMs = cpuMsOf(plan.pid) - cpuBeforeMs;
  const ownCpuMs = cpuMsOf(ownPid) - ownBeforeMs;
  const due = sender.due - before.due;
  const sent = sender.sent - before.sent;
  const unsent = sender.unsent - before.unsent;
  const { served, shed } = sender.take();
  const endedAtMs = performance.now();
  await sender.run(plan.afterRate, plan.afterSeconds);
  const after = sender.take();
  const result: OpenLoadResult = {
    due,
    sent,
    unsent,
    served,
    shed,
    cpuMs,
    ownCpuMs,
    failed: sender.failed,
    recoveredMs: Math.max(0, after.lastBadAtMs - endedAtMs),
    after: after.served,
  };
  console.log(`ready ${JSON.stringify(result)}`);
}

if (import.meta.main) {
  // The parent wrote the plan.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  await main(JSON.parse(argv[2] ?? '') as OpenLoadPlan);
}
