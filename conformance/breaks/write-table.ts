// Writes the table in conformance/breaks/README.md: `node conformance/breaks/write-table.ts`.
import { readFileSync, writeFileSync } from 'node:fs';
import { allBreaks } from './registry.ts';
import { withTable } from './table.ts';

const page = new URL('README.md', import.meta.url);
writeFileSync(page, withTable(readFileSync(page, 'utf8'), allBreaks));
