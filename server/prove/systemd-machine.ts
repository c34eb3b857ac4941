import { execFile, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { cleanEnvironment } from '../test/cardport.ts';
import { waitUntil } from '../test/wait-until.ts';

const run = promisify(execFile);
const ROOT = new URL('../../', import.meta.url).pathname;
const BOOT = new URL('boot-systemd.sh', import.meta.url).pathname;
const PROGRAMS = ['unshare', 'nsenter', 'chroot', 'runuser', 'useradd', 'curl', 'systemctl'];
const STEP_TIMEOUT_MS = 120_000;

/** Returns the reason why this machine cannot boot systemd, or null if it can. */
export function findMissingRequirement(): string | null {
  if (process.getuid?.() !== 0) return 'the user is not root';
  const missing = PROGRAMS.filter((name) => spawnSync(name, ['--version']).error !== undefined);
  if (missing.length > 0) return `not installed: ${missing.join(', ')}`;
  if (!existsSync('/lib/systemd/systemd')) return 'systemd is not installed';
  if (findCgroups() === undefined) return 'cgroup version 2 is not mounted';
  const namespaces = '--pid --fork --mount --uts --ipc --net --cgroup'.split(' ');
  const mounts = 'mount -t sysfs sysfs /sys && mount -t cgroup2 cgroup2 /sys/fs/cgroup';
  const tried = spawnSync('unshare', [...namespaces, 'sh', '-c', mounts]);
  return tried.status === 0 ? null : 'this machine does not allow new namespaces';
}

function findCgroups(): string | undefined {
  return /^cgroup2 (\S+) cgroup2 rw/m.exec(readFileSync('/proc/self/mounts', 'utf8'))?.[1];
}

/** A systemd that runs in separate namespaces, with the repository at /opt/cardport. */
export class SystemdMachine implements Disposable {
  readonly #folder = mkdtempSync('/var/tmp/cardport-systemd-');
  readonly #cgroups = findCgroups() ?? '';
  readonly #process = spawn(BOOT, [this.#folder, ROOT, this.#cgroups], {
    env: cleanEnvironment(),
    stdio: ['ignore', 'ignore', 'inherit'],
  });

  static async boot(): Promise<SystemdMachine> {
    const machine = new SystemdMachine();
    try {
      await waitUntil(async () => {
        const state = await machine.run('systemctl is-system-running || :').catch(() => '');
        return ['running', 'degraded'].includes(state);
      });
      return machine;
    } catch (error) {
      machine[Symbol.dispose]();
      throw error;
    }
  }

  /** Runs a shell script as root in the namespaces. Returns its standard output, trimmed. */
  async run(script: string): Promise<string> {
    const { pid } = this.#process;
    const inside = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
    const env = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', HOME: '/root' };
    const enter = ['-t', inside, '-m', '-p', '-u', '-i', '-n', '-C', '--root', '--wd=/'];
    const { stdout } = await run('nsenter', [...enter, 'sh', '-euc', `cd /; ${script}`], {
      env,
      timeout: STEP_TIMEOUT_MS,
    });
    return stdout.trim();
  }

  [Symbol.dispose](): void {
    // `unshare --kill-child` ends systemd, and all processes of its namespace with it.
    this.#process.kill('SIGKILL');
    const group = join(this.#cgroups, basename(this.#folder));
    spawnSync('sh', [
      '-c',
      'for i in 1 2 3 4 5 6 7 8 9; do find "$0" -depth -type d -exec rmdir {} + 2>/dev/null; [ -d "$0" ] || exit 0; sleep 0.3; done',
      group,
    ]);
    rmdirSync(this.#folder);
  }
}
