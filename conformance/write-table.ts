// Writes the table of clauses and their tests into README.md: `node conformance/write-table.ts`
import { readFileSync, writeFileSync } from 'node:fs';
import { withTable } from './table.ts';

const readme = new URL('README.md', import.meta.url);
writeFileSync(readme, withTable(readFileSync(readme, 'utf8')));
