import type { Database } from '../src/database/database.ts';
import { statement } from '../src/database/statement.ts';

/**
 * Tables that may change even when a request is refused: `session` records the last activity, and
 * background jobs write the others.
 */
const IGNORED_TABLES = ['session', 'catalog_restamp', 'health_notice', 'health_watch'];

export type Digest = Readonly<Record<string, string>>;

/** Returns a digest of every table. Two digests show which tables changed between them. */
export async function digestDatabase(db: Database): Promise<Digest> {
  const digests: Record<string, string> = {};
  for (const { table } of await db.query(selectTables, [IGNORED_TABLES])) {
    const digest = statement<DigestRow>(`test_digest_of_${table}`, `${DIGEST} from ${table} t`);
    digests[table] = (await db.one(digest))?.digest ?? '';
  }
  const sessions = await db.one(countTestSessions);
  return { ...digests, sessions: String(sessions?.count ?? 0) };
}

/** Returns a digest of every table, restricted to the rows of one shop and one account. */
export async function digestShop(db: Database, shopId: string, accountId: string): Promise<Digest> {
  const digests: Record<string, string> = {};
  for (const { table, hasShop, hasAccount } of await db.query(selectTables, [IGNORED_TABLES])) {
    if (!hasShop && !hasAccount) continue;
    const column = hasShop ? 'shop_id' : 'account_id';
    const digest = statement<DigestRow>(
      `test_digest_by_${column}_of_${table}`,
      `${DIGEST} from ${table} t where t.${column} = $1`,
    );
    digests[table] = (await db.one(digest, [hasShop ? shopId : accountId]))?.digest ?? '';
  }
  return digests;
}

interface DigestRow {
  readonly digest: string | null;
}

const DIGEST = String.raw`select md5(string_agg(t::text, E'\n' order by t::text)) as digest`;

const selectTables = statement<{
  readonly table: string;
  readonly hasShop: boolean;
  readonly hasAccount: boolean;
}>(
  'test_select_tables',
  `select t.table_name as table,
          exists (select from information_schema.columns c
                   where c.table_schema = 'public' and c.table_name = t.table_name
                     and c.column_name = 'shop_id') as "hasShop",
          exists (select from information_schema.columns c
                   where c.table_schema = 'public' and c.table_name = t.table_name
                     and c.column_name = 'account_id') as "hasAccount"
     from information_schema.tables t
    where t.table_schema = 'public' and t.table_type = 'BASE TABLE'
      and t.table_name <> all($1::text[])
    order by t.table_name`,
);

const countTestSessions = statement<{ readonly count: number }>(
  'test_count_sessions',
  `select count(*)::int as count from session`,
);
