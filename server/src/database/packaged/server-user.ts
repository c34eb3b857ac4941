import { createHash } from 'node:crypto';
import { accessSync, constants, globSync, readFileSync, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { NoPackagedPostgresql, DATABASE_URL_ADVICE } from './binaries.ts';

/** PostgreSQL refuses to run as root, so a root process runs PostgreSQL as this account. */
export interface ServerUser {
  readonly uid: number;
  readonly gid: number;
}

/** Other programs run as `nobody` too, and could stop the server. Earlier versions used it. */
export const NOBODY: ServerUser = { uid: 65_534, gid: 65_534 };

/** Neither Linux distributions nor systemd allocate these (systemd.io/UIDS-GIDS). */
const OWN_IDS = { first: 60_706, last: 61_183 };

/**
 * Returns the account that must run PostgreSQL if this process is root: the owner of `data`, or an
 * account that can create it. Null if this process is not root.
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
  return found === undefined ? findIdleAccount() : { uid: found.uid, gid: found.gid };
}

/** Returns a user id without an account or process: always the same for a folder, if it is free. */
export function chooseOwnId(folder: string): number {
  const taken = new Set([...accounts().map(({ uid }) => uid), ...runningUids()]);
  const { first, last } = OWN_IDS;
  const start = createHash('sha256').update(folder).digest().readUInt16BE();
  for (let step = 0; step <= last - first; step++) {
    const uid = first + ((start + step) % (last - first + 1));
    if (!taken.has(uid)) return uid;
  }
  throw new NoPackagedPostgresql(`PostgreSQL needs a free user id from ${first} to ${last}`);
}

/** `initdb` needs a user that has a name. No process runs as this one, so none can disturb it. */
function findIdleAccount(): ServerUser {
  const running = new Set([0, NOBODY.uid, ...runningUids()]);
  return accounts().find(({ uid }) => !running.has(uid)) ?? NOBODY;
}

function accounts(): readonly ServerUser[] {
  const lines = readFileSync('/etc/passwd', 'utf8').split('\n');
  return lines.map((line) => {
    const [, , uid, gid] = line.split(':').map(Number);
    return { uid: uid ?? 0, gid: gid ?? 0 };
  });
}

function runningUids(): readonly number[] {
  return globSync('/proc/[0-9]*/status').map((file) => {
    try {
      return Number(/^Uid:\s+(\d+)/m.exec(readFileSync(file, 'utf8'))?.[1]);
    } catch {
      // The process has ended.
      return 0;
    }
  });
}

/** Capability numbers (capabilities(7)): bits in the masks of `/proc/self/status`. */
const DAC_OVERRIDE = 1n;
const DAC_READ_SEARCH = 2n;

/**
 * Returns a command line that runs `command` as `user`. The program or DATA_DIR may be inside
 * folders that only root can enter, so a user that only the server has keeps the capability to read
 * any file (in a container that lacks it: to read and write any file). Other users get no
 * capability. Without `no_setuid_fixup`, access(2) would ignore the capability.
 */
export function commandAsUser(
  user: ServerUser | null,
  command: readonly string[],
  isAlone = user !== null && isOwnId(user.uid),
): readonly string[] {
  if (user === null) return command;
  const capability = hasCapability(DAC_READ_SEARCH) ? 'dac_read_search' : 'dac_override';
  const capabilityArguments =
    isAlone && (capability === 'dac_read_search' || hasCapability(DAC_OVERRIDE))
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

function isOwnId(uid: number): boolean {
  return (uid >= OWN_IDS.first && uid <= OWN_IDS.last) || uid === NOBODY.uid;
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
