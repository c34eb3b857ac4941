import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { openTestDatabase, type TestDatabase } from '../../server/test/test-database.ts';
import { Context } from '../context.ts';
import { allTests } from '../registry.ts';
import { formatResult } from '../report.ts';
import { runTests } from '../run.ts';
import type { Target } from '../target.ts';
import type { Break } from './break.ts';
import { allPermitted, permittedNames, combineDifferences } from './permitted-differences.ts';
import { allBreaks } from './registry.ts';
import { withTable } from './table.ts';
import { startWrongServer, type WrongServer } from './wrong-server.ts';

/** The minimum number of breaks, so that the list cannot shrink unnoticed. */
const BREAKS_MIN = 60;

/**
 * Breaks that make other breaks fail. `no-event-id` removes the id by which others identify an
 * event. `secret-without-padding` changes a secret that the service still signs with.
 * `disabled-after-revoked` reports the connection of every disabled app as ended.
 */
const NOT_COMBINABLE = new Set(['no-event-id', 'secret-without-padding', 'disabled-after-revoked']);

describe('the breaks of the wrong server', () => {
  it('breaks have unique names, and name existing tests', () => {
    const ids = new Set(allTests.map(({ id }) => id));
    assert.ok(allBreaks.length >= BREAKS_MIN);
    assert.equal(new Set(allBreaks.map(({ name }) => name)).size, allBreaks.length);
    for (const { name, caughtBy } of allBreaks) {
      assert.notEqual(caughtBy.length, 0, name);
      for (const id of caughtBy) assert.ok(ids.has(id), `${name}: ${id}`);
    }
  });

  it('the breaks cover every clause that has a test', () => {
    const named = new Set(allBreaks.flatMap(({ caughtBy }) => caughtBy));
    const shown = new Set(allTests.flatMap(({ id, clause }) => (named.has(id) ? [clause] : [])));
    const clauses = new Set(allTests.map(({ clause }) => clause));
    const unseen = [...clauses].filter((clause) => !shown.has(clause));
    assert.deepEqual(unseen, []);
  });

  it('the README lists all breaks', () => {
    const page = readFileSync(new URL('README.md', import.meta.url), 'utf8');
    assert.equal(page, withTable(page, allBreaks));
  });
});

describe('the suite against the wrong server', () => {
  let base: TestDatabase;
  let server: WrongServer;
  /**
   * The breaks share one context, because an approval takes more requests than the rest of a test.
   */
  let context: Context;
  before(async () => {
    base = await openTestDatabase();
    server = await startWrongServer({ databaseUrl: base.url });
    context = new Context(server.target);
  });
  after(async () => {
    await server[Symbol.asyncDispose]();
    await base.close();
  });

  for (const rule of allBreaks) {
    const { name, clause, wrong, caughtBy } = rule;
    it(`the suite fails if the server ${wrong} (${clause}, ${name})`, async () => {
      server.breakRule(rule);
      // The context caches a notice, so a break that changes notices needs a new context.
      const own = rule.notice === undefined ? context : new Context(server.target);
      const results = await runTests(server.target, { only: caughtBy, context: own });
      assert.equal(results.length, caughtBy.length);
      for (const { id, outcome } of results) {
        assert.equal(outcome.kind, 'fail', `${id} did not fail`);
        // A test that failed to run proves nothing.
        assert.doesNotMatch(outcome.kind === 'fail' ? outcome.message : '', /failed to run/);
      }
    });
  }

  // Uses the same approvals as the breaks, which shows that no test failed because of its approval.
  it('the suite passes through the proxy while no rule is broken', async () => {
    server.breakRule(null);
    const only = [...new Set(allBreaks.flatMap(({ caughtBy }) => caughtBy))];
    const results = await runTests(server.target, { only, context });
    assert.equal(results.length, only.length);
    assert.deepEqual(
      results.filter(({ outcome }) => outcome.kind !== 'pass'),
      [],
    );
  });

  // Tests that move the clock are left out: notices stop when the clocks of the process and its
  // database differ.
  const stated = allTests.filter(
    ({ basis, movesClock }) => basis === 'specification' && !movesClock,
  );
  const only = stated.map(({ id }) => id);
  /**
   * Expects that no test fails while this break is active. `names` replaces names of the target.
   */
  async function expectNoRed(rule: Break, names: Partial<Target['names']>): Promise<void> {
    server.breakRule(rule);
    const target = { ...server.target, names: { ...server.target.names, ...names } };
    const results = await runTests(target, { only });
    const red = results.filter(({ outcome }) => outcome.kind === 'fail');
    assert.deepEqual(red.map(formatResult), []);
    const notRun = results.filter(({ outcome }) => outcome.kind === 'not_run');
    const left = notRun.filter(({ id }) => id !== '4.6-chain' && id !== '4.10-https-loopback');
    assert.deepEqual(left.map(formatResult), []);
  }

  it('no specification test fails if all permitted differences are combined', async () => {
    await expectNoRed(combineDifferences('permitted', allPermitted), permittedNames);
  });

  it('no specification test fails if all decisions are violated together', async () => {
    const decisions = allBreaks.filter(
      ({ clause, name }) => clause.startsWith('D') && !NOT_COMBINABLE.has(name),
    );
    await expectNoRed(combineDifferences('decisions', decisions), { limitParameter: null });
  });
});
