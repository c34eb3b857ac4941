import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const program = new URL('../../src/cli.ts', import.meta.url).pathname;

/** The files of a memory cgroup, in version 1 and 2 (cgroups(7)). */
const VERSIONS = [
  {
    root: '/sys/fs/cgroup/memory',
    limit: 'memory.limit_in_bytes',
    most: 'memory.max_usage_in_bytes',
  },
  { root: '/sys/fs/cgroup', limit: 'memory.max', most: 'memory.peak' },
] as const;

/** A memory limit for the service and its child processes. Node chooses its heap accordingly. */
export class MemoryGroup implements Disposable {
  readonly #folder: string;
  readonly #megabytes: number;
  readonly #most: string;

  /** @throws Error without root or a writable cgroup */
  constructor(megabytes: number) {
    const [version, other] = VERSIONS;
    const { root, limit, most } = existsSync(join(version.root, version.limit)) ? version : other;
    this.#megabytes = megabytes;
    this.#folder = join(root, `cardport-fuzz-${process.pid}`);
    this.#most = most;
    try {
      mkdirSync(this.#folder);
      writeFileSync(join(this.#folder, limit), String(megabytes * 1_048_576));
    } catch (error) {
      const hint = 'FUZZ_MEMORY_MB needs root and the memory controller of cgroups. Without them,';
      throw new Error(`${hint} limit the heap: NODE_OPTIONS=--max-old-space-size=512`, {
        cause: error,
      });
    }
  }

  /** Writes a script that starts the service in the group, and returns its path. */
  program(folder: string): string {
    const path = join(folder, 'limited-cardport');
    const enter = `echo $$ > '${join(this.#folder, 'cgroup.procs')}'`;
    const text = `#!/bin/sh\nset -e\n${enter}\nexec '${process.execPath}' '${program}' "$@"\n`;
    writeFileSync(path, text, { mode: 0o755 });
    return path;
  }

  get figures(): string {
    const bytes = Number(readFileSync(join(this.#folder, this.#most), 'utf8'));
    return `the memory group used at most ${(bytes / 1_048_576).toFixed(0)} of ${this.#megabytes} MB`;
  }

  [Symbol.dispose](): void {
    rmdirSync(this.#folder);
  }
}
