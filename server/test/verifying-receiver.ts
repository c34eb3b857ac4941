// A webhook receiver in a separate process. It verifies every event with the SDK and with the
// library of Standard Webhooks, once with each secret. Started by
// `node server/test/verifying-receiver.ts SECRET [SECRET]`, it prints its port, then one JSON line
// per event.
import { createServer, type IncomingMessage } from 'node:http';
import { NoticeRefusedError, verifyNotice } from '@cardport/client';
import { Webhook } from 'standardwebhooks';

/** The receiver's report on an event. Both lists have one result per secret, in order. */
export interface ReceiverReport {
  readonly sdk: readonly string[];
  readonly standard: readonly string[];
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

if (import.meta.main) listen(process.argv.slice(2));

function listen(secrets: readonly string[]): void {
  const server = createServer((request, response) => {
    report(request, secrets)
      .then((line) => process.stdout.write(`${line}\n`))
      .finally(() => response.writeHead(204).end())
      .catch((error: unknown) => process.stderr.write(`${String(error)}\n`));
  });
  server.listen(0, '127.0.0.1', () => {
    const address = server.address();
    if (typeof address === 'object') process.stdout.write(`${address?.port}\n`);
  });
  // Exit together with the test that started this process.
  process.stdin.on('end', () => process.exit(0)).resume();
}

async function report(request: IncomingMessage, secrets: readonly string[]): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) if (chunk instanceof Buffer) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  const { headers } = request;
  const found: ReceiverReport = {
    sdk: await Promise.all(secrets.map(async (secret) => await sdkVerdict(secret, body, headers))),
    standard: secrets.map((secret) => standardVerdict(secret, body, headers)),
    headers,
    body: body.toString(),
  };
  return JSON.stringify(found);
}

async function sdkVerdict(
  secret: string,
  body: Buffer,
  headers: IncomingMessage['headers'],
): Promise<string> {
  try {
    await verifyNotice({ body, headers, secret });
    return 'genuine';
  } catch (error) {
    return error instanceof NoticeRefusedError ? error.reason : String(error);
  }
}

function standardVerdict(
  secret: string,
  body: Buffer,
  headers: IncomingMessage['headers'],
): string {
  try {
    new Webhook(secret).verify(body, Object.fromEntries(Object.entries(headers).map(oneValue)));
    return 'genuine';
  } catch (error) {
    return error instanceof Error ? error.message : 'refused';
  }
}

function oneValue([name, value]: [string, string | string[] | undefined]): [string, string] {
  return [name, Array.isArray(value) ? value.join(', ') : (value ?? '')];
}
