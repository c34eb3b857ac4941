import type { ForeignKey, SchemaFacts } from './schema-facts.ts';

/** Tables that all shops share. A shop's table may refer to them without the shop's id. */
const SHARED_TARGETS: readonly string[] = ['account', 'card', 'product'];
/**
 * Unique indexes without the shop's id. Slugs must be unique across shops. The two primary keys are
 * hashes, which are unique anyway; the migration to Citus adds the shop's id to them.
 */
const UNIQUE_AMONG_SHOPS: readonly string[] = [
  'shop_slug_key',
  'oauth_artifact_pkey',
  'oauth_answer_pkey',
];
/**
 * Triggers that add the shop's id to rows that an older process writes. They do not exist on Citus.
 */
const TRIGGERS: readonly string[] = [
  'oauth_answer_shop on oauth_answer',
  'oauth_artifact_shop on oauth_artifact',
];
/** The sequences that may exist. No shop's table may use one. */
const SEQUENCES: readonly string[] = ['catalog_position'];

/**
 * Describes what prevents distributing a schema by `shop_id`, one sentence per problem (decision
 * 0130).
 */
export function findSchemaProblems(facts: SchemaFacts): readonly string[] {
  const ofShops = new Set(facts.tables.flatMap(({ table, hasShop }) => (hasShop ? [table] : [])));
  return [
    ...facts.tables
      .filter(({ hasPrimaryKey }) => !hasPrimaryKey)
      .map(({ table }) => `${table} has no primary key`),
    ...facts.uniqueIndexes
      .filter(({ table, index, columns }) => {
        if (!ofShops.has(table) || UNIQUE_AMONG_SHOPS.includes(index)) return false;
        return columns[0] !== 'shop_id';
      })
      .map(({ table, index }) => `${index} of ${table} does not begin with shop_id`),
    ...facts.foreignKeys.flatMap((key) => findForeignKeyProblems(key, ofShops)),
    ...facts.triggers
      .filter((trigger) => !TRIGGERS.includes(trigger))
      .map((trigger) => `unexpected trigger ${trigger}`),
    ...facts.sequences
      .filter((name) => !SEQUENCES.includes(name))
      .map((name) => `unexpected sequence ${name}`),
    ...facts.countedColumns.map((column) => `${column} is numbered by the database`),
  ];
}

function findForeignKeyProblems(key: ForeignKey, ofShops: ReadonlySet<string>): readonly string[] {
  const from = `${key.name} of ${key.table}`;
  if (!ofShops.has(key.table)) {
    return ofShops.has(key.target)
      ? [`${from} refers from a shared table to a table of shops: ${key.target}`]
      : [];
  }
  if (!ofShops.has(key.target)) {
    return SHARED_TARGETS.includes(key.target)
      ? []
      : [`${from} refers to ${key.target}, which shops do not share`];
  }
  const place = key.columns.indexOf('shop_id');
  const isWithinShop = place >= 0 && key.targetColumns[place] === 'shop_id';
  return isWithinShop ? [] : [`${from} can refer from one shop to another: ${key.target}`];
}
