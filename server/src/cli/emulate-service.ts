import { readConfig, type Config } from '../config.ts';
import type { EngineNews, MemoryEngine } from '../emulator/memory-engine.ts';
import { adminCalls } from '../emulator/admin.ts';
import type { RunningService, ServiceTerms } from '../emulator/backend.ts';
import { type Emulator, startEmulator } from '../emulator/emulator.ts';
import { REDIRECT_URIS } from '../emulator/fixed.ts';
import type { EmulatorReport } from '../emulator/report.ts';
import { runUntilEnd } from '../main.ts';
import { startService } from '../service.ts';
import type { CommandOutput } from './run-command.ts';

/** What was asked for. */
export interface EmulateOrder {
  readonly port: number;
  readonly redirectUris: readonly string[];
  readonly units: number;
  readonly isJson: boolean;
  readonly isStartedByNpm: boolean;
}

/** What is being opened already while this is loaded. */
export interface EmulateGround {
  readonly memory: Promise<MemoryEngine>;
  readonly news: EngineNews;
}

/** Runs the emulator until it is stopped; returns the exit code. */
export async function runEmulator(
  order: EmulateOrder,
  { memory, news }: EmulateGround,
  output: CommandOutput,
): Promise<number> {
  const config = { ...configOf(null), port: order.port, isStartedByNpm: order.isStartedByNpm };
  return await runUntilEnd<Emulator>(config, output, {
    start: async ({ onDeath }) => {
      news.onDeath = onDeath;
      return await startEmulator({
        port: order.port,
        memory,
        units: order.units,
        redirectUris: [...new Set([...REDIRECT_URIS, ...order.redirectUris])],
        startService: startEmulated,
      });
    },
    getReady: async (emulator) => {
      const report = await emulator.report();
      return order.isJson ? JSON.stringify(report) : renderReady(report);
    },
    draining: 'ending',
    end: async (emulator) => {
      await emulator[Symbol.asyncDispose]();
      return { code: 0, cut: null };
    },
  });
}

/** The service's own start, on what the emulator gives it. */
async function startEmulated({
  publicUrl,
  clock,
  store,
  pictures,
  notices,
}: ServiceTerms): Promise<RunningService> {
  const service = await startService(configOf(publicUrl), { clock, store, pictures, notices });
  return {
    url: service.url,
    whenReady: async () => await service.search.whenCurrent(),
    close: async () => void (await service.close()),
  };
}

/**
 * The settings of an emulated service: an environment of its own, not the process's. Limits are ten times the usual: a
 * test suite asks for more in a second than an app in a minute; what an app does at a limit is the fault's to show.
 */
function configOf(publicUrl: string | null): Config {
  const read = readConfig({
    PORT: '0',
    PUBLIC_URL: publicUrl ?? 'http://127.0.0.1',
    ALLOW_LOOPBACK_WEBHOOKS: 'true',
    LOG_LEVEL: 'silent',
    RATE_LIMITS:
      'api=60000/10000,search=60000/10000,photos=60000/10000,token=60000/10000,authorize=60000/10000,shop=60000/10000,failures=6000/6000',
    DRAIN_SECONDS: '1',
  });
  if (read.kind === 'faults') throw new Error(read.faults.join(', '));
  return read.config;
}

/** What a person reads when it is ready. */
function renderReady({ url, adminUrl, password, exports }: EmulatorReport): string {
  const lines = Object.entries(exports).map(([name, value]) => `export ${name}='${value}'`);
  return `Cardport's emulator is ready at ${url}. All of it is invented, and gone when it ends.

${lines.join('\n')}

  Sign in as           owner@emulated.example or clerk@emulated.example, password: ${password}

# tokens without a browser; they are good for 15 minutes
curl -X POST ${adminUrl}/tokens

# everything there is: shops, apps, secrets, ids, faults
curl ${adminUrl}

# three units change; a webhook is told of it
curl -X POST ${adminUrl}/stock -H 'Content-Type: application/json' -d '{"changes": 3}'

# the answer of the next refresh is lost
curl -X POST ${adminUrl}/faults/lose-refresh-answers

All calls: npx cardport emulate --help`;
}

/** The part of the help that tells what the admin address takes. */
export function renderCalls(): string {
  const rows = adminCalls.map(
    ({ path, body, summary }) => `  POST /emulator/${path} ${body}\n      ${summary}`,
  );
  return [
    '',
    'It keeps nothing and reads no setting of the environment. While it runs, tests drive it:',
    '',
    '  GET /emulator\n      Addresses, shops, apps and their secrets, keys, known ids, clock, faults, connections.',
    '  GET /emulator/requests\n      The last 200 requests: method, path, status, and the fault that hit them.',
    ...rows,
  ].join('\n');
}
