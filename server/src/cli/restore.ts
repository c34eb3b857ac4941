import type { Readable } from 'node:stream';
import { describeGunzipError, gunzipIfCompressed } from '../import/gunzip.ts';
import { BackupRefused, LINE_BYTES_MAX, loadBackup } from '../database/backup.ts';
import type { Command } from './command.ts';
import { newEpochValues, raiseEpochs } from '../inventory/feed-epoch.ts';
import { restored } from './restored.ts';

const NEWLINE = 0x0a;

export const restore: Command = {
  name: 'restore',
  summary: 'Restore a backup into an empty database.',
  options: {
    'keep-cursors': {
      meaning:
        'Keep the cursors of apps, so that they do not read everything again. Use this only if nothing was written after the backup.',
    },
  },
  operand: { name: 'FILE', meaning: 'A file written by backup. Use - for standard input.' },
  input: 'operand',
  createsDatabase: true,
  skipsSchemaCheck: true,
  async run(args, context, input) {
    let rows;
    try {
      rows = await loadBackup(context.engine, readLines(input.bytes), async (client) => {
        // Starts new epochs in the same transaction, so that an app cannot use a cursor issued
        // after the backup.
        if (args.has('keep-cursors')) return;
        await client.query(raiseEpochs.text, [...newEpochValues(context.clock.now())]);
      });
    } catch (error) {
      const reason = error instanceof BackupRefused ? error.message : describeGunzipError(error);
      if (reason === null) throw error;
      return {
        kind: 'failed',
        code: 'not_allowed',
        reason: `${args.operand} was not restored: ${reason}`,
      };
    }
    const text = `Restored ${rows} rows.`;
    if (args.has('keep-cursors')) return { kind: 'done', json: { rows }, text };
    const result = await restored.run(
      { ...args, has: (option) => option === 'yes' },
      context,
      input,
    );
    if (result.kind !== 'done') return result;
    return { kind: 'done', json: { rows, ...result.json }, text: `${text} ${result.text}` };
  },
};

async function* readLines(bytes: Readable): AsyncGenerator<string, void> {
  let pending: Uint8Array[] = [];
  let pendingBytes = 0;
  for await (const chunk of gunzipIfCompressed(bytes)) {
    let from = 0;
    for (let to = chunk.indexOf(NEWLINE); to !== -1; to = chunk.indexOf(NEWLINE, from)) {
      yield Buffer.concat([...pending, chunk.subarray(from, to)]).toString('utf8');
      pending = [];
      pendingBytes = 0;
      from = to + 1;
    }
    pending.push(chunk.subarray(from));
    pendingBytes += chunk.length - from;
    if (pendingBytes > LINE_BYTES_MAX) throw new BackupRefused('a line of the file is too long');
  }
}
