/** The output streams of a command. */
export interface CommandOutput {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** True if errors and warnings are printed as JSON objects, one per line. */
  readonly isJson: boolean;
}

/** The error codes of the command line, as listed in docs/operating.md. Programs switch on them. */
export type ErrorCode =
  | 'invalid_arguments'
  | 'unknown_command'
  | 'invalid_settings'
  | 'unreadable_input'
  | 'no_database'
  | 'other_schema'
  | 'database_unavailable'
  | 'not_found'
  | 'already_exists'
  | 'not_allowed'
  | 'confirmation_needed'
  | 'problems_found'
  | 'stopped'
  | 'failed';

export interface CommandError {
  readonly code: ErrorCode;
  readonly message: string;
  /** One sentence for each invalid setting. */
  readonly problems?: readonly string[];
  /** The command that prints help. */
  readonly help?: string;
}

export const exitCodes = {
  done: 0,
  failed: 1,
  misused: 2,
  some_rejected: 3,
} as const;

const MISUSE: readonly ErrorCode[] = ['invalid_arguments', 'unknown_command'];

/** Prints the error and returns the exit code: 2 for wrong usage, else 1. */
export function refuse({ err, isJson }: CommandOutput, error: CommandError): number {
  const { code, message, problems, help } = error;
  if (isJson) {
    err(`${JSON.stringify({ error })}\n`);
  } else {
    const list = problems === undefined ? '' : [':', ...problems].join('\n  - ');
    err(`cardport: ${message}${list}\n${help === undefined ? '' : `Try: ${help}\n`}`);
  }
  return MISUSE.includes(code) ? exitCodes.misused : exitCodes.failed;
}

/** @param name the command's name; or empty */
export function refuseArguments(output: CommandOutput, message: string, name: string): number {
  const help = ['cardport', name, '--help'].filter((word) => word !== '').join(' ');
  return refuse(output, { code: 'invalid_arguments', message, help });
}

export function refuseSettings(output: CommandOutput, problems: readonly string[]): number {
  const message = 'invalid settings (docs/configuration.md)';
  return refuse(output, { code: 'invalid_settings', message, problems });
}

/** Prints a warning; the command continues. */
export function warn({ err, isJson }: CommandOutput, line: string): void {
  err(isJson ? `${JSON.stringify({ warning: line })}\n` : `${line}\n`);
}

export function asksForJson(argv: readonly string[]): boolean {
  const end = argv.indexOf('--');
  return argv.slice(0, end === -1 ? argv.length : end).includes('--json');
}
