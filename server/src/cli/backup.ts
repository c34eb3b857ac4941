import { open, rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { describeError, errorCodeOf } from '../base/describe-error.ts';
import { dumpDatabase } from '../database/backup.ts';
import { recordBackup } from '../database/last-backup.ts';
import type { Command } from './command.ts';

export const backup: Command = {
  name: 'backup',
  summary:
    'Back up the database into a file while services run. The file does not contain photos or the secret key.',
  options: {},
  operand: { name: 'FILE', meaning: 'The file to write (gzip). It must not exist yet.' },
  async run(args, { db, engine, clock }, { signal, tell }) {
    const file = args.operand;
    const takenAt = clock.now();
    let target;
    try {
      target = await open(file, 'wx', 0o600);
    } catch (error) {
      if (errorCodeOf(error) !== 'EEXIST') throw error;
      return {
        kind: 'failed',
        code: 'already_exists',
        reason: `${file} already exists: choose another name`,
      };
    }
    try {
      const stream = target.createWriteStream({ flush: true });
      await pipeline(dumpDatabase(engine), createGzip(), stream, { signal });
    } catch (error) {
      await rm(file, { force: true });
      throw error;
    }
    try {
      await recordBackup(db, takenAt);
    } catch (error) {
      tell(`cardport: the time of the backup was not recorded: ${describeError(error)}`);
    }
    const text = `Wrote ${file}. Back up the secret key (SECRET_KEY, or DATA_DIR/secret-key) and the photos too: they are not in the file.`;
    return { kind: 'done', json: { file }, text };
  },
};
