// Runs the code blocks of pages: `node server/test/docs-run.ts [docs/quick-start.md …]`, by default
// of all pages. The text after an opening fence sets the options of a block
// (decisions/0041-openapi-from-the-table.md).
import { buildClient } from '../../scripts/build-client.ts';
import type { PageReport } from './docs-page.ts';
import {
  listPages,
  openPageRunner,
  renderFault,
  renderReport,
  renderTotals,
} from './docs-pages.ts';

const given = process.argv.slice(2);
try {
  buildClient();
} catch {
  // The compiler has printed the reason. It still emits code, and running the blocks shows whether
  // the code works.
  console.error('the SDK was built despite compiler errors');
}
await using runner = await openPageRunner();
const reports: PageReport[] = [];
for (const page of given.length > 0 ? given : listPages()) {
  const report = await runner.run(page);
  reports.push(report);
  console.log(renderReport(report).join('\n'));
}
const faults = runner.checkTypes();
for (const fault of faults) console.log(renderFault(fault));
console.log(renderTotals(reports));
const isClean = [...faults, ...reports.flatMap((report) => report.faults)].length === 0;
process.exitCode = isClean ? 0 : 1;
