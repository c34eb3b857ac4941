import type { Readable } from 'node:stream';
import type { Clock } from '../base/clock.ts';
import type { Database } from '../database/database.ts';
import type { Engine } from '../database/engine.ts';
import type { InputFile } from './files.ts';

/** One option of a command (`--name VALUE`, or a switch when `value` is missing). */
export interface Option {
  /** What stands for the value in the help, such as `SLUG`; missing for a switch. */
  readonly value?: string;
  readonly meaning: string;
  readonly isRequired?: boolean;
  /** May be given several times. */
  readonly isRepeatable?: boolean;
}

/** What a person typed, checked against the command's options. */
export interface Arguments {
  /** The value of an option that is required or given; throws for another, which is a bug of the command. */
  text(option: string): string;
  optional(option: string): string | null;
  list(option: string): readonly string[];
  has(option: string): boolean;
  /** The operand, such as FILE; empty when the command takes none. */
  readonly operand: string;
  readonly operands: readonly string[];
}

/** What a command works with: the open database of the deployment, and what its keys are derived from. */
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
  /** The bytes of FILE or of standard input; ended at once for a command that reads neither. */
  readonly bytes: Readable;
  /** Of a command that takes several files. */
  readonly files: readonly InputFile[];
  /** Aborted when the person gave up (Ctrl-C): the command stops at the next batch. */
  readonly signal: AbortSignal;
  /** Writes one line for the person (standard error) while the command goes on. */
  readonly tell: (line: string) => void;
}

export type CommandResult =
  /** `json` is what `--json` prints; `text` is for a person. */
  | { readonly kind: 'done'; readonly json: object; readonly text: string }
  | { readonly kind: 'some_rejected'; readonly json: object; readonly text: string }
  /** The input ended early or was damaged: what came before it holds. `reason` says where, for a person. */
  | {
      readonly kind: 'broken_off';
      readonly json: object;
      readonly text: string;
      readonly reason: string;
    }
  | { readonly kind: 'failed'; readonly reason: string }
  /** What was typed cannot be meant. */
  | { readonly kind: 'misused'; readonly reason: string };

/** A command that works on the database, also while services run on it. */
export interface Command {
  /** One or two words, such as `shop add`. */
  readonly name: string;
  readonly summary: string;
  readonly options: Readonly<Record<string, Option>>;
  readonly operand?: {
    readonly name: string;
    readonly meaning: string;
    readonly isRepeatable?: boolean;
  };
  /**
   * Where its bytes come from, if anywhere: its operand names a file (or `-`), standard input when `switch` names a given
   * switch, or several files: those that the options of `files` name, then its operands, which may be folders too.
   */
  readonly input?: 'operand' | { readonly switch: string } | { readonly files: readonly string[] };
  /** True: the schema is neither migrated nor checked before it runs. */
  readonly skipsSchemaCheck?: boolean;
  run(args: Arguments, context: CommandContext, input: CommandInput): Promise<CommandResult>;
}

/** The answer of a command that lists things: each row as JSON, and in one line of text. */
export function listed<Row extends object>(
  name: string,
  rows: readonly Row[],
  toLine: (row: Row) => string,
  none: string,
): CommandResult {
  return { kind: 'done', json: { [name]: rows }, text: rows.map(toLine).join('\n') || none };
}

/** Exit codes of the command line. */
export const exitCodes = {
  done: 0,
  failed: 1,
  broken_off: 1,
  misused: 2,
  some_rejected: 3,
} as const;
