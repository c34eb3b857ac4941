import type { Database } from '../src/database/database.ts';
import { statement } from '../src/database/statement.ts';

/** The properties of the database schema (`public`) that matter for distributing it by shop. */
export interface SchemaFacts {
  readonly tables: readonly TableFacts[];
  readonly uniqueIndexes: readonly UniqueIndex[];
  readonly foreignKeys: readonly ForeignKey[];
  /** The triggers as `trigger on table`. */
  readonly triggers: readonly string[];
  readonly sequences: readonly string[];
  /** Columns that the database numbers (identity, serial), as `table.column`. */
  readonly countedColumns: readonly string[];
}

export interface TableFacts {
  readonly table: string;
  /** Whether the table's rows belong to a shop. */
  readonly hasShop: boolean;
  readonly hasPrimaryKey: boolean;
}

export interface UniqueIndex {
  readonly table: string;
  readonly index: string;
  /** The columns in order. An expression is `null`. */
  readonly columns: readonly (string | null)[];
}

export interface ForeignKey {
  readonly name: string;
  readonly table: string;
  readonly columns: readonly string[];
  readonly target: string;
  readonly targetColumns: readonly string[];
}

export async function readSchemaFacts(db: Database): Promise<SchemaFacts> {
  const names = async (found: typeof selectTriggers): Promise<string[]> =>
    (await db.query(found)).map(({ name }) => name);
  return {
    tables: await db.query(selectTables),
    uniqueIndexes: await db.query(selectUniqueIndexes),
    foreignKeys: await db.query(selectForeignKeys),
    triggers: await names(selectTriggers),
    sequences: await names(selectSequences),
    countedColumns: await names(selectCountedColumns),
  };
}

// Selects all tables, including partitioned tables.
const selectTables = statement<TableFacts>(
  'test_tables',
  `select t.relname as table,
     exists (select from pg_attribute a
       where a.attrelid = t.oid and a.attname = 'shop_id' and not a.attisdropped) as "hasShop",
     exists (select from pg_index x where x.indrelid = t.oid and x.indisprimary) as "hasPrimaryKey"
   from pg_class t
   where t.relkind in ('r', 'p') and t.relnamespace = 'public'::regnamespace
   order by 1`,
);

const selectUniqueIndexes = statement<UniqueIndex>(
  'test_unique_indexes',
  `select t.relname as table, i.relname as index,
     array(select a.attname::text
       from unnest(x.indkey::int[]) with ordinality k (number, place)
       left join pg_attribute a on a.attrelid = t.oid and a.attnum = k.number and k.number > 0
       where k.place <= x.indnkeyatts order by k.place) as columns
   from pg_index x
   join pg_class i on i.oid = x.indexrelid
   join pg_class t on t.oid = x.indrelid
   where x.indisunique and t.relnamespace = 'public'::regnamespace
   order by 1, 2`,
);

const selectForeignKeys = statement<ForeignKey>(
  'test_foreign_keys',
  `select c.conname as name, t.relname as table, target.relname as target,
     array(select a.attname::text from unnest(c.conkey) with ordinality k (number, place)
       join pg_attribute a on a.attrelid = c.conrelid and a.attnum = k.number
       order by k.place) as columns,
     array(select a.attname::text from unnest(c.confkey) with ordinality k (number, place)
       join pg_attribute a on a.attrelid = c.confrelid and a.attnum = k.number
       order by k.place) as "targetColumns"
   from pg_constraint c
   join pg_class t on t.oid = c.conrelid
   join pg_class target on target.oid = c.confrelid
   where c.contype = 'f' and t.relnamespace = 'public'::regnamespace
   order by 1`,
);

const selectTriggers = statement<{ name: string }>(
  'test_triggers',
  `select tgname || ' on ' || tgrelid::regclass as name
   from pg_trigger join pg_class t on t.oid = tgrelid
   where not tgisinternal and t.relnamespace = 'public'::regnamespace
   order by 1`,
);

const selectSequences = statement<{ name: string }>(
  'test_sequences',
  `select relname as name from pg_class
   where relkind = 'S' and relnamespace = 'public'::regnamespace order by 1`,
);

const selectCountedColumns = statement<{ name: string }>(
  'test_counted_columns',
  `select t.relname || '.' || a.attname as name
   from pg_attribute a
   join pg_class t on t.oid = a.attrelid and t.relnamespace = 'public'::regnamespace
   left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
   where t.relkind in ('r', 'p') and not a.attisdropped
     and (a.attidentity <> '' or pg_get_expr(d.adbin, d.adrelid) like '%nextval(%')
   order by 1`,
);
