import { parseArguments, renderHelp } from './arguments.ts';
import type { Arguments, Usage } from './command.ts';
import { describeRedirectUriProblem } from '../apps/redirect-uri.ts';
import { isStartedByNpm } from '../config/config.ts';
import type { EmulateOptions } from './emulate-service.ts';
import { type CommandOutput, exitCodes, refuseArguments } from './output.ts';

/** The port that the docs and examples use. */
export const PORT_DEFAULT = 8085;

/** An app has at most 20 redirect URIs, three of which are built in. */
const REDIRECT_URIS_MAX = 17;
const PORT_MAX = 65_535;
/** Enough for two pages of the feed at a limit of 100, and written almost instantly. */
const UNITS_DEFAULT = 200;
/** The minimum includes the units with fixed ids. Writing the maximum takes half a minute. */
const UNITS = { min: 20, max: 20_000 };

export const emulateUsage: Usage = {
  name: 'emulate',
  summary: 'Run the service on a temporary database with a sample shop. Tests can inject faults.',
  options: {
    port: {
      value: 'PORT',
      meaning: `The port on 127.0.0.1; the default is ${PORT_DEFAULT}. 0 picks a free port.`,
    },
    'redirect-uri': {
      value: 'URI',
      meaning: 'An additional redirect URI for every app.',
      isRepeatable: true,
    },
    units: {
      value: 'COUNT',
      meaning: `The number of units of the first shop; the default is ${UNITS_DEFAULT}.`,
    },
  },
};

/** The parts of the process that the emulator uses. */
export interface EmulateContext {
  /** The environment is used only to detect whether npm started the process. */
  readonly environment: NodeJS.ProcessEnv;
  readonly output: CommandOutput;
}

/**
 * Runs the emulator until SIGTERM or SIGINT and returns the exit code. It reads no settings from
 * the environment, so it cannot use DATABASE_URL, DATA_DIR or SECRET_KEY of a real service.
 */
export async function runEmulate(
  argv: readonly string[],
  { environment, output }: EmulateContext,
): Promise<number> {
  const parsed = parseArguments(emulateUsage, argv);
  if (parsed.kind === 'misused') return refuseArguments(output, parsed.reason, 'emulate');
  if (parsed.kind === 'help') {
    const { renderAdminHelp } = await import('./emulate-service.ts');
    output.out(`${renderHelp(emulateUsage)}${renderAdminHelp()}`);
    return exitCodes.done;
  }
  const options = readOptions(parsed.args);
  if ('reason' in options) return refuseArguments(output, options.reason, 'emulate');
  // The database server starts while this process loads the service.
  const { TemporaryDatabase } = await import('../emulator/temporary-database.ts');
  const database = TemporaryDatabase.open((error) => output.err(`cardport: ${error.message}\n`));
  database.catch(() => {
    // `runEmulator` awaits the same promise and reports the error.
  });
  try {
    const { runEmulator } = await import('./emulate-service.ts');
    const emulatorOptions = {
      ...options,
      isJson: output.isJson,
      isStartedByNpm: isStartedByNpm(environment),
    };
    return await runEmulator(emulatorOptions, database, output);
  } finally {
    const opened = await database.catch(() => null);
    await opened?.[Symbol.asyncDispose]();
  }
}

function readOptions(
  args: Arguments,
): Pick<EmulateOptions, 'port' | 'redirectUris' | 'units'> | { readonly reason: string } {
  const port = parseCount(args.optional('port'), PORT_DEFAULT, 0, PORT_MAX);
  if (port === null) return { reason: `--port must be a number from 0 to ${PORT_MAX}` };
  const units = parseCount(args.optional('units'), UNITS_DEFAULT, UNITS.min, UNITS.max);
  if (units === null) {
    return { reason: `--units must be a number from ${UNITS.min} to ${UNITS.max}` };
  }
  const redirectUris = args.list('redirect-uri');
  const problem = redirectUris.map(describeRedirectUriProblem).find((each) => each !== null);
  if (problem !== undefined) return { reason: problem };
  if (redirectUris.length > REDIRECT_URIS_MAX) {
    return { reason: `--redirect-uri can be given at most ${REDIRECT_URIS_MAX} times` };
  }
  return { port, units, redirectUris };
}

function parseCount(
  text: string | null,
  defaultValue: number,
  min: number,
  max: number,
): number | null {
  if (text === null) return defaultValue;
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  return value >= min && value <= max ? value : null;
}
