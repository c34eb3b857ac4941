import type { Database, Transaction } from '../database/database.ts';
import type { Arguments, CommandInput, CommandResult, Option } from './command.ts';

/** The options of a command that cannot be undone or affects all shops (decision 0237). */
export const CONFIRM_OPTIONS = {
  yes: { meaning: 'Do not ask for confirmation.' },
  'dry-run': { meaning: 'Print what would change, but change nothing.' },
} as const satisfies Readonly<Record<string, Option>>;

export interface FinalChange {
  /** Names the object in the result of `--dry-run`. */
  readonly json: object;
  /** What the change ends or removes. */
  readonly effects: object;
  /** The effects for people. */
  readonly sentence: string;
  /** What the command does, for example `remove the app`. */
  readonly act: string;
  /** What a person must type. Names the object if the change affects a whole shop. */
  readonly word?: string;
}

/**
 * Asks on a terminal, requires `--yes` elsewhere, and prints the effects with `--dry-run`. Returns
 * the result if the command must not continue, otherwise null.
 */
export async function confirmChange(
  args: Arguments,
  { ask }: Pick<CommandInput, 'ask'>,
  { json, effects, sentence, act, word = 'yes' }: FinalChange,
): Promise<CommandResult | null> {
  if (args.has('dry-run')) return { kind: 'done', json: { ...json, effects }, text: sentence };
  if (args.has('yes')) return null;
  const code = 'confirmation_needed';
  if (ask === null) return { kind: 'failed', code, reason: `${sentence} Add --yes to ${act}.` };
  const answer = await ask(`${sentence}\nType ${word} to ${act}: `);
  const typed = answer.trim();
  const isConfirmed = typed === word || (word === 'yes' && typed === 'y');
  return isConfirmed ? null : { kind: 'failed', code, reason: 'nothing was changed' };
}

class RolledBack<Result> extends Error {
  readonly result: Result;

  constructor(result: Result) {
    super('rolled back on purpose');
    this.result = result;
  }
}

/** Makes a change and rolls it back, so that its effects are exactly those of the real change. */
export async function previewChange<Result>(
  db: Database,
  change: (tx: Transaction) => Promise<Result>,
): Promise<Result> {
  try {
    return await db.transaction(async (tx) => {
      throw new RolledBack(await change(tx));
    });
  } catch (error) {
    if (error instanceof RolledBack) return error.result as Result;
    throw error;
  }
}
