import { readConfig, type Config } from '../config/config.ts';
import { adminCalls } from '../emulator/admin.ts';
import { errorCodeOf } from '../base/describe-error.ts';
import { openLog } from '../base/log.ts';
import type { StartService } from '../emulator/backend.ts';
import { type Emulator, startEmulator } from '../emulator/emulator.ts';
import { RATE_LIMIT, REDIRECT_URIS } from '../emulator/credentials.ts';
import type { EmulatorReport } from '../emulator/report.ts';
import type { TemporaryDatabase } from '../emulator/temporary-database.ts';
import { runUntilStopped } from '../runtime/run-process.ts';
import { startService } from '../runtime/service.ts';
import type { CommandOutput } from './output.ts';

export interface EmulateOptions {
  readonly port: number;
  readonly redirectUris: readonly string[];
  readonly units: number;
  readonly isJson: boolean;
  readonly isStartedByNpm: boolean;
}

/**
 * Runs the emulator until it is stopped and returns the exit code.
 * @param database the database, which is being opened while this module loads
 */
export async function runEmulator(
  options: EmulateOptions,
  database: Promise<TemporaryDatabase>,
  output: CommandOutput,
): Promise<number> {
  const config = { ...configOf(null), port: options.port, isStartedByNpm: options.isStartedByNpm };
  return await runUntilStopped<Emulator>(config, output, {
    start: async () => {
      const { port, units } = options;
      // The given URIs come first, because the first one is exported as REDIRECT_URI.
      const redirectUris = [...new Set([...options.redirectUris, ...REDIRECT_URIS])];
      const start = startEmulatedService(output.err);
      try {
        return await startEmulator({ port, database, units, redirectUris, startService: start });
      } catch (error) {
        throw explainPort(error, port);
      }
    },
    waitUntilReady: async (emulator) => {
      const report = await emulator.report();
      return options.isJson ? JSON.stringify(report) : renderReady(report);
    },
    draining: 'ending',
    end: async (emulator) => {
      await emulator[Symbol.asyncDispose]();
      return { code: 0, aborted: null };
    },
  });
}

/**
 * Starts the service with the emulator's parts. Errors are logged to `err`, because standard output
 * is for the ready line.
 */
function startEmulatedService(err: CommandOutput['err']): StartService {
  return async ({ publicUrl, clock, store, images, notices }) => {
    const log = openLog({ level: 'error', write: err });
    try {
      // The proxy already limits concurrent requests. On a busy machine, a test must not get a 503
      // that it has not injected.
      const overload = { requestsMin: Number.POSITIVE_INFINITY };
      const options = { clock, log, store, images, notices, overload };
      const service = await startService(configOf(publicUrl), options);
      return {
        url: service.url,
        whenReady: async () => await service.search.whenCurrent(),
        close: async () => {
          await service.close();
          log.close();
        },
      };
    } catch (error) {
      log.close();
      throw error;
    }
  };
}

/**
 * Ignores the environment. The rate limits are ten times the default, because a test suite sends
 * more requests in a second than an app in a minute. To test an app at a limit, inject a fault.
 */
function configOf(publicUrl: string | null): Config {
  const tenfold = `${RATE_LIMIT.perMinute}/${RATE_LIMIT.burst}`;
  const result = readConfig({
    PORT: '0',
    PUBLIC_URL: publicUrl ?? 'http://127.0.0.1',
    ALLOW_LOOPBACK_WEBHOOKS: 'true',
    RATE_LIMITS: [
      ...['api', 'search', 'photos', 'shop', 'token', 'authorize'].map(
        (name) => `${name}=${tenfold}`,
      ),
      'failures=600/600',
    ].join(','),
    DRAIN_SECONDS: '1',
  });
  if (result.kind === 'invalid') throw new Error(result.problems.join(', '));
  return result.config;
}

function explainPort(error: unknown, port: number): unknown {
  if (errorCodeOf(error) !== 'EADDRINUSE') return error;
  const message = `127.0.0.1:${port} is used by another program: stop it, or choose another --port`;
  return Object.assign(new Error(message, { cause: error }), { code: 'taken' });
}

/** Every page of the docs begins with the first command in this text. */
function renderReady({
  url,
  baseUrl,
  authUrl,
  shopApiUrl,
  adminUrl,
  exports,
  password,
}: EmulatorReport): string {
  return `The emulator is ready at ${url}. All its data is invented, and is lost when it stops.

# in another terminal: load addresses, credentials and tokens into the shell (ACCESS_TOKEN is valid for 15 minutes)
eval "$(curl -sX POST ${adminUrl}/exports)"

# the connection
curl -H "Authorization: Bearer $ACCESS_TOKEN" $BASE_URL/connection

# change three units; a registered webhook is notified
curl -X POST ${adminUrl}/stock -H 'Content-Type: application/json' -d '{"changes": 3}'

# lose the response of the next refresh
curl -X POST ${adminUrl}/faults/lose-refresh-answers

# all calls: npx cardport emulate --help

  Partner API          ${baseUrl}
  Authorization server ${authUrl}
  Shop API             ${shopApiUrl}
  Admin address        ${adminUrl}
  Documentation        ${url}/docs   (reference: ${url}/docs/reference)

  App                  ${exports['CLIENT_ID']}, secret ${exports['CLIENT_SECRET']}, redirect URI ${exports['REDIRECT_URI']}
  Member's e-mail      owner@emulated.example, or clerk@emulated.example without purchases.read
  Password             ${password}`;
}

export function renderAdminHelp(): string {
  const reads = [
    [
      'GET /emulator',
      'The state of the emulator: its addresses, clock and injected faults, the shops with their API keys, the apps with their secrets, the ids of sample objects, the connections, and the number of requests.',
    ],
    [
      'GET /emulator/requests?since=NUMBER',
      'The last 200 requests: number, method, path, status, fault. With since: only the requests after the one with this number.',
    ],
  ];
  const calls = adminCalls.map(({ path, body, summary }) => [
    `POST /emulator/${path} ${body}`.trimEnd(),
    summary,
  ]);
  const rows = [...reads, ...calls].map(([call, summary]) => `  ${call}\n      ${summary}`);
  return `
The emulator stores nothing and reads no environment variables. While it runs, tests control it with these calls. Each
takes a JSON object (members with ? are optional) and returns what it did:

${rows.join('\n')}

A path selects requests: /partner/v1/webhook selects that path and everything below it. Without a path a fault applies to
what apps call: the Partner API, and the token and revocation addresses. Several faults can be set at once.
`;
}
