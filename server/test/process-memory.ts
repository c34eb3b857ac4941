import { readdirSync, readFileSync } from 'node:fs';

/**
 * Returns the memory of a process and its descendants, in MB. Shared memory is counted once: the
 * file-backed pages of an executable are counted for the process that has the most of them resident.
 */
export function processTreeMemoryMb(rootPid: number): number {
  const parents = new Map<number, number>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    // The process name may contain any character, so look for its end from the right. The next
    // fields are the state and the parent (proc(5)).
    const stat = read(`/proc/${name}/stat`);
    parents.set(Number(name), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]));
  }
  const isOfTree = (pid: number): boolean => {
    for (let each: number | undefined = pid; each !== undefined; each = parents.get(each)) {
      if (each === rootPid) return true;
    }
    return false;
  };
  let kilobytes = 0;
  const fileKilobytes = new Map<string, number>();
  for (const pid of [...parents.keys()].filter(isOfTree)) {
    const rollup = read(`/proc/${pid}/smaps_rollup`);
    const status = read(`/proc/${pid}/status`);
    kilobytes += field(rollup, 'Pss_Anon') + field(rollup, 'Pss_Shmem');
    const program = read(`/proc/${pid}/comm`);
    const file = field(status, 'RssFile');
    fileKilobytes.set(program, Math.max(fileKilobytes.get(program) ?? 0, file));
  }
  for (const file of fileKilobytes.values()) kilobytes += file;
  return kilobytes / 1_024;
}

function field(text: string, name: string): number {
  return Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(text)?.[1] ?? 0);
}

/** Reads a file. Returns an empty text if the process has ended. */
function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
