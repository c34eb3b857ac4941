import type { Readable } from 'node:stream';
import type { Clock } from '../base/clock.ts';
import type { Database } from '../database/database.ts';
import type { Engine } from '../database/engine.ts';
import type { InputFile } from './files.ts';
import type { ErrorCode } from './output.ts';

export interface Option {
  /** The value's placeholder in the help, such as `SLUG`; missing for a switch. */
  readonly value?: string;
  readonly meaning: string;
  readonly isRequired?: boolean;
  readonly isRepeatable?: boolean;
}

export interface Arguments {
  /** Throws if the option is neither required nor given, which is a bug in the command. */
  text(option: string): string;
  optional(option: string): string | null;
  list(option: string): readonly string[];
  has(option: string): boolean;
  /** The operand, such as FILE; empty if the command takes none. */
  readonly operand: string;
  readonly operands: readonly string[];
}

/** The database and the settings that commands use. All other keys are derived from `secretKey`. */
export interface CommandContext {
  readonly db: Database;
  readonly engine: Engine;
  readonly clock: Clock;
  readonly publicUrl: string;
  readonly secretKey: string;
  /** `RESTORED_TOKENS_DAYS` */
  readonly restoredTokenDays: number;
}

export interface CommandInput {
  /** The bytes of FILE or of standard input. Empty for a command that reads no input. */
  readonly bytes: Readable;
  /** The files of a command that reads several files. */
  readonly files: readonly InputFile[];
  /** Aborted on Ctrl-C: the command stops at the next batch. */
  readonly signal: AbortSignal;
  /** Asks the user on the terminal. Null without a terminal. */
  readonly ask: ((question: string) => Promise<string>) | null;
  /** Writes one line to standard error while the command is running. */
  readonly tell: (line: string) => void;
}

export type CommandResult =
  /** `json` is printed with `--json`; `text` is for people. */
  | { readonly kind: 'done'; readonly json: object; readonly text: string }
  | { readonly kind: 'some_rejected'; readonly json: object; readonly text: string }
  /** `report` contains the results before the failure, if there are any. */
  | {
      readonly kind: 'failed';
      readonly code: ErrorCode;
      readonly reason: string;
      readonly report?: { readonly json: object; readonly text: string };
    }
  /** The arguments are invalid. */
  | { readonly kind: 'misused'; readonly reason: string };

/** The description of a command in the help and in shell completion. */
export interface Usage {
  /** One or two words, such as `shop add`. */
  readonly name: string;
  readonly summary: string;
  /** Help text after the summary. */
  readonly more?: string;
  readonly options: Readonly<Record<string, Option>>;
  readonly operand?: {
    readonly name: string;
    readonly meaning: string;
    readonly isRepeatable?: boolean;
  };
  /** False if the command has no JSON output and therefore no `--json`. */
  readonly hasJson?: false;
}

/** A command that runs without an open database. */
export interface StandaloneCommand extends Usage {
  readonly isStandalone: true;
  run(args: Arguments, context: StandaloneContext): Promise<CommandResult>;
}

export interface StandaloneContext {
  readonly environment: NodeJS.ProcessEnv;
  /** Every command of the program. */
  readonly usages: readonly Usage[];
}

/** A command that uses the database. It may run while services use the same database. */
export interface Command extends Usage {
  /**
   * The command's input, if it has any. `operand`: the file that the operand names, where `-` means
   * standard input. `switch`: standard input, if this option is given. `files`: the files that
   * these options name, then the files and folders that the operands name.
   */
  readonly input?: 'operand' | { readonly switch: string } | { readonly files: readonly string[] };
  /** True if the command may create the database in an empty `DATA_DIR`. Others never do. */
  readonly createsDatabase?: boolean;
  /** True if the schema is neither migrated nor checked before the command runs. */
  readonly skipsSchemaCheck?: boolean;
  run(args: Arguments, context: CommandContext, input: CommandInput): Promise<CommandResult>;
}

/** Builds the result of a listing command: each row as JSON and as one line of text. */
export function listResult<Row extends object>(
  name: string,
  rows: readonly Row[],
  toLine: (row: Row) => string,
  none: string,
): CommandResult {
  return { kind: 'done', json: { [name]: rows }, text: rows.map(toLine).join('\n') || none };
}
