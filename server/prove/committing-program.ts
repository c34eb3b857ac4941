// `node committing-program.ts FOLDER COMMITS`: opens the embedded engine, commits updates of `counted`, ends.
import assert from 'node:assert/strict';
import { openDatabase } from '../src/database/open-database.ts';
import { pgliteEngine } from '../src/database/pglite-engine.ts';
import { statement } from '../src/database/statement.ts';

const raise = statement('prove_raise_counted', 'update counted set v = v + 1 where id = 1');

const [folder = '', commits = '0'] = process.argv.slice(2);
const engine = await pgliteEngine({ folder });
const db = openDatabase(engine, { onFault: assert.ifError });
for (let commit = 0; commit < Number(commits); commit++) await db.count(raise);
await db.close();
await engine.close();
