import { accessSync, constants, readFileSync, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { NoPackagedPostgresql, DATABASE_URL_ADVICE } from './binaries.ts';

/** PostgreSQL refuses to run as root, so a root process runs PostgreSQL as this account. */
export interface ServerUser {
  readonly uid: number;
  readonly gid: number;
}

/** The account `nobody`, which has these ids on every system that has `setpriv`. */
export const NOBODY: ServerUser = { uid: 65_534, gid: 65_534 };

/**
 * Returns the account that must run PostgreSQL if this process is root: the owner of `data`, or
 * `nobody` for a new cluster. Null if this process is not root.
 * @throws NoPackagedPostgresql if this process is root and the machine has no `setpriv`
 */
export function findServerUser(data: string): ServerUser | null {
  if (process.getuid?.() !== 0) return null;
  if (!hasProgram('setpriv')) {
    throw new NoPackagedPostgresql(
      `PostgreSQL does not run as root, and this machine has no setpriv to switch the user: run Cardport as another user, install util-linux, or ${DATABASE_URL_ADVICE}`,
    );
  }
  const found = statSync(data, { throwIfNoEntry: false });
  return found === undefined ? NOBODY : { uid: found.uid, gid: found.gid };
}

/** Capability numbers (capabilities(7)): bits in the masks of `/proc/self/status`. */
const DAC_OVERRIDE = 1n;
const DAC_READ_SEARCH = 2n;

/**
 * Returns a command line that runs `command` as `user`. The program or DATA_DIR may be inside
 * folders that only root can enter, so `nobody` keeps the capability to read any file. In a
 * container that lacks it, `nobody` keeps the capability to read and write any file. Other users
 * get no capability. Without `no_setuid_fixup`, access(2) would ignore the capability.
 */
export function commandAsUser(
  user: ServerUser | null,
  command: readonly string[],
): readonly string[] {
  if (user === null) return command;
  const capability = hasCapability(DAC_READ_SEARCH) ? 'dac_read_search' : 'dac_override';
  const capabilityArguments =
    user.uid === NOBODY.uid && (capability === 'dac_read_search' || hasCapability(DAC_OVERRIDE))
      ? [
          '--securebits=+no_setuid_fixup',
          `--inh-caps=+${capability}`,
          `--ambient-caps=+${capability}`,
        ]
      : [];
  return [
    'setpriv',
    `--reuid=${user.uid}`,
    `--regid=${user.gid}`,
    '--clear-groups',
    ...capabilityArguments,
    '--no-new-privs',
    ...command,
  ];
}

function hasCapability(bit: bigint): boolean {
  const status = readFileSync('/proc/self/status', 'utf8');
  const mask = BigInt(`0x${/^CapEff:\s*([0-9a-f]+)$/m.exec(status)?.[1] ?? '0'}`);
  return ((mask >> bit) & 1n) === 1n;
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
