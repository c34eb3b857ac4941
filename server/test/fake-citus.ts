/**
 * SQL that adds Citus to the list of installed extensions, without installing it. The service then
 * sends its statements for one shop at a time, in SQL that plain PostgreSQL can run too.
 */
export const FAKE_CITUS = `insert into pg_extension
  select 4294967000, 'citus', extowner, extnamespace, false, extversion, null, null
    from pg_extension where extname = 'plpgsql'
     and not exists (select from pg_extension where extname = 'citus')`;

/**
 * SQL that makes a migrated database seem to be distributed over the workers in the table
 * `fake_worker`.
 */
export const FAKE_CITUS_WORKERS = `${FAKE_CITUS};
  create table pg_dist_partition as select oid as logicalrelid from pg_class;
  create table fake_worker (nodename text, nodeport int, success boolean, result text);
  create function run_command_on_workers(text) returns setof fake_worker
    language sql as 'select * from fake_worker'`;
