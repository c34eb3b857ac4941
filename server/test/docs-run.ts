// Runs the code blocks of pages: `node server/test/docs-run.ts [docs/quick-start.md …]`; all of them without arguments.
// What stands behind the opening fence says how: decisions/0166-code-blocks-run.md.
import { buildClient } from '../../scripts/build-client.ts';
import { listPages, renderReports, runPages } from './docs-pages.ts';

const given = process.argv.slice(2);
try {
  buildClient();
} catch {
  // The compiler has said why; what it could make is there, and the blocks show what that comes to.
  console.error('the SDK is built with faults');
}
const reports = await runPages(given.length > 0 ? given : listPages());
console.log(renderReports(reports));
process.exitCode = reports.some(({ faults }) => faults.length > 0) ? 1 : 0;
