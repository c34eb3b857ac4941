/**
 * A script that makes a database look as if Citus distributed its tables, by adding an entry to the
 * system catalog. The service then sends statements for one shop at a time. They are plain SQL,
 * which PostgreSQL also runs.
 */
export const PRETEND_CITUS = `insert into pg_extension
  select 4294967000, 'citus', extowner, extnamespace, false, extversion, null, null
    from pg_extension where extname = 'plpgsql'
     and not exists (select from pg_extension where extname = 'citus')`;
