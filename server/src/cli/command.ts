import type { Readable } from 'node:stream';
import type { Clock } from '../base/clock.ts';
import type { Database } from '../database/database.ts';
import type { Engine } from '../database/engine.ts';
import type { InputFile } from './files.ts';
import type { ErrorCode } from './output.ts';

export interface Option {
  /** The placeholder of the value in the help, such as `SLUG`; missing for a switch. */
  readonly value?: string;
  readonly meaning: string;
  readonly isRequired?: boolean;
  /** May be given several times. */
  readonly isRepeatable?: boolean;
}

export interface Arguments {
  /**
   * The value of an option that is required or given. Throws for any other option, which is a bug
   * of the command.
   */
  text(option: string): string;
  optional(option: string): string | null;
  list(option: string): readonly string[];
  has(option: string): boolean;
  /** The operand, such as FILE; empty if the command takes none. */
  readonly operand: string;
  readonly operands: readonly string[];
}

/**
 * The context of a command: the deployment's open database and the secret from which keys are
 * derived.
 */
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
  /** The bytes of FILE or of standard input; an ended stream for a command that reads neither. */
  readonly bytes: Readable;
  /** For a command that takes several files. */
  readonly files: readonly InputFile[];
  /** Aborted on Ctrl-C: the command stops at the next batch. */
  readonly signal: AbortSignal;
  /** Asks the user on the terminal; null if there is none. */
  readonly ask: ((question: string) => Promise<string>) | null;
  /** Writes one line to standard error while the command is running. */
  readonly tell: (line: string) => void;
}

export type CommandResult =
  /** `json` is printed with `--json`; `text` is for people. */
  | { readonly kind: 'done'; readonly json: object; readonly text: string }
  | { readonly kind: 'some_rejected'; readonly json: object; readonly text: string }
  /** `report` is what was found or done before that, if anything. */
  | {
      readonly kind: 'failed';
      readonly code: ErrorCode;
      readonly reason: string;
      readonly report?: { readonly json: object; readonly text: string };
    }
  /** The arguments are invalid. */
  | { readonly kind: 'misused'; readonly reason: string };

/** What the help and the completion of a shell tell about a command. */
export interface Usage {
  /** One or two words, such as `shop add`. */
  readonly name: string;
  readonly summary: string;
  /** Text of its help after the summary. */
  readonly more?: string;
  readonly options: Readonly<Record<string, Option>>;
  readonly operand?: {
    readonly name: string;
    readonly meaning: string;
    readonly isRepeatable?: boolean;
  };
  /** False for a command without JSON output, which has no `--json`. */
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

/** A command that works on the database, also while services use it. */
export interface Command extends Usage {
  /**
   * Where its bytes come from, if it reads any: a file that its operand names (or `-`); standard
   * input if the switch `switch` is given; or several files, named by the options in `files` and
   * then by its operands, which may also be folders.
   */
  readonly input?: 'operand' | { readonly switch: string } | { readonly files: readonly string[] };
  /** True: may be the first command on an empty `DATA_DIR`. The others create no database. */
  readonly createsDatabase?: boolean;
  /** True: the schema is neither migrated nor checked before the command runs. */
  readonly skipsSchemaCheck?: boolean;
  run(args: Arguments, context: CommandContext, input: CommandInput): Promise<CommandResult>;
}

/** The result of a command that lists things: each row as JSON and as one line of text. */
export function listResult<Row extends object>(
  name: string,
  rows: readonly Row[],
  toLine: (row: Row) => string,
  none: string,
): CommandResult {
  return { kind: 'done', json: { [name]: rows }, text: rows.map(toLine).join('\n') || none };
}
