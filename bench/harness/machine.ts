import { execFileSync } from 'node:child_process';
import { cpus, loadavg, totalmem } from 'node:os';
import { findPostgres } from '../../scripts/postgres.ts';
import { arePinned } from './cores.ts';
import { join } from 'node:path';

/** What a result was measured on; beside another machine's it says little. */
export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGb: number;
  readonly node: string;
  readonly postgresql: string | null;
  /** Whether server and load had a core each. */
  readonly isPinned: boolean;
  /** Of the last minute, when the run began: much above 0 means that something else ran. */
  readonly loadAtBegin: number;
}

const GB = 1024 ** 3;

/** Describes this machine. */
export function describeMachine(): Machine {
  const postgres = findPostgres();
  return {
    cpu: cpus()[0]?.model ?? 'unknown',
    cores: cpus().length,
    memoryGb: Math.round(totalmem() / GB),
    node: process.version,
    postgresql:
      postgres === null
        ? null
        : execFileSync(join(postgres, 'postgres'), ['--version'], { encoding: 'utf8' }).trim(),
    isPinned: arePinned(),
    loadAtBegin: loadavg()[0] ?? 0,
  };
}
