// Writes NOTICE, and the documentation pages that are generated from tables in the code. `node
// scripts/render-docs.ts`
import { readFileSync, writeFileSync } from 'node:fs';
import { withTable } from '../conformance/table.ts';
import { renderConfigurationPage } from '../server/src/config/variables.ts';
import { renderNotice } from './notice.ts';

writeFileSync(new URL('../docs/configuration.md', import.meta.url), renderConfigurationPage());

const suite = new URL('../conformance/README.md', import.meta.url);
writeFileSync(suite, withTable(readFileSync(suite, 'utf8')));

const root = new URL('..', import.meta.url);
writeFileSync(new URL('NOTICE', root), renderNotice(root.pathname));
