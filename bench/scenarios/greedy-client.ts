// Sends the same requests again and again over many connections, as a greedy app or member does.
// The plan is the path of a JSON file. Prints the number of responses by status when it ends.
import { readFileSync } from 'node:fs';
import { Agent, type ClientRequest, type IncomingMessage, request } from 'node:http';
import { argv } from 'node:process';
import { setTimeout as pause } from 'node:timers/promises';

/** One connection, which repeats a request. */
export interface GreedyConnection {
  readonly method: 'GET' | 'PUT';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly bodyFile?: string;
  /** True if the client never reads the response. */
  readonly isStalled?: boolean;
}

export interface GreedyPlan {
  readonly url: string;
  readonly seconds: number;
  readonly connections: readonly GreedyConnection[];
}

/** The number of responses by status; 0 for requests without a response. */
export type GreedyResult = Readonly<Record<string, number>>;

/** The pause after a refusal. Without it, only the refusals would be measured. */
const REFUSED_PAUSE_MS = 250;

async function main({ url, seconds, connections }: GreedyPlan): Promise<void> {
  const counts: Record<string, number> = {};
  const stop = new AbortController();
  const isOver = (): boolean => stop.signal.aborted;
  const running = connections.map(async (connection) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const body = connection.bodyFile === undefined ? null : readFileSync(connection.bodyFile);
    while (!isOver()) {
      const status = await send(url, connection, { agent, body, signal: stop.signal });
      if (status === 0 && isOver()) break;
      counts[status] = (counts[status] ?? 0) + 1;
      if (status >= 400 || status === 0) await pause(REFUSED_PAUSE_MS);
    }
    agent.destroy();
  });
  await pause(seconds * 1_000);
  stop.abort();
  await Promise.all(running);
  console.log(`ready ${JSON.stringify(counts)}`);
}

interface SendOptions {
  readonly agent: Agent;
  readonly body: Buffer | null;
  readonly signal: AbortSignal;
}

/** Returns the status after the whole response, or 0 if there was none. */
async function send(
  url: string,
  { method, path, headers, isStalled = false }: GreedyConnection,
  { agent, body, signal }: SendOptions,
): Promise<number> {
  return await new Promise((resolve) => {
    let status = 0;
    const done = (): void => resolve(status);
    const take = (response: IncomingMessage): void => {
      status = response.statusCode ?? 0;
      response.once('close', done);
      if (isStalled && status === 200) response.pause();
      else response.resume();
    };
    const length = body === null ? {} : { 'content-length': body.length };
    const sent: ClientRequest = request(
      `${url}${path}`,
      { agent, method, headers: { ...headers, ...length }, signal },
      take,
    );
    sent.once('error', done);
    sent.end(body ?? undefined);
  });
}

if (import.meta.main) {
  // The parent wrote the plan.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  await main(JSON.parse(readFileSync(argv[2] ?? '', 'utf8')) as GreedyPlan);
}
