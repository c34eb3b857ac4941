// Runs the suite against an implementation: `node conformance --target target.json [--json
// result.json] [--only 4.8]`
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { Basis } from './definition.ts';
import { formatResult, createReport } from './report.ts';
import { chooseTests, runTests } from './run.ts';
import { readTarget, type Target } from './target.ts';

const USAGE = `Usage: node conformance --target target.json [--only 4.8] [--basis specification] [--json result.json] [--list]

  --target FILE  describes the implementation under test (conformance/README.md)
  --only NAME    a clause (4.8, D6) or a test (4.8-search-length); may be repeated
  --basis BASIS  specification runs only rules of the specification, decision only rules of the decisions
  --json FILE    writes the result as JSON
  --list         lists the tests without running them

Exit code: 0 when nothing failed, 1 when a test failed, 2 when the arguments are invalid.
`;

process.exitCode = await main();

async function main(): Promise<0 | 1 | 2> {
  const options = readOptions();
  if (options === null) return 2;
  const { only, basis } = options;
  if (basis !== undefined && !isBasis(basis)) {
    return printUsageError('--basis must be specification or decision');
  }
  const choice = {
    ...(only === undefined ? {} : { only }),
    ...(basis === undefined ? {} : { basis }),
  };
  const chosen = chooseTests(only, basis);
  if (chosen.length === 0) {
    return printUsageError(`no test or clause is called ${only?.join(' or ') ?? ''}`);
  }
  if (options.list === true) {
    for (const { id, title } of chosen) console.log(`${id}: ${title}`);
    return 0;
  }
  if (options.target === undefined) return printUsageError('--target is required');
  const target = openTarget(options.target);
  if (target === null) return 2;
  const results = await runTests(target, {
    ...choice,
    onResult: (result) => console.log(formatResult(result)),
  });
  const report = createReport(target.name, results, new Date());
  const { pass, fail, not_run: notRun } = report.totals;
  console.log(`\n${target.name}: ${pass} passed, ${fail} failed, ${notRun} not run`);
  if (options.json !== undefined) {
    writeFileSync(options.json, `${JSON.stringify(report, null, 2)}\n`);
  }
  return fail === 0 ? 0 : 1;
}

interface Options {
  readonly target?: string;
  readonly only?: string[];
  readonly basis?: string;
  readonly json?: string;
  readonly list?: boolean;
}

function readOptions(): Options | null {
  try {
    const { values } = parseArgs({
      options: {
        target: { type: 'string' },
        only: { type: 'string', multiple: true },
        basis: { type: 'string' },
        json: { type: 'string' },
        list: { type: 'boolean' },
      },
    });
    return values;
  } catch (error) {
    printUsageError(error instanceof Error ? error.message : String(error));
    return null;
  }
}

function isBasis(word: string): word is Basis {
  return word === 'specification' || word === 'decision';
}

function openTarget(file: string): Target | null {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    printUsageError(
      `${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`,
    );
    return null;
  }
  const reading = readTarget(value);
  if (reading.kind === 'target') return reading.target;
  printUsageError(
    `${file} is not a valid target description:\n${reading.faults.map((fault) => `  ${fault}`).join('\n')}`,
  );
  return null;
}

function printUsageError(sentence: string): 2 {
  process.stderr.write(`conformance: ${sentence}\n\n${USAGE}`);
  return 2;
}
