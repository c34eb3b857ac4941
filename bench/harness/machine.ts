import { execFileSync } from 'node:child_process';
import { cpus, loadavg, totalmem } from 'node:os';
import { join } from 'node:path';
import { findPackagedBinaries } from '../../server/src/database/packaged/binaries.ts';
import { arePinned } from './cores.ts';

/** What a result was measured on; beside another machine's it says little. */
export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGb: number;
  readonly node: string;
  readonly postgresql: string;
  /** Whether server and load had a core each. */
  readonly isPinned: boolean;
  /** Of the last minute, when the run began: much above 0 means that something else ran. */
  readonly loadAtBegin: number;
}

const GB = 1024 ** 3;

/** Describes this machine. */
export function describeMachine(): Machine {
  const postgres = join(findPackagedBinaries().folder, 'postgres');
  return {
    cpu: cpus()[0]?.model ?? 'unknown',
    cores: cpus().length,
    memoryGb: Math.round(totalmem() / GB),
    node: process.version,
    postgresql: execFileSync(postgres, ['--version'], { encoding: 'utf8' }).trim(),
    isPinned: arePinned(),
    loadAtBegin: loadavg()[0] ?? 0,
  };
}
