// An open load: requests are sent at instants that no answer moves. `node open-load.ts '<OpenLoadPlan as JSON>'` prints
// `ready ` and an OpenLoadResult as JSON when it is over.
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { argv, pid as ownPid } from 'node:process';
import { cpuMsOf } from '../harness/process-figures.ts';

/** What is sent, how often, and over how many connections. */
export interface OpenLoadPlan {
  readonly port: number;
  /** The process whose CPU time is looked at. */
  readonly pid: number;
  /** A file of lines `<path> <token>`, sent in turn. */
  readonly requestsFile: string;
  readonly connections: number;
  /** Requests a second, at even distances. */
  readonly rate: number;
  readonly seconds: number;
  /** The same service with so many a second afterwards, to see how soon it is itself again. */
  readonly afterRate: number;
  readonly afterSeconds: number;
  /** True: whoever is refused comes back when `Retry-After` says so, until it is served. */
  readonly comesBack: boolean;
}

/** Times in ms from the sending of a request to the end of its answer. */
export interface Times {
  readonly count: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly mostMs: number;
}

export interface OpenLoadResult {
  /** Instants at which a request was to be sent, those of clients that came back included. */
  readonly due: number;
  /** Of them sent. */
  readonly sent: number;
  /** Not sent: every connection still waited for an answer. */
  readonly unsent: number;
  readonly served: Times;
  readonly shed: Times;
  /** CPU time of the process during the load. */
  readonly cpuMs: number;
  /** CPU time of this generator during the load: near the load's whole time, it and not the service was the bound. */
  readonly ownCpuMs: number;
  /** Answers other than 200 and 503, and connections that broke. */
  readonly failed: number;
  /** From the end of the load to the last answer that was not 200, in ms; 0: there was none. */
  readonly recoveredMs: number;
  readonly after: Times;
}

const BUFFER_BYTES = 262_144;
const HEAD_BYTES_MAX = 4_096;
/** How long the load after the overload also goes before it. */
const WARM_SECONDS = 1;
/** Connections are opened so many at a time. */
const OPENED_AT_ONCE = 100;

interface Line {
  readonly socket: Socket;
  sentAtMs: number;
  /** Of the load, or of what comes after it. */
  phase: number;
  /** Bytes of the body that are to come; null: the head is. */
  left: number | null;
  head: string;
  status: number;
  retryMs: number;
}

class Sender {
  readonly #plan: OpenLoadPlan;
  readonly #requests: readonly Buffer[];
  readonly #idle: Line[] = [];
  /** How many come back, by the millisecond. */
  readonly #returns = new Map<number, number>();
  #next = 0;
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
      .map((line) => {
        const [path, token] = line.split(' ');
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
        // One for each: two connections are never read at once, but the callback must know which it was.
        buffer: shared,
        callback: (size: number, buffer: Uint8Array): boolean => {
          this.#take(line, buffer, size);
          return true;
        },
      };
      const socket = connect({ port: this.#plan.port, host: '127.0.0.1', noDelay: true, onread });
      const line: Line = {
        socket,
        sentAtMs: 0,
        phase: 0,
        left: null,
        head: '',
        status: 0,
        retryMs: 0,
      };
      socket.once('connect', () => {
        this.#idle.push(line);
        resolve();
      });
      socket.on('error', () => {
        this.failed += 1;
        resolve();
      });
    });
  }

  /** Sends what is due between two instants, for so long. */
  async run(rate: number, seconds: number): Promise<void> {
    const beganAtMs = performance.now();
    let count = 0;
    let lookedAtMs = Math.floor(beganAtMs);
    await new Promise<void>((resolve) => {
      const tick = (): void => {
        const nowMs = performance.now();
        const passedMs = Math.min(nowMs - beganAtMs, seconds * 1_000);
        for (const target = Math.floor((passedMs * rate) / 1_000); count < target; count++) {
          this.#send(nowMs);
        }
        for (; lookedAtMs < nowMs; lookedAtMs++) {
          const back = this.#returns.get(lookedAtMs) ?? 0;
          this.#returns.delete(lookedAtMs);
          for (let n = 0; n < back; n++) this.#send(nowMs);
        }
        if (passedMs >= seconds * 1_000) resolve();
        else setTimeout(tick, 1);
      };
      tick();
    });
  }

  /** What was sent and answered since the last call; nobody who was refused before it comes back. */
  take(): { readonly served: Times; readonly shed: Times; readonly lastBadAtMs: number } {
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
    const line = this.#idle.shift();
    if (line === undefined) {
      this.unsent += 1;
      return;
    }
    this.sent += 1;
    line.sentAtMs = nowMs;
    line.phase = this.#phase;
    const bytes = this.#requests[this.#next++ % this.#requests.length];
    if (bytes !== undefined) line.socket.write(bytes);
  }

  #take(line: Line, buffer: Uint8Array, size: number): void {
    let bodyBytes = size;
    if (line.left === null) {
      const before = line.head.length;
      line.head += Buffer.from(buffer.buffer, 0, Math.min(size, HEAD_BYTES_MAX)).toString('latin1');
      const end = line.head.indexOf('\r\n\r\n');
      if (end === -1) return;
      line.status = Number(line.head.slice(9, 12));
      line.left = Number(/\r\ncontent-length: (\d+)/i.exec(line.head)?.[1]);
      if (line.status === 503) {
        line.retryMs = Number(/\r\nretry-after: (\d+)/i.exec(line.head)?.[1]) * 1_000;
      }
      bodyBytes = size - (end + 4 - before);
      line.head = '';
    }
    line.left -= bodyBytes;
    if (line.left > 0) return;
    line.left = null;
    this.#count(line);
    this.#idle.push(line);
  }

  #count({ status, sentAtMs, phase, retryMs }: Line): void {
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

function timesOf(times: readonly number[]): Times {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number): number => sorted[Math.floor(sorted.length * share)] ?? 0;
  return { count: sorted.length, p50Ms: at(0.5), p99Ms: at(0.99), mostMs: sorted.at(-1) ?? 0 };
}

const shared = Buffer.alloc(BUFFER_BYTES);

async function main(plan: OpenLoadPlan): Promise<void> {
  const sender = new Sender(plan);
  await sender.open();
  // Until the process has accepted every connection, which costs it more than a request.
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
  // Its own caller wrote it.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  await main(JSON.parse(argv[2] ?? '') as OpenLoadPlan);
}
