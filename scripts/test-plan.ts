import { type ImportGraph, usesAny } from './import-graph.ts';

/** The kinds of tests, fastest first. `--layer=…` runs one of them. */
export const LAYERS = ['unit', 'service', 'browser', 'conformance'] as const;
export type Layer = (typeof LAYERS)[number];

export function isLayer(name: string): name is Layer {
  return LAYERS.some((layer) => layer === name);
}

/** Files that run in one process, one after the other. */
export interface Batch {
  readonly layer: Layer;
  readonly files: readonly string[];
}

/**
 * A test that imports one of these uses a database or starts a process, so it is not a unit test.
 */
const SERVICE_PARTS = new Set([
  'server/test/test-database.ts',
  'server/bin/cardport',
  'scripts/postgres.ts',
]);

/** Files that share an emulator, because its start takes 4 s of CPU time. */
const TOGETHER = [/^server\/src\/emulator\/(?:admin|faults)\./, /^client\/test\/emulator-/];

/**
 * The share of its layer's remaining seconds that the next batch gets. The first batches are large,
 * so that few processes load the same modules. The last are small, so that no core waits for a long
 * one. All browser tests share one process, because each process starts a Chromium.
 */
const BATCH_SHARE: Readonly<Record<Layer, number>> = {
  unit: 1 / 5,
  service: 1 / 5,
  browser: 1,
  conformance: 1 / 5,
};
const BATCH_SECONDS_MIN = 15;
const BATCH_SECONDS_MAX = 100;
/** The assumed duration of a file without a recorded one. */
const USUAL_SECONDS = 0.4;

/** Returns the layer of a test file, derived from its imports. */
export function layerOf(file: string, graph: ImportGraph): Layer {
  if (file.startsWith('conformance/')) return 'conformance';
  const reached = graph.reach(file);
  if (reached.has('playwright-core')) return 'browser';
  return [...SERVICE_PARTS].some((part) => reached.has(part)) ? 'service' : 'unit';
}

/** Returns the test files that use a changed file, or all files if a change affects every test. */
export function findAffectedTests(
  changed: readonly string[],
  files: readonly string[],
  graph: ImportGraph,
): readonly string[] {
  if (changed.some((path) => CHANGES_ALL.test(path))) return files;
  return files.filter((file) => usesAny(graph.reach(file), changed));
}

const CHANGES_ALL =
  /^(?:package(?:-lock)?\.json|scripts\/(?:test|run-test)[^/]*\.ts|[^/]+\/package\.json)$/;

/**
 * Divides test files into batches: unit tests first, then the longest batches.
 *
 * @param seconds earlier durations by path
 */
export function planBatches(
  files: readonly string[],
  graph: ImportGraph,
  seconds: Readonly<Record<string, number>>,
): readonly Batch[] {
  const costOf = (file: string): number => seconds[file] ?? USUAL_SECONDS;
  const batches = LAYERS.flatMap((layer) => {
    const ofLayer = files
      .filter((file) => layerOf(file, graph) === layer)
      .toSorted((a, b) => costOf(b) - costOf(a));
    return groupsOf(ofLayer, BATCH_SHARE[layer], costOf).map((group) => ({ layer, files: group }));
  });
  const sumOf = (batch: Batch): number => batch.files.reduce((sum, file) => sum + costOf(file), 0);
  const units = batches.filter(({ layer }) => layer === 'unit');
  const others = batches.filter(({ layer }) => layer !== 'unit');
  return [...units, ...others.toSorted((a, b) => sumOf(b) - sumOf(a))];
}

function groupsOf(
  files: readonly string[],
  share: number,
  costOf: (file: string) => number,
): readonly (readonly string[])[] {
  const together = TOGETHER.map((pattern) => files.filter((file) => pattern.test(file)));
  const groups = together.filter((group) => group.length > 0).map((group) => [...group]);
  const alone = files.filter((file) => !together.flat().includes(file));
  let remaining = alone.reduce((sum, file) => sum + costOf(file), 0);
  let left = 0;
  for (const file of alone) {
    const cost = costOf(file);
    if (cost > left) {
      groups.push([]);
      left = Math.max(BATCH_SECONDS_MIN, Math.min(BATCH_SECONDS_MAX, remaining * share));
    }
    groups.at(-1)?.push(file);
    left -= cost;
    remaining -= cost;
  }
  return groups;
}
