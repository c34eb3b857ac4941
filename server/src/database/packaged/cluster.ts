import { execFile, execFileSync } from 'node:child_process';
import {
  chownSync,
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { errorCodeOf } from '../../base/describe-error.ts';
import { type Binaries, NoPackagedPostgresql } from './binaries.ts';
import { FolderNotice, syncFolder } from '../data-folder.ts';
import { chooseOwnId, commandAsUser, findServerUser, NOBODY } from './server-user.ts';
import { toServerArguments, serverEnvironment } from './settings.ts';

export class ClusterUnusable extends Error {
  override name = 'ClusterUnusable';

  constructor(folder: string, reason: string) {
    super(`the database in ${folder} cannot be used: ${reason}`);
  }
}

/** A cluster of this major version that is not a copy of a running one. */
export interface Cluster {
  readonly data: string;
  readonly binaries: Binaries;
}

/** The role of the service. It owns the database of the same name, and is not a superuser. */
export const SERVICE_ROLE = 'cardport';

/** Holds the inode of the data folder, so that a copy of the folder is detected. */
const INODE_FILE = 'cardport.inode';

const SERVICE_ONLY_HBA = `local ${SERVICE_ROLE} ${SERVICE_ROLE} trust\n`;

const UNFINISHED = 'new-';
// If an unfinished cluster is older, the process that was creating it must have been killed.
const UNFINISHED_MS_MAX = 600_000;

// initdb takes about a second, and longer on a slow disk.
const COMMAND_TIMEOUT_MS = 120_000;

/** The byte offset of `DBState` in `global/pg_control`, and its value after a clean shutdown. */
const CONTROL_STATE_OFFSET = 16;
const SHUT_DOWN = 1;

/**
 * Creates the cluster below `folder` if there is none. Call it only while no server runs on it.
 * @throws ClusterUnusable when another major version created the cluster, when it is a copy of a
 * running one, or when it cannot be created.
 */
export async function prepareCluster(
  folder: string,
  binaries: Binaries,
  isDurable: boolean,
  onNotice: (notice: FolderNotice) => void = () => undefined,
): Promise<Cluster> {
  const data = join(folder, 'data');
  requirePrivate(folder);
  removeUnfinished(folder);
  if (statSync(data, { throwIfNoEntry: false }) === undefined) {
    await createCluster(folder, data, binaries, isDurable);
  }
  requireMajor(folder, data, binaries.major);
  refuseCopy(folder, data);
  leaveSharedUser(folder, data, onNotice);
  return { data, binaries };
}

// Users who can write to the folder could replace the database or the server's settings.
function requirePrivate(folder: string): void {
  const { uid, mode } = statSync(folder);
  const self = process.getuid?.() ?? uid;
  if ((mode & 0o022) === 0 && (uid === self || self === 0)) return;
  throw new ClusterUnusable(
    folder,
    `other users may write to the folder: make this user its owner and run "chmod 700" on it`,
  );
}

// Creates the cluster under another name and then renames it, so that it is complete or absent.
async function createCluster(
  folder: string,
  data: string,
  binaries: Binaries,
  isDurable: boolean,
): Promise<void> {
  const unfinished = mkdtempSync(join(folder, UNFINISHED));
  try {
    const user = findServerUser(data);
    if (user !== null) chownSync(unfinished, user.uid, user.gid);
    const run = async (program: string, args: readonly string[], input = ''): Promise<void> => {
      const [command = '', ...rest] = commandAsUser(
        user,
        [join(binaries.folder, program), ...args],
        true,
      );
      const options = { cwd: '/', env: serverEnvironment(), timeout: COMMAND_TIMEOUT_MS };
      const running = promisify(execFile)(command, rest, options);
      running.child.stdin?.on('error', () => {
        // The program ended before it read its input; its failure is reported below.
      });
      running.child.stdin?.end(input);
      await running;
    };
    await run('initdb', [
      '-D',
      unfinished,
      '--username=postgres',
      '--auth=trust',
      '--encoding=UTF8',
      ...localeArguments(binaries.major),
      ...(isDurable ? [] : ['--no-sync']),
    ]);
    await run(
      'postgres',
      ['--single', '-D', unfinished, ...toServerArguments({ log_checkpoints: 'off' }), 'postgres'],
      `create role ${SERVICE_ROLE} login;\ncreate database ${SERVICE_ROLE} owner ${SERVICE_ROLE};\n`,
    );
    // Only the service's role may connect. Tests use other roles too, in temporary clusters.
    if (isDurable) {
      writeFileSync(join(unfinished, 'pg_hba.conf'), SERVICE_ONLY_HBA, { flush: true });
    }
    writeInode(unfinished);
    if (user !== null) giveOwnUser(folder, unfinished);
    renameSync(unfinished, data);
    // Otherwise a power cut could lose the new name, and the database with it.
    syncFolder(folder);
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true });
    // Another process may have created the cluster in the meantime.
    if (statSync(data, { throwIfNoEntry: false }) !== undefined) return;
    if (error instanceof NoPackagedPostgresql) throw error;
    throw new ClusterUnusable(folder, `the folder cannot be created: ${reasonOf(error)}`);
  }
}

// PostgreSQL 17 added a built-in locale provider. Older versions need the locale of the C library.
function localeArguments(major: number): readonly string[] {
  if (major < 17) return ['--locale=C.UTF-8'];
  return ['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
}

function removeUnfinished(folder: string): void {
  for (const name of readdirSync(folder)) {
    if (!name.startsWith(UNFINISHED)) continue;
    const path = join(folder, name);
    // The process that created the folder may just have renamed it.
    const stats = statSync(path, { throwIfNoEntry: false });
    const isOld = stats !== undefined && Date.now() - stats.mtimeMs > UNFINISHED_MS_MAX;
    if (isOld) rmSync(path, { recursive: true, force: true });
  }
}

export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCodeOf(error) === 'EPERM';
  }
}

function requireMajor(folder: string, data: string, major: number): void {
  const found = readFileSync(join(data, 'PG_VERSION'), 'utf8').trim();
  if (found === String(major)) return;
  throw new ClusterUnusable(
    folder,
    `the database was created by PostgreSQL ${found}, but this version of Cardport includes PostgreSQL ${major}. ` +
      'Run "cardport backup FILE" with the version of Cardport that wrote it, move this folder away, and run ' +
      '"cardport restore --keep-cursors FILE" with this one (docs/operating.md, Upgrade)',
  );
}

// Refuses a copy of a running database: its files are from different instants, which PostgreSQL
// cannot detect. A copy made after a clean shutdown is consistent.
function refuseCopy(folder: string, data: string): void {
  const file = join(data, INODE_FILE);
  // A folder without the inode file counts as a copy.
  if (existsSync(file) && readFileSync(file, 'utf8').trim() === inodeOf(data)) return;
  if (readState(data) !== SHUT_DOWN) {
    throw new ClusterUnusable(
      folder,
      'the folder is a copy that was made while its database was running, so parts of it may be missing. Use "cardport backup" and ' +
        '"cardport restore", or stop every process on the folder before copying it. (If the folder was not copied but ' +
        `the disk was mounted elsewhere, write ${inodeOf(data)} into ${file}.)`,
    );
  }
  writeInode(data);
}

// PostgreSQL refuses a data folder that root owns, such as a copy made by root. Earlier versions ran
// the server as `nobody`. After a crash it does so once more, because PostgreSQL does not recognize
// remaining processes of another user.
function leaveSharedUser(
  folder: string,
  data: string,
  onNotice: (notice: FolderNotice) => void,
): void {
  const { uid } = statSync(data);
  const isStopped = readState(data) === SHUT_DOWN && !existsSync(join(data, 'postmaster.pid'));
  if (process.getuid?.() !== 0 || (uid !== 0 && (uid !== NOBODY.uid || !isStopped))) return;
  const ownId = giveOwnUser(folder, data);
  const text = `the database in ${folder} now belongs to the user id ${ownId}, which only its server has`;
  onNotice(new FolderNotice(`${text}; before, it belonged to ${uid === 0 ? 'root' : 'nobody'}`));
}

function giveOwnUser(folder: string, data: string): number {
  const ownId = chooseOwnId(folder);
  execFileSync('chown', ['-hR', `${ownId}:${ownId}`, data], { stdio: 'pipe' });
  return ownId;
}

function readState(data: string): number {
  const file = openSync(join(data, 'global/pg_control'), 'r');
  try {
    const state = Buffer.alloc(4);
    readSync(file, state, 0, state.length, CONTROL_STATE_OFFSET);
    return state.readUInt32LE();
  } finally {
    closeSync(file);
  }
}

function writeInode(data: string): void {
  writeFileSync(join(data, INODE_FILE), `${inodeOf(data)}\n`, { mode: 0o600, flush: true });
}

function inodeOf(path: string): string {
  return String(statSync(path, { bigint: true }).ino);
}

function reasonOf(error: unknown): string {
  const messages = String(Reflect.get(Object(error), 'stderr') ?? '')
    .split('\n')
    .filter((line) => /error|fatal|panic|detail|could not|hint/i.test(line))
    .map((line) => line.replace(/^\S*(?:initdb|postgres): /, '').trim());
  if (messages.length > 0) return messages.join('; ');
  return error instanceof Error ? error.message : String(error);
}
