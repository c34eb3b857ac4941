import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** One request of a load: a path with its query, and the access token. */
export interface LoadRequest {
  readonly path: string;
  readonly token: string | null;
}

export interface WrkOptions {
  /** The origin, without a trailing slash. */
  readonly url: string;
  /**
   * The requests. They are sent in order starting at index `first`, and then again from index 0.
   */
  readonly requests: readonly LoadRequest[];
  readonly first?: number;
  readonly connections?: number;
  readonly seconds: number;
  /** The time after which a response counts as failed. Defaults to 2 s. */
  readonly timeoutSeconds?: number;
}

export interface WrkResult {
  readonly requests: number;
  readonly seconds: number;
  /** The number of responses other than 2xx and 3xx. */
  readonly refused: number;
  /** The number of broken connections, plus the number of requests that took too long. */
  readonly failed: number;
  readonly bytes: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

const CONNECTIONS = 64;
const TIMEOUT_SECONDS = 2;

// Render all requests before sending the first, so that the generator costs the same per request
// for 1 and for 100,000 requests.
const SCRIPT = `
local ready, at, size = {}, 0, 0
function init(args)
  at = tonumber(args[2])
  for line in io.lines(args[1]) do
    local path, token = line:match("^(%S+) (%S*)$")
    local headers = {}
    if token ~= "" then headers["Authorization"] = "Bearer " .. token end
    size = size + 1
    ready[size] = wrk.format("GET", path, headers)
  end
end
function request()
  at = at % size + 1
  return ready[at]
end
function done(summary, latency)
  local e = summary.errors
  io.write(string.format("figures %d %d %d %d %d %d %d\\n", summary.requests, summary.duration, e.status,
    e.connect + e.read + e.write + e.timeout, summary.bytes, latency:percentile(50), latency:percentile(99)))
end
`;

export function isWrkInstalled(): boolean {
  return spawnSync('wrk', ['--version']).error === undefined;
}

/**
 * Sends GET requests from this process's core as fast as possible, with one thread and this many
 * keep-alive connections.
 */
export async function runWrk(options: WrkOptions): Promise<WrkResult> {
  const folder = mkdtempSync(join(tmpdir(), 'cardport-wrk-'));
  try {
    const script = join(folder, 'requests.lua');
    const list = join(folder, 'requests');
    writeFileSync(script, SCRIPT);
    writeFileSync(list, options.requests.map((one) => `${one.path} ${one.token ?? ''}\n`).join(''));
    const first = String(options.first ?? 0);
    const connections = String(options.connections ?? CONNECTIONS);
    const load = ['--threads', '1', '--connections', connections, '--script', script];
    const times = [
      '--duration',
      `${options.seconds}s`,
      '--timeout',
      `${options.timeoutSeconds ?? TIMEOUT_SECONDS}s`,
    ];
    return readFigures(await run([...load, ...times, options.url, '--', list, first]));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function run(args: readonly string[]): Promise<string> {
  const child = spawn('wrk', args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let printed = '';
  child.stdout.on('data', (part: Buffer) => {
    printed += part.toString();
  });
  await new Promise<void>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', () => resolve());
  });
  return printed;
}

function readFigures(printed: string): WrkResult {
  const line = /^figures (.+)$/m.exec(printed)?.[1];
  if (line === undefined) throw new Error(`wrk printed no results: ${printed}`);
  const [requests, us, refused, failed, bytes, p50, p99] = line.split(' ').map(Number);
  return {
    requests: requests ?? 0,
    seconds: (us ?? 0) / 1_000_000,
    refused: refused ?? 0,
    failed: failed ?? 0,
    bytes: bytes ?? 0,
    p50Ms: (p50 ?? 0) / 1_000,
    p99Ms: (p99 ?? 0) / 1_000,
  };
}
