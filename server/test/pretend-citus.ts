/**
 * A script that makes a database look as if Citus distributed its tables: only the entry in the
 * catalog. What is then sent one shop at a time is plain SQL, which PostgreSQL runs as well.
 */
export const PRETEND_CITUS = `insert into pg_extension
  select 4294967000, 'citus', extowner, extnamespace, false, extversion, null, null
    from pg_extension where extname = 'plpgsql'
     and not exists (select from pg_extension where extname = 'citus')`;
