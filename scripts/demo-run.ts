import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join, resolve as resolvePath } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type DemoCredentials, readCredentials } from '../server/src/demo/credentials.ts';
import { buildClient } from './build-client.ts';
import { type DemoProcess, runToEnd, startDemoProcess } from './demo-process.ts';

/** The default ports. The demo's app is registered with the default port of the app. */
export const DEMO_PORTS: DemoPorts = { cardport: 8080, app: 8090 };

/** The default folder for the databases of Cardport and the app. Deleting it resets the demo. */
export const DEMO_FOLDER = 'data/demo';

/** Ports on 127.0.0.1. */
export interface DemoPorts {
  readonly cardport: number;
  readonly app: number;
}

/** `folder` contains the databases of Cardport and the app. */
export interface DemoOptions {
  readonly folder: string;
  readonly ports: DemoPorts;
}

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const CARDPORT = join(ROOT, 'server/bin/cardport');
const APP = join(ROOT, 'examples/partner-app/src/main.ts');
const SDK = join(ROOT, 'client/dist/index.js');

/**
 * Runs Cardport with its demo shop and the example app, until Ctrl-C or until one of them ends.
 *
 * @returns the exit code: 0 after Ctrl-C or SIGTERM, 1 when a port is taken or a process has ended
 */
export async function runDemo({ folder: dataFolder, ports }: DemoOptions): Promise<number> {
  const folder = resolvePath(dataFolder);
  for (const port of [ports.cardport, ports.app]) {
    if (await isFree(port)) continue;
    const others = `--port ${ports.cardport + 100} --app-port ${ports.app + 100}`;
    say(`Port ${port} is in use. Choose others: npm run demo -- ${others}`);
    return 1;
  }
  if (!existsSync(join(folder, 'demo.json')) && existsSync(join(folder, 'postgresql'))) {
    say(
      `${folder} contains the data of another Cardport service, which the demo would change: choose another folder with --data`,
    );
    return 1;
  }
  mkdirSync(folder, { recursive: true });
  if (!existsSync(SDK)) buildClient();
  const stopped = waitForStop();
  const url = `http://127.0.0.1:${ports.cardport}`;
  const appUrl = `http://127.0.0.1:${ports.app}`;
  say('Starting Cardport with its demo shop…');
  const cardport = startDemoProcess({
    name: 'Cardport',
    command: [CARDPORT, 'serve', '--demo'],
    environment: cardportSettings(folder, ports),
    readyLine: /Cardport is ready/,
  });
  const running = [cardport];
  try {
    if (!(await isReadyFirst(cardport, stopped))) return await waitForEnd(cardport, stopped);
    const credentials = readCredentials(join(folder, 'demo.json'));
    if (credentials === null) {
      throw new Error(`${folder} has no demo data: choose another folder with --data`);
    }
    await registerRedirectUri(folder, ports, credentials);
    writeFileSync(join(folder, 'addresses.json'), JSON.stringify({ url, appUrl }));
    const app = startDemoProcess({
      name: 'The example app',
      command: [process.execPath, '--disable-warning=ExperimentalWarning', APP],
      environment: appSettings(folder, { url, appUrl }, credentials),
      readyLine: /The price board is at/,
    });
    running.push(app);
    if (!(await isReadyFirst(app, stopped))) return await waitForEnd(app, stopped);
    const isConnected = await showsStock(appUrl);
    say(renderGuide({ url, appUrl, isConnected }, credentials, dataFolder));
    return await Promise.race(running.map(async (each) => await waitForEnd(each, stopped)));
  } finally {
    await Promise.all(running.map(async (each) => await each.stop()));
  }
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

async function isFree(port: number): Promise<boolean> {
  return await new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}

/** How often the demo checks whether the npm that started it is still running. */
const PARENT_CHECK_MS = 500;

/**
 * Resolves on Ctrl-C, when the terminal closes, or when the npm that started the demo has ended.
 */
async function waitForStop(): Promise<'stopped'> {
  return await new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.on(signal, () => resolve('stopped'));
    }
    const parent = process.ppid;
    setInterval(() => {
      if (process.ppid !== parent) resolve('stopped');
    }, PARENT_CHECK_MS).unref();
  });
}

async function isReadyFirst(started: DemoProcess, stopped: Promise<unknown>): Promise<boolean> {
  return await Promise.race([
    started.ready.then(() => true),
    started.ended.then(() => false),
    stopped.then(() => false),
  ]);
}

/** Waits until a process ends or the user stops the demo. Returns the exit code. */
async function waitForEnd(running: DemoProcess, stopped: Promise<'stopped'>): Promise<number> {
  const exitReason = await Promise.race([running.ended, stopped]);
  if (exitReason === 'stopped') return 0;
  say(`${running.name} has ended (${exitReason}), so the demo ends too.\n${running.lastOutput()}`);
  return 1;
}

function cardportSettings(folder: string, { cardport }: DemoPorts): Record<string, string> {
  return {
    DATA_DIR: folder,
    PORT: String(cardport),
    ALLOW_LOOPBACK_WEBHOOKS: 'true',
    DRAIN_NOTICE_SECONDS: '0',
    LOG_LEVEL: 'warn',
  };
}

function appSettings(
  folder: string,
  { url, appUrl }: { readonly url: string; readonly appUrl: string },
  { clientId, clientSecret }: DemoCredentials,
): Record<string, string> {
  return {
    CARDPORT_URL: `${url}/partner/v1`,
    APP_URL: appUrl,
    CLIENT_ID: clientId,
    CLIENT_SECRET: clientSecret,
    DATA_FILE: join(folder, 'board.db'),
  };
}

/**
 * Registers the redirect URI of an app that does not use the default port. With the default port,
 * restores the redirect URI of the demo.
 */
async function registerRedirectUri(
  folder: string,
  ports: DemoPorts,
  { clientId }: DemoCredentials,
): Promise<void> {
  const file = join(folder, 'app-port');
  const known = existsSync(file) ? readFileSync(file, 'utf8') : String(DEMO_PORTS.app);
  if (known === String(ports.app)) return;
  const uris = ['127.0.0.1', 'localhost'].map((host) => `http://${host}:${ports.app}/callback`);
  const options = uris.flatMap((uri) => ['--redirect-uri', uri]);
  const settings = cardportSettings(folder, ports);
  await runToEnd([CARDPORT, 'app', 'set', '--app', clientId, ...options], settings);
  writeFileSync(file, String(ports.app));
}

/** Returns true if a shop is still connected from an earlier run. */
async function showsStock(appUrl: string): Promise<boolean> {
  const page = await (await fetch(appUrl)).text();
  return !page.includes('href="/connect"');
}

function renderGuide(
  { url, appUrl, isConnected }: { url: string; appUrl: string; isConnected: boolean },
  { email, password }: DemoCredentials,
  folder: string,
): string {
  const data = folder === DEMO_FOLDER ? '' : ` --data ${folder}`;
  const steps = isConnected
    ? `  Open  ${appUrl} : the shop is still connected from the last run.
  (The shop's owner is  ${email}  with  ${password} .)
  See what the shop buys and what it has in stock. In another terminal:`
    : `  1. Open  ${appUrl}  and press "Connect your shop".
  2. Sign in as  ${email}  with  ${password}  and allow the app.
  3. See what the shop buys and what it has in stock. In another terminal:`;
  return `
${steps}

       npm run demo -- sell${data}     the shop sells its most expensive unit: reload, and it is gone
       npm run demo -- buy${data}      the shop buys a card on a boost: the app shows one less

  Cardport itself is at ${url} (documentation: ${url}/docs). Ctrl-C ends both.
`;
}
