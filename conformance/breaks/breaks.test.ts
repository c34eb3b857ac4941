import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { allTests } from '../registry.ts';
import { runTests } from '../run.ts';
import { allBreaks } from './registry.ts';
import { withTable } from './table.ts';
import { startWrongServer, type WrongServer } from './wrong-server.ts';

/** As many as there are rules that a server gets wrong in practice, at the least. */
const BREAKS_MIN = 60;

describe('the breaks of the wrong server', () => {
  it('are many, differ by their names, and each names tests that exist', () => {
    const ids = new Set(allTests.map(({ id }) => id));
    assert.ok(allBreaks.length >= BREAKS_MIN);
    assert.equal(new Set(allBreaks.map(({ name }) => name)).size, allBreaks.length);
    for (const { name, caughtBy } of allBreaks) {
      assert.notEqual(caughtBy.length, 0, name);
      for (const id of caughtBy) assert.ok(ids.has(id), `${name}: ${id}`);
    }
  });

  it('leave no clause that has a test without one', () => {
    const named = new Set(allBreaks.flatMap(({ caughtBy }) => caughtBy));
    const shown = new Set(allTests.flatMap(({ id, clause }) => (named.has(id) ? [clause] : [])));
    const clauses = new Set(allTests.map(({ clause }) => clause));
    const unseen = [...clauses].filter((clause) => !shown.has(clause));
    assert.deepEqual(unseen, []);
  });

  it('stand in the README as they are', () => {
    const page = readFileSync(new URL('README.md', import.meta.url), 'utf8');
    assert.equal(page, withTable(page, allBreaks));
  });
});

describe('the suite against the wrong server', () => {
  let server: WrongServer;
  before(async () => {
    server = await startWrongServer();
  });
  after(async () => await server[Symbol.asyncDispose]());

  it('is green through the proxy while no rule is broken', async () => {
    server.breakRule(null);
    const only = [...new Set(allBreaks.flatMap(({ caughtBy }) => caughtBy))];
    const results = await runTests(server.target, { only });
    assert.equal(results.length, only.length);
    assert.deepEqual(
      results.filter(({ outcome }) => outcome.kind !== 'pass'),
      [],
    );
  });

  for (const rule of allBreaks) {
    const { name, clause, caughtBy } = rule;
    it(`is red under ${name} (${clause})`, async () => {
      server.breakRule(rule);
      const results = await runTests(server.target, { only: caughtBy });
      assert.equal(results.length, caughtBy.length);
      for (const { id, outcome } of results) {
        assert.equal(outcome.kind, 'fail', `${id} is not red`);
        // A test that could not be made has shown nothing.
        assert.doesNotMatch(outcome.kind === 'fail' ? outcome.message : '', /could not be made/);
      }
    });
  }
});
