import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { NoPackagedPostgresql, USE_A_SERVER } from './binaries.ts';

/** The account that PostgreSQL runs under when this process is root, which PostgreSQL refuses to be. */
export interface ServerUser {
  readonly uid: number;
  readonly gid: number;
}

/** `nobody` on every system that has `setpriv`. */
export const NOBODY: ServerUser = { uid: 65_534, gid: 65_534 };

/**
 * The account for the server: null for this process's own. As root it is the owner of `data`, or `nobody` for a new cluster.
 *
 * @throws NoPackagedPostgresql when this process is root and the machine has no `setpriv`.
 */
export function findServerUser(data: string): ServerUser | null {
  if (process.getuid?.() !== 0) return null;
  if (!hasProgram('setpriv')) {
    throw new NoPackagedPostgresql(
      `PostgreSQL does not run as root, and this machine has no setpriv to change the user: run Cardport as another user, install util-linux, or ${USE_A_SERVER}`,
    );
  }
  const found = statSync(data, { throwIfNoEntry: false });
  return found === undefined ? NOBODY : { uid: found.uid, gid: found.gid };
}

/**
 * A command line as that user. It keeps one capability of root: to pass through folders that only root may enter, such as a
 * program or a DATA_DIR in root's home. Without `no_setuid_fixup` the change of the user would drop it for access(2).
 */
export function asUser(user: ServerUser | null, command: readonly string[]): readonly string[] {
  if (user === null) return command;
  return [
    'setpriv',
    '--securebits=+no_setuid_fixup',
    `--reuid=${user.uid}`,
    `--regid=${user.gid}`,
    '--clear-groups',
    '--inh-caps=+dac_override',
    '--ambient-caps=+dac_override',
    '--no-new-privs',
    ...command,
  ];
}

function hasProgram(name: string): boolean {
  return (process.env['PATH'] ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, name), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
