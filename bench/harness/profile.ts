import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

/** A function with the CPU time spent in the function itself, without its callees. */
export interface HotFunction {
  readonly name: string;
  readonly place: string;
  /** The share of all samples in which the thread was busy, from 0 to 1. */
  readonly share: number;
}

interface ProfileNode {
  readonly id: number;
  readonly callFrame: {
    readonly functionName: string;
    readonly url: string;
    readonly lineNumber: number;
  };
}

interface CpuProfile {
  readonly nodes: readonly ProfileNode[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

/** The names that V8 gives to samples of an idle thread. */
const IDLE = new Set(['(idle)', '(root)']);
const root = new URL('../../', import.meta.url).pathname;

/** Returns the functions with the most self time in all main-thread profiles of a folder. */
export function hottestFunctions(folder: string, count: number): readonly HotFunction[] {
  const spent = new Map<string, { name: string; place: string; us: number }>();
  let allUs = 0;
  for (const file of readdirSync(folder).filter(isOfMainThread)) {
    const profile = readProfile(join(folder, file));
    const nodes = new Map(profile.nodes.map((node) => [node.id, node]));
    for (const [n, id] of profile.samples.entries()) {
      const frame = nodes.get(id)?.callFrame;
      if (frame === undefined || IDLE.has(frame.functionName)) continue;
      const us = profile.timeDeltas[n] ?? 0;
      const key = `${frame.url}:${frame.lineNumber}:${frame.functionName}`;
      const known = spent.get(key) ?? {
        name: nameOf(frame.functionName),
        place: placeOf(frame),
        us: 0,
      };
      known.us += us;
      allUs += us;
      spent.set(key, known);
    }
  }
  return [...spent.values()]
    .toSorted((a, b) => b.us - a.us)
    .slice(0, count)
    .map(({ name, place, us }) => ({ name, place, share: us / allUs }));
}

/**
 * Profile names have the form CPU.DATE.TIME.PID.THREAD.SEQUENCE.cpuprofile; the main thread is 0.
 */
function isOfMainThread(file: string): boolean {
  return /\.0\.\d+\.cpuprofile$/.test(file);
}

function readProfile(path: string): CpuProfile {
  // V8 writes this format.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return JSON.parse(readFileSync(path, 'utf8')) as CpuProfile;
}

function nameOf(functionName: string): string {
  return functionName === '' ? '(anonymous)' : functionName;
}

function placeOf({ url, lineNumber }: ProfileNode['callFrame']): string {
  if (url === '') return '';
  const path = url.startsWith('file://') ? relative(root, new URL(url).pathname) : url;
  return `${path}:${lineNumber + 1}`;
}
