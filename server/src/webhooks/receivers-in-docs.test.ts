import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { findFreePort } from '../base/free-port.ts';
import { newId } from '../base/secrets.ts';
import type { SignedRequest } from './attempt.ts';
import { renderEvent, signRequest } from './event-request.ts';
import { signingKeysOf } from './signature.ts';
import { newWebhookSecret } from './webhook-secrets.ts';
import { cleanEnvironment } from '../../test/cardport.ts';
import { exchangeRaw } from '../../test/raw-socket.ts';
import { waitUntil } from '../../test/wait-until.ts';

const PAGE = readFileSync(new URL('../../../docs/webhooks.md', import.meta.url), 'utf8');

/** Returns the page's programs in a language, in order. */
function programs(language: string): string[] {
  const pattern = new RegExp(`^\`\`\`${language}\\b[^\\n]*\\n(.*?)^\`\`\`$`, 'gms');
  return [...PAGE.matchAll(pattern)].map(([, text = '']) => text);
}

/** How to run a receiver that the page shows. */
interface ShownReceiver {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  /** Why the receiver cannot run on this machine, or false. */
  readonly skip: string | false;
}

const hasPython = spawnSync('python3', ['--version']).status === 0;

const SHOWN_RECEIVERS: readonly ShownReceiver[] = [
  {
    name: 'receiver.mjs',
    command: process.execPath,
    args: ['--input-type=module', '--eval', programs('js')[0] ?? ''],
    skip: false,
  },
  {
    name: 'receiver.py',
    command: 'python3',
    args: ['-c', programs('python')[0] ?? ''],
    skip: hasPython ? false : 'there is no python3 on this machine',
  },
];

/** A receiver in a separate process. */
interface Receiver extends AsyncDisposable {
  readonly printed: { readonly stdout: string; readonly stderr: string };
  /** Resolves with the exit code when the process has ended. */
  readonly ended: Promise<number | null>;
  /** Stops the process and waits for the rest of its output. */
  stop(): Promise<void>;
}

function run(
  { command, args }: ShownReceiver,
  settings: Readonly<Record<string, string>>,
): Receiver {
  const child = spawn(command, args, {
    env: cleanEnvironment(settings),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const printed = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream].setEncoding('utf8');
    child[stream].on('data', (text: string) => (printed[stream] += text));
  }
  const ended = once(child, 'close').then(() => child.exitCode);
  const stop = async (): Promise<void> => {
    child.kill();
    await ended;
  };
  return { printed, ended, stop, [Symbol.asyncDispose]: stop };
}

function noticeOf(secret: string, url: string, ageMs: number = 0): SignedRequest {
  const body = renderEvent({ shopId: newId(), connectionId: newId(), occurredAt: new Date() });
  const at = new Date(Date.now() - ageMs);
  return signRequest({
    url,
    body,
    eventId: newId(),
    attempt: 1,
    keys: [signingKeysOf(secret)],
    at,
  });
}

async function send({ url, body, headers }: SignedRequest): Promise<number> {
  const answer = await fetch(url, { method: 'POST', headers, body: new Uint8Array(body) });
  return answer.status;
}

describe('docs/webhooks.md', () => {
  for (const shown of SHOWN_RECEIVERS) {
    const { skip } = shown;
    it(`the page shows ${shown.name}, which accepts only genuine events`, { skip }, async () => {
      const [secret, port] = [newWebhookSecret(), await findFreePort()];
      await using receiver = run(shown, { WEBHOOK_SECRET: secret, PORT: String(port) });
      const { printed } = receiver;
      await waitUntil(() => printed.stdout.includes('waiting for notices\n'));
      const url = `http://127.0.0.1:${port}/hook`;
      const genuine = noticeOf(secret, url);
      const altered = { ...genuine, body: Buffer.concat([genuine.body, Buffer.from(' ')]) };
      const bare = { url, body: genuine.body, headers: {} };
      const huge = { ...genuine, body: Buffer.alloc(100_000) };
      assert.equal(await send(genuine), 204);
      assert.equal(await send(altered), 401);
      assert.equal(await send(bare), 401);
      // The receiver does not read a huge body, so the connection may close before the response.
      assert.equal(await send(huge).catch(() => 401), 401);
      assert.equal(await send(noticeOf(newWebhookSecret(), url)), 401);
      // A sender that disconnects in the middle of a body must not stop the receiver.
      await exchangeRaw(
        port,
        'POST /hook HTTP/1.1\r\nHost: a\r\nContent-Length: 200\r\n\r\n{',
        'at_once',
      );
      assert.equal(await send(noticeOf(secret, url, 290_000)), 204);
      assert.equal(await send(noticeOf(secret, url, 301_000)), 401);
      assert.equal(await send(noticeOf(secret, url, -310_000)), 401);
      await receiver.stop();
      assert.equal(printed.stdout.match(/"type":"inventory\.changed"/g)?.length, 2);
      // One line for each 401, without anything that was sent.
      assert.match(printed.stderr, /^(?:401: wrong signature[^\n]*\n){6}$/);
    });

    it(
      `the page shows ${shown.name}, which does not start without a secret`,
      { skip },
      async () => {
        for (const secret of [{}, { WEBHOOK_SECRET: '' }, { WEBHOOK_SECRET: 'AAECAwQ=' }]) {
          await using receiver = run(shown, { ...secret, PORT: '0' });
          assert.equal(await receiver.ended, 1);
          assert.match(receiver.printed.stderr, /^WEBHOOK_SECRET must be the secret [^\n]*\n$/);
          assert.equal(receiver.printed.stdout, '');
        }
      },
    );
  }

  it('the page shows an event with valid signatures', () => {
    const [, head = '', body = ''] = /^```http\nPOST ([^]*?)\n\n(\{.*\})\n```$/m.exec(PAGE) ?? [];
    const shown = Object.fromEntries(
      head
        .split('\n')
        .slice(1)
        .map((line) => line.split(': ')),
    );
    const [secret = ''] = /whsec_[A-Za-z0-9+/]{43}=/.exec(PAGE) ?? [];
    const { tenantId, connectionId, occurredAt }: Record<string, string> = JSON.parse(body);
    assert.ok(tenantId !== undefined && connectionId !== undefined && occurredAt !== undefined);
    const at = new Date(occurredAt);
    const rendered = renderEvent({ shopId: tenantId, connectionId, occurredAt: at });
    assert.equal(String(rendered), body);
    const eventId = String(shown['webhook-id']);
    const keys = [signingKeysOf(secret)] as const;
    const facts = { url: '', body: rendered, eventId, attempt: 1, keys, at };
    const { 'content-type': type, 'user-agent': _, ...signed } = signRequest(facts).headers;
    assert.deepEqual(shown, { 'Content-Type': type, ...signed });
  });

  it('the page shows how to use a Standard Webhooks library', async () => {
    const [, program = ''] = programs('js');
    const library = import.meta.resolve('standardwebhooks');
    const text = program.replace("'standardwebhooks'", `'${library}'`);
    const module: unknown = await import(`data:text/javascript,${encodeURIComponent(text)}`);
    assert.ok(typeof module === 'object' && module !== null);
    const readNotice: unknown = Reflect.get(module, 'readNotice');
    assert.ok(typeof readNotice === 'function');
    const secret = newWebhookSecret();
    const { body, headers } = noticeOf(secret, 'https://app.example/hook');
    const read = (...given: unknown[]): unknown => Reflect.apply(readNotice, undefined, given);
    assert.deepEqual(read(body, headers, secret), JSON.parse(String(body)));
    assert.throws(() => read(body, headers, newWebhookSecret()));
    assert.throws(() => read(`${String(body)} `, headers, secret));
  });
});
