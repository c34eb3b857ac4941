import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, relative, resolve } from 'node:path';
import { describe, it } from 'node:test';
import { allTests } from './registry.ts';
import { rules } from './rules.ts';
import { chooseTests } from './run.ts';
import { withTable } from './table.ts';

const here = import.meta.dirname;

/** Every clause of the specification that states a rule. */
const CLAUSES = [
  ['1', '2.1', '2.2', '2.3', '2.4', '2.5', '2.6', '3.1', '3.2', '3.3', '4', '4.1', '4.2', '4.3'],
  [
    '4.4',
    '4.5',
    '4.6',
    '4.7',
    '4.8',
    '4.9',
    '4.10',
    '4.11',
    '5',
    '5.1',
    '5.2',
    '5.3',
    '5.4',
    '5.5',
  ],
  ['6', '7', '8', '9'],
].flat();

describe('the registry of conformance tests', () => {
  it('the ids of tests are unique, and each begins with its clause', () => {
    const ids = allTests.map(({ id }) => id);
    assert.deepEqual(ids.toSorted(), [...new Set(ids)].toSorted());
    for (const { id, clause } of allTests) assert.ok(id.startsWith(`${clause}-`), id);
  });

  it('the registry has a test for every clause of the specification', () => {
    const tested = new Set(allTests.map(({ clause }) => clause));
    assert.deepEqual(
      CLAUSES.filter((clause) => !tested.has(clause)),
      [],
    );
  });

  it('tests are selected by clause and by id, and tests that move the clock run last', () => {
    assert.deepEqual(
      chooseTests(['4.9']).map(({ id }) => id),
      ['4.9-one', '4.9-upper-case', '4.9-unknown'],
    );
    assert.deepEqual(
      chooseTests(['5.4-access-expires', '9-in-base']).map(({ id }) => id),
      ['9-in-base', '5.4-access-expires'],
    );
    assert.deepEqual(chooseTests(['10']), []);
    assert.deepEqual(chooseTests(['D6'], 'specification'), []);
    const stated = chooseTests(undefined, 'specification');
    assert.ok(stated.length > 0 && stated.every(({ clause }) => !clause.startsWith('D')));
    assert.equal(chooseTests().length, allTests.length);
  });
});

describe('the table of clauses and tests', () => {
  it('each clause in the table has existing tests or a reason why it has none', () => {
    const ids = new Set(allTests.map(({ id }) => id));
    const unknown = rules.flatMap(({ tests }) => tests.filter((id) => !ids.has(id)));
    assert.deepEqual(unknown, []);
    assert.deepEqual([...new Set(rules.map(({ clause }) => clause))], CLAUSES);
    for (const { rule, tests, why } of rules) {
      assert.ok(tests.length > 0 || why !== undefined, rule);
    }
  });

  it('the table names every test of a clause of the specification', () => {
    const named = new Set(rules.flatMap(({ tests }) => tests));
    const missing = allTests.filter(({ id, basis }) => basis === 'specification' && !named.has(id));
    assert.deepEqual(
      missing.map(({ id }) => id),
      [],
    );
  });

  it('the table in README.md is the same as that of the registry', () => {
    const page = readFileSync(`${here}/README.md`, 'utf8');
    assert.equal(page, withTable(page));
  });
});

describe('the suite', () => {
  it('the suite imports no server code, no client code and no package, so it can test any implementation', () => {
    // All files that `node conformance` loads. The suite's own tests and `cardport/` may import the
    // server.
    const files = new Set(['main.ts']);
    const foreign: string[] = [];
    for (const file of files) {
      const text = readFileSync(resolve(here, file), 'utf8');
      for (const [, name = ''] of text.matchAll(/(?:from|import\()\s*'([^']+)'/g)) {
        const path = relative(here, resolve(here, dirname(file), name));
        if (name.startsWith('.') && !path.startsWith('..')) files.add(path);
        else if (!(isBuiltin(name) && name.startsWith('node:'))) foreign.push(`${file}: ${name}`);
      }
    }
    assert.deepEqual(foreign, []);
    const clauses = globSync('clauses/*.ts', { cwd: here });
    assert.deepEqual(
      [...files].filter((file) => file.startsWith('clauses/')).toSorted(),
      clauses.toSorted(),
    );
    assert.deepEqual(
      [...files].filter((file) => /^(cardport|breaks)\//.test(file)),
      [],
    );
    const manifest = readFileSync(`${here}/package.json`, 'utf8');
    assert.doesNotMatch(manifest, /ependencies/);
  });
});
