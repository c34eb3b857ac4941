import { execFileSync } from 'node:child_process';
import { cpus, loadavg, totalmem } from 'node:os';
import { join } from 'node:path';
import { findPackagedBinaries } from '../../server/src/database/packaged/binaries.ts';
import { areProcessesPinned } from './cores.ts';

/** The machine that produced a result. Results of different machines cannot be compared. */
export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGb: number;
  readonly node: string;
  readonly postgresql: string;
  /** Whether the server and the load generator had separate cores. */
  readonly isPinned: boolean;
  /**
   * The load average of the last minute at the start. A value much above 0 means that other work
   * was running.
   */
  readonly loadAtBegin: number;
}

const GB = 1024 ** 3;

export function describeMachine(): Machine {
  const postgres = join(findPackagedBinaries().folder, 'postgres');
  return {
    cpu: cpus()[0]?.model ?? 'unknown',
    cores: cpus().length,
    memoryGb: Math.round(totalmem() / GB),
    node: process.version,
    postgresql: execFileSync(postgres, ['--version'], { encoding: 'utf8' }).trim(),
    isPinned: areProcessesPinned(),
    loadAtBegin: loadavg()[0] ?? 0,
  };
}
