import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { temporaryFolder } from '../../test/cardport.ts';
import { findFiles } from './files.ts';

describe('the files of a command (decision 0005)', () => {
  it('the files of a folder are its JSON files, sorted by name', async () => {
    using folder = temporaryFolder();
    for (const name of ['b.JSON', 'a.ndjson.gz', 'c.jsonl', 'readme.md', 'json', 'd.json.zip']) {
      writeFileSync(join(folder.path, name), '12');
    }
    mkdirSync(join(folder.path, 'e.json'));
    const found = await findFiles(folder.path);
    const expected = ['a.ndjson.gz', 'b.JSON', 'c.jsonl'];
    assert.deepEqual(
      found,
      expected.map((name) => ({ path: join(folder.path, name), bytes: 2 })),
    );
    mkdirSync(join(folder.path, 'none'));
    await assert.rejects(
      findFiles(join(folder.path, 'none')),
      /^Error: it is a folder without \.json, /,
    );
  });
});
