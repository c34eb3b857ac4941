// Writes the pages of docs/ that are made from tables in the code. `node scripts/render-docs.ts`
import { writeFileSync } from 'node:fs';
import { renderConfigurationPage } from '../server/src/config-variables.ts';

writeFileSync(new URL('../docs/configuration.md', import.meta.url), renderConfigurationPage());
