// Shows which tests fail with a break: `node conformance/breaks/show-failing-tests.ts [NAME-PART …]`
import { runTests } from '../run.ts';
import { allBreaks } from './registry.ts';
import { startWrongServer } from './wrong-server.ts';

const parts = process.argv.slice(2);
const chosen = allBreaks.filter(({ name }) =>
  parts.length === 0 ? true : parts.some((part) => name.includes(part)),
);
await using server = await startWrongServer();
const green = (await runTests(server.target)).filter(({ outcome }) => outcome.kind === 'pass');
const only = green.map(({ id }) => id);
for (const rule of chosen) {
  server.breakRule(rule);
  const results = await runTests(server.target, { only });
  const red = results.flatMap(({ id, outcome }) => (outcome.kind === 'fail' ? [id] : []));
  console.log(`${rule.name}: ${red.join(' ') || 'none'}`);
}
