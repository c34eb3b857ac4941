/**
 * SQL that adds Citus to the list of installed extensions, without installing it. The service then
 * sends its statements for one shop at a time, in SQL that plain PostgreSQL can run too.
 */
export const FAKE_CITUS = `insert into pg_extension
  select 4294967000, 'citus', extowner, extnamespace, false, extversion, null, null
    from pg_extension where extname = 'plpgsql'
     and not exists (select from pg_extension where extname = 'citus')`;
