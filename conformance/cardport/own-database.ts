import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** An empty PostgreSQL database of one target's own. */
export interface OwnDatabase extends AsyncDisposable {
  readonly url: string;
}

/** Makes one through the server that an admin's address names, and drops it in the end. */
export async function openOwnDatabase(adminUrl: string): Promise<OwnDatabase> {
  const name = `conformance_${randomBytes(8).toString('hex')}`;
  const ask = async (text: string): Promise<void> => {
    await run('psql', ['--no-psqlrc', '--quiet', '--command', text, adminUrl]);
  };
  await ask(`create database ${name}`);
  const url = new URL(adminUrl);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    [Symbol.asyncDispose]: async () => await ask(`drop database if exists ${name} with (force)`),
  };
}
