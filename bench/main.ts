// `npm run bench` runs every scenario, or only the named ones. `--quick` takes less time and is
// less exact. `--profile` writes CPU profiles of the service and prints its most expensive
// functions. The figures then include the cost of profiling.
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { pinToLoadCore } from './harness/cores.ts';
import { makeBench } from './harness/bench.ts';
import { FilledDatabases } from './harness/filled-databases.ts';
import { describeMachine } from './harness/machine.ts';
import { hottestFunctions } from './harness/profile.ts';
import { type MeasuredScenario, renderTable } from './harness/table.ts';
import { isWrkInstalled } from './harness/wrk.ts';
import type { Scenario } from './scenario.ts';
import { scenarios } from './scenarios.ts';

const HOTTEST_COUNT = 10;
const results = new URL('results/', import.meta.url).pathname;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean', default: false },
    profile: { type: 'boolean', default: false },
  },
});

const chosen = choose(positionals);
if (!isWrkInstalled()) {
  console.error('The load generator wrk is not installed: install the package wrk (Debian).');
  process.exit(1);
}
await run(chosen);

function choose(names: readonly string[]): readonly Scenario[] {
  const unknown = names.find((name) => !scenarios.some((scenario) => scenario.name === name));
  if (unknown !== undefined) {
    const known = scenarios.map(({ name, target, title }) => `  ${name}: ${target}, ${title}`);
    console.error(`Unknown scenario "${unknown}". The scenarios are:\n${known.join('\n')}`);
    process.exit(1);
  }
  if (names.length === 0) return scenarios.filter(({ isOnlyNamed }) => isOnlyNamed !== true);
  return scenarios.filter(({ name }) => names.includes(name));
}

async function run(selected: readonly Scenario[]): Promise<void> {
  const machine = describeMachine();
  pinToLoadCore();
  const measured: MeasuredScenario[] = [];
  const beganAt = new Date();
  await using databases = new FilledDatabases();
  for (const scenario of selected) {
    const profileFolder = values.profile
      ? mkdtempSync(join(tmpdir(), `cardport-profile-${scenario.name}-`))
      : null;
    const bench = makeBench({ isQuick: values.quick, profileFolder, databases });
    const fromMs = performance.now();
    const figures = await measure(scenario, bench);
    if (figures !== null) measured.push({ scenario, figures });
    const seconds = (performance.now() - fromMs) / 1_000;
    bench.log(`${scenario.target} ${scenario.name}: ${seconds.toFixed(0)} s`);
    if (profileFolder !== null) printProfile(profileFolder);
  }
  console.log(`\n${renderTable(measured)}\n`);
  console.log(JSON.stringify(machine));
  writeResult({ machine, beganAt, isQuick: values.quick, isProfiled: values.profile, measured });
}

async function measure(
  scenario: Scenario,
  bench: Parameters<Scenario['run']>[0],
): Promise<MeasuredScenario['figures'] | null> {
  try {
    return await scenario.run(bench);
  } catch (error) {
    // A failed scenario does not stop the others.
    console.error(`${scenario.target} ${scenario.name} failed:`, error);
    process.exitCode = 1;
    return null;
  }
}

function printProfile(folder: string): void {
  console.log(`profiles: ${folder}`);
  for (const { name, place, share } of hottestFunctions(folder, HOTTEST_COUNT)) {
    console.log(`  ${(share * 100).toFixed(1).padStart(5)} %  ${name}  ${place}`);
  }
}

interface Result {
  readonly machine: ReturnType<typeof describeMachine>;
  readonly beganAt: Date;
  readonly isQuick: boolean;
  readonly isProfiled: boolean;
  readonly measured: readonly MeasuredScenario[];
}

function writeResult({ measured, ...about }: Result): void {
  const figures = measured.map(({ scenario: { name, target, title }, figures }) => {
    return { name, target, title, figures };
  });
  const name = positionals.length === 0 ? 'all' : positionals.join('-');
  const stamp = about.beganAt.toISOString().replaceAll(/[:.]/g, '-');
  mkdirSync(results, { recursive: true });
  const path = join(results, `${stamp}-${name}${about.isQuick ? '-quick' : ''}.json`);
  writeFileSync(path, `${JSON.stringify({ ...about, scenarios: figures }, null, 2)}\n`);
  console.log(`written: ${path}`);
}
