import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { before, describe, it } from 'node:test';
import pg from 'pg';
import { IS_ON_CITUS } from '../../test/citus-nodes.ts';
import { findRowFaults, readSystemCatalog } from '../../test/row-faults.ts';
import { readRowTypes } from '../../test/row-types.ts';
import {
  findStatements,
  type FoundStatement,
  listModules,
  prepare,
  SOURCE_FOLDER,
} from '../../test/statements.ts';
import { openTestDatabase } from '../../test/test-database.ts';

describe('the SQL statements', () => {
  let statements: readonly FoundStatement[] = [];
  before(async () => {
    statements = await findStatements();
  });

  it('the test finds the statements', () => {
    assert.ok(statements.length > 50, `${statements.length} statements`);
  });

  it('statements have unique names in snake_case of at most 63 bytes', () => {
    const paths = new Map<string, string>();
    for (const { path, statement } of statements) {
      assert.match(statement.name, /^[a-z][a-z0-9_]{0,62}$/, path);
      assert.ok(
        !paths.has(statement.name),
        `${statement.name}: ${path}, ${paths.get(statement.name)}`,
      );
      paths.set(statement.name, path);
    }
  });

  it('all statements are exported constants, so that this test finds them', () => {
    for (const path of listModules()) {
      const text = readFileSync(new URL(path, SOURCE_FOLDER), 'utf8');
      for (const line of text.split('\n')) {
        if (!/(^|[^\w.])(statement|hotRead|sharedRead)(<.*>)?\(/.test(line)) continue;
        if (line.startsWith('export function')) continue;
        assert.match(
          line,
          /^export const \w+ = (statement|hotRead|sharedRead)/,
          `${path}: ${line}`,
        );
      }
      assert.doesNotMatch(
        text,
        /^(?!export )(const|let) \w+[^=\n]*=\s*\n?\s*(statement|hotRead|sharedRead)[<(]/m,
        path,
      );
    }
  });

  it('statements are the only SQL outside of migrations: no other module queries `pg` directly', () => {
    for (const path of listModules().filter((module) => !module.startsWith('database/'))) {
      const text = readFileSync(new URL(path, SOURCE_FOLDER), 'utf8');
      // `patches/` changes clients that other modules create, so it needs their type, but must send
      // no query.
      if (path.startsWith('patches/')) assert.doesNotMatch(text, /import pg|\.query\(/, path);
      else assert.doesNotMatch(text, /from 'pg'/, path);
    }
  });

  // On Citus other columns are never null (`KEYS_BY_SHOP` of placement.ts).
  const skip = IS_ON_CITUS;
  it(
    'every statement can be prepared against the migrated schema, and returns rows of its type',
    { skip },
    async () => {
      const faults = await findFaults(statements);
      const kept = Object.entries(NEVER_NULL).flatMap(([name, fields]) =>
        fields.map((field) => `${name}: ${field} is declared without null`),
      );
      assert.deepEqual(faults.toSorted(), kept.toSorted());
    },
  );

  it('the check fails for a statement with an unknown column or a row of another type', async () => {
    const found = await findStatements(['../test/drifted-statements.ts']);
    assert.equal(found.length, 7);
    const faults = await findFaults(found);
    assert.deepEqual(faults.toSorted(), [
      'test_missing_null: removedAt is declared without null',
      'test_missing_null_of_join: isActive is declared without null',
      'test_never_null: name is never null',
      'test_other_name: shopID is not in the result',
      'test_other_name: shopId is not in the type',
      'test_other_type: createdAt is Date (timestamptz), not string',
      'test_other_type: name is string (text), not string | number',
      'test_unknown_column: error: column "nothing_there" does not exist',
    ]);
  });
});

const CLAIMED = [
  'leaseId',
  'eventId',
  'occurredAt',
  'coversEpoch',
  'coversSeq',
  'startedAt',
  'secretSealed',
  'secretKeyId',
];

// Nullable columns that are never null in the rows that the statement selects or writes. The
// database catalog does not show this.
const NEVER_NULL: Readonly<Record<string, readonly string[]>> = {
  select_last_scanned_ended_boost: ['at'],
  select_last_scanned_expired_boost: ['at'],
  select_access: ['expiresAt'],
  select_last_boost_edit: ['editedAt', 'kind'],
  select_token_to_exchange: ['expiresAt'],
  select_newest_token_of_lost_time: ['expiresAt'],
  select_public_keys: ['publicKey'],
  select_shops_of_expired_stored_responses: ['shopId'],
  select_shops_of_expired_artifacts: ['shopId'],
  claim_webhooks: CLAIMED,
  claim_webhooks_of_shop: CLAIMED,
  find_secrets_to_reseal: ['secretSealed', 'secretKeyId'],
  find_leased_webhooks: ['leaseId'],
  find_leased_webhooks_of_shop: ['leaseId'],
  lock_leased_webhooks: ['leaseId'],
  lock_leased_webhooks_of_shop: ['leaseId'],
  schedule_test_delivery: ['eventId'],
};

async function findFaults(found: readonly FoundStatement[]): Promise<string[]> {
  const rowTypes = readRowTypes(new Set(found.map(({ path }) => path)));
  await using base = await openTestDatabase();
  const client = new pg.Client(base.engine.clientConfig());
  await client.connect();
  const catalog = await readSystemCatalog(client);
  const faults: string[] = [];
  for (const { path, constant, statement } of found) {
    const row = rowTypes.get(`${path} ${constant}`);
    assert.ok(row !== undefined, `${path}: no row type of ${constant}`);
    try {
      const columns = await prepare(client, statement.text);
      if (statement.textOfOneKey !== null) {
        assert.deepEqual(await prepare(client, statement.textOfOneKey), columns, statement.name);
      }
      const differences = findRowFaults(statement, row, columns, catalog);
      faults.push(...differences.map((difference) => `${statement.name}: ${difference}`));
    } catch (error) {
      faults.push(`${statement.name}: ${String(error)}`);
    }
  }
  await client.end();
  return faults;
}
