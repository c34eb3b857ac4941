import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { Agent, get } from 'node:http';
import { fileURLToPath } from 'node:url';
import { describe, it } from 'node:test';
import { cleanEnvironment } from '../../test/cardport.ts';
import { seedGrant, seedParty, startPartnerNode, TEST_PUBLIC_URL } from '../../test/partner.ts';
import { openTestDatabase } from '../../test/test-database.ts';
import { waitUntil } from '../../test/wait-until.ts';

/** The notice that the process gives before its port closes. */
const NOTICE_SECONDS = 1;
/** Enough keep-alive clients that some request is always under way. */
const CLIENTS = 8;
/** The tokens of tests are counted from a day in the past; the process lives today. */
const LIFETIME_SECONDS = 100 * 365 * 86_400;

interface Outcome {
  readonly atMs: number;
  /** Null when there was no answer. */
  readonly status: number | null;
}

function startProcess(databaseUrl: string, port: number): ChildProcess {
  const cli = fileURLToPath(new URL('../cli.ts', import.meta.url));
  return spawn(process.execPath, [cli, 'serve'], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: cleanEnvironment({
      DATABASE_URL: databaseUrl,
      PORT: String(port),
      PUBLIC_URL: TEST_PUBLIC_URL,
      SECRET_KEY: 'a secret key of tests, 32 characters or more',
      RATE_LIMITS: 'off',
      LOG_LEVEL: 'silent',
      DRAIN_NOTICE_SECONDS: String(NOTICE_SECONDS),
      DRAIN_SECONDS: '10',
    }),
  });
}

async function ask(agent: Agent, port: number, token: string): Promise<number | null> {
  return await new Promise((resolve) => {
    const options = { agent, headers: { authorization: `Bearer ${token}` } };
    const url = `http://127.0.0.1:${port}/partner/v1/inventory/changes`;
    const request = get(url, options, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk) => (text += chunk));
      response.on('end', () => resolve(text.endsWith('}') ? (response.statusCode ?? 0) : 0));
      // An answer that was cut in two.
      response.on('error', () => resolve(0));
    });
    request.on('error', () => resolve(null));
  });
}

describe('SIGTERM under load', () => {
  it('loses no request: the notice is served, what is under way is answered, exit code 0', async () => {
    await using base = await openTestDatabase();
    const party = await seedParty(base.db);
    const { token } = await seedGrant(base.db, party, { lifetimeSeconds: LIFETIME_SECONDS });
    let port = 0;
    {
      await using node = await startPartnerNode(base);
      await node.call('POST', '/connection', { token });
      port = node.port;
    }
    const child = startProcess(base.url, port);
    let said = '';
    child.stdout?.on('data', (chunk) => (said += String(chunk)));
    await waitUntil(() => said.includes('ready'), 20_000);
    const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
    const outcomes: Outcome[] = [];
    let isOver = false;
    const clients = Array.from({ length: CLIENTS }, async () => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      while (!isOver) {
        const status = await ask(agent, port, token);
        outcomes.push({ atMs: performance.now(), status });
        if (status === null) return;
      }
    });
    await waitUntil(() => outcomes.length > 200);
    const signalledAtMs = performance.now();
    child.kill('SIGTERM');
    const code = await ended;
    isOver = true;
    await Promise.all(clients);
    assert.equal(code, 0);
    const answered = outcomes.filter(({ status }) => status !== null);
    assert.ok(answered.every(({ status }) => status === 200));
    const late = answered.filter(({ atMs }) => atMs > signalledAtMs + NOTICE_SECONDS * 500);
    assert.ok(late.length > 0, 'still served during the notice');
    const lost = outcomes.filter(
      ({ status, atMs }) => status === null && atMs < signalledAtMs + NOTICE_SECONDS * 900,
    );
    assert.deepEqual(lost, [], 'nothing is refused before the notice is over');
  });
});
