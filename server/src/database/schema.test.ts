import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { IS_ON_CITUS } from '../../test/citus-nodes.ts';
import { readSchemaFacts } from '../../test/schema-facts.ts';
import { findSchemaProblems } from '../../test/schema-faults.ts';
import { openTestDatabase } from '../../test/test-database.ts';
import { statement } from './statement.ts';

const findUnvalidated = statement<{ name: string }>(
  'test_unvalidated',
  'select conname as name from pg_constraint where not convalidated',
);

const BAD_TABLES = `
  create table bad_keyless (shop_id uuid not null);
  create table bad_order (bad_id uuid, shop_id uuid, code text, primary key (bad_id, shop_id));
  create unique index bad_code on bad_order (code);
  create unique index bad_expression on bad_order (lower(code), shop_id);
  create unique index bad_included on bad_order (code) include (shop_id);
  create table bad_serial (shop_id uuid, bad_id bigserial, primary key (shop_id, bad_id));
  create table bad_identity (
    shop_id uuid, bad_id bigint generated always as identity, primary key (shop_id, bad_id));
  create table bad_crossing (
    shop_id uuid, site_shop_id uuid, site_id uuid, primary key (shop_id, site_id),
    foreign key (site_shop_id, site_id) references site);
  create table bad_swapped (
    shop_id uuid, bad_id uuid, primary key (shop_id, bad_id),
    foreign key (bad_id, shop_id) references site);
  create table bad_sharing (
    shop_id uuid, session_hash text references session, primary key (shop_id, session_hash));
  create table bad_shared (
    bad_id uuid primary key, shop_id_of_it uuid, site_id uuid,
    foreign key (shop_id_of_it, site_id) references site);
  create function bad_function() returns trigger language plpgsql as 'begin return new; end';
  create trigger bad_trigger before insert on bad_shared for each row execute function bad_function();
`;

// These rules let Citus distribute the schema by `shop_id` without changes (ARCHITECTURE: the
// database; decision 0130).
describe('the schema', () => {
  it('every key of a shop’s tables begins with shop_id, and there are no keys between shops, triggers or sequences', async () => {
    await using base = await openTestDatabase();
    const facts = await readSchemaFacts(base.db);
    assert.ok(facts.tables.filter(({ hasShop }) => hasShop).length > 10);
    assert.ok(facts.uniqueIndexes.length >= facts.tables.length);
    assert.ok(facts.foreignKeys.length > 15);
    assert.deepEqual(findSchemaProblems(facts), []);
    assert.deepEqual(await base.db.query(findUnvalidated), [], 'every constraint is in force');
  });

  // Citus refuses some of these tables itself.
  it('the check reports each table that breaks a rule', { skip: IS_ON_CITUS }, async () => {
    await using base = await openTestDatabase();
    await base.db.runScript(BAD_TABLES);
    assert.deepEqual(findSchemaProblems(await readSchemaFacts(base.db)), [
      'bad_keyless has no primary key',
      'bad_code of bad_order does not begin with shop_id',
      'bad_expression of bad_order does not begin with shop_id',
      'bad_included of bad_order does not begin with shop_id',
      'bad_order_pkey of bad_order does not begin with shop_id',
      'bad_crossing_site_shop_id_site_id_fkey of bad_crossing can refer from one shop to another: site',
      'bad_shared_shop_id_of_it_site_id_fkey of bad_shared refers from a shared table to a table of shops: site',
      'bad_sharing_session_hash_fkey of bad_sharing refers to session, which shops do not share',
      'bad_swapped_bad_id_shop_id_fkey of bad_swapped can refer from one shop to another: site',
      'unexpected trigger bad_trigger on bad_shared',
      'unexpected sequence bad_identity_bad_id_seq',
      'unexpected sequence bad_serial_bad_id_seq',
      'bad_identity.bad_id is numbered by the database',
      'bad_serial.bad_id is numbered by the database',
    ]);
  });
});
