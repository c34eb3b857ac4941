import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { silentLog } from '../base/log.ts';
import type { Config } from '../config/config.ts';
import { readNodeStates } from '../database/citus-nodes.ts';
import type { Database } from '../database/database.ts';
import { DatabaseClock } from '../database/database-clock.ts';
import type { Engine } from '../database/engine.ts';
import { openDatabase } from '../database/open-database.ts';
import { identityValues, selectIdentity } from '../database/identity.ts';
import { readSchemaVersion } from '../database/schema-version.ts';
import { statement } from '../database/statement.ts';
import { hasNoDatabase, openEngine, SECRET_KEY_FILE } from '../runtime/configured-database.ts';
import { RESTORE_ADVICE } from '../runtime/restore-watch.ts';
import { checkWithin, type Finding, ok, problem, warning } from './finding.ts';

/** The timeout of the database checks, long enough for a server that is recovering from a crash. */
const DATABASE_SECONDS = 60;
/** `serve` and `deliver` refuse older versions of PostgreSQL (migrate.ts). */
const VERSION_MIN = 15;
/** Each process opens this many connections in addition to its pool, for example to LISTEN. */
const CONNECTIONS_BESIDE_POOL = 4;
const LATENCY_SAMPLES = 5;
/** A slower database gets a warning, because a response takes several statements in sequence. */
const LATENCY_MS_MAX = 20;
/** The threshold of the alert `CardportClockWrong`. */
const SKEW_SECONDS_MAX = 30;
const SKEW_SECONDS_USUAL = 2;

interface ServerFacts {
  readonly version: number;
  readonly encoding: string;
  readonly maxConnections: number;
  readonly usedConnections: number;
}

export const selectServerFacts = statement<ServerFacts>(
  'select_server_facts',
  `select current_setting('server_version_num')::int / 10000 as version,
     current_setting('server_encoding') as encoding,
     current_setting('max_connections')::int
       - current_setting('superuser_reserved_connections')::int as "maxConnections",
     (select count(*)::int from pg_stat_activity where backend_type = 'client backend')
       as "usedConnections"`,
);

/**
 * Checks the database, its clock and its schema. Connects as a command does, and creates nothing.
 */
export async function checkDatabase(config: Config): Promise<readonly Finding[]> {
  const { store } = config;
  if (store.kind === 'packaged') {
    if (hasNoDatabase(store.folder)) {
      const advice =
        'set DATA_DIR to the data folder of the service; to create a new database, run "cardport serve" or "cardport shop add"';
      return [problem('database', `there is no database in ${store.folder}`, advice)];
    }
    const file = join(store.folder, SECRET_KEY_FILE);
    if (config.secretKey === null && !existsSync(file)) {
      const advice = 'put the key of this database back into that file, or set SECRET_KEY';
      return [problem('database', `${file} does not exist`, advice)];
    }
  }
  const advice =
    store.kind === 'packaged'
      ? 'read docs/operating.md, The packaged PostgreSQL'
      : 'check DATABASE_URL, and that its server is running and accepts writes';
  return await checkWithin(DATABASE_SECONDS, 'database', advice, async () => {
    const ignoreFault = (): void => undefined;
    const engine = await openEngine(store, ignoreFault);
    try {
      const db = openDatabase(engine, { onFault: ignoreFault, poolClientsMax: 1 });
      try {
        return await findDatabaseFacts(db, engine, config);
      } finally {
        await db.close();
      }
    } finally {
      await engine.close();
    }
  });
}

async function findDatabaseFacts(
  db: Database,
  engine: Engine,
  config: Config,
): Promise<readonly Finding[]> {
  const facts = await db.one(selectServerFacts);
  if (facts === undefined) throw new Error('the server returned no settings');
  const clock = new DatabaseClock({ log: silentLog() });
  await clock.read(db);
  const schema = await readSchemaVersion(db);
  const isCurrent = schema.database === schema.program;
  return [
    checkServer(facts),
    checkConnections(facts, config),
    checkSchema(schema),
    ...(isCurrent ? [await checkIdentity(db, engine, config)] : []),
    await checkLatency(db),
    checkClock(clock.machineSkewSeconds),
    ...((await db.isDistributed()) ? await checkCitus(engine) : []),
  ];
}

function checkServer({ version, encoding }: ServerFacts): Finding {
  if (version < VERSION_MIN) {
    const message = `it is PostgreSQL ${version}`;
    return problem('database', message, `use PostgreSQL ${VERSION_MIN} or later`);
  }
  if (encoding !== 'UTF8') {
    const advice = 'create the database with the encoding UTF8';
    return problem('database', `its encoding is ${encoding}`, advice);
  }
  return ok('database', `PostgreSQL ${version} responds and accepts writes`);
}

async function checkCitus(engine: Engine): Promise<readonly Finding[]> {
  const advice =
    'start the node, let the role of DATABASE_URL log in there, and set what docs/scaling.md requires; cardport migrate sets lock_timeout';
  return (await readNodeStates(engine)).map(({ node, fault }) =>
    fault === '' ? ok(`Citus ${node}`, 'responds') : problem(`Citus ${node}`, fault, advice),
  );
}

function checkConnections(
  { maxConnections, usedConnections }: ServerFacts,
  { databaseConnectionsMax }: Config,
): Finding {
  const check = 'database connections';
  const needed = databaseConnectionsMax + CONNECTIONS_BESIDE_POOL;
  const message = `a process uses up to ${needed} connections; the server allows ${maxConnections}, and ${usedConnections} are in use`;
  const advice = 'lower DATABASE_CONNECTIONS, or raise max_connections of the server';
  if (needed > maxConnections) return problem(check, message, advice);
  // During a deployment without downtime, two processes run at the same time.
  return 2 * needed > maxConnections ? warning(check, message, advice) : ok(check, message);
}

function checkSchema(schema: { readonly database: number; readonly program: number }): Finding {
  const message = `the database is at migration ${schema.database}, this program at ${schema.program}`;
  if (schema.database === schema.program) return ok('schema', message);
  return schema.database < schema.program
    ? problem(
        'schema',
        message,
        'run cardport migrate, or start serve, which migrates the database',
      )
    : problem('schema', message, 'use a newer version of Cardport');
}

async function checkIdentity(db: Database, engine: Engine, config: Config): Promise<Finding> {
  const check = 'database identity';
  const known = await db.one(selectIdentity, identityValues(engine, config));
  const { state = 'none', isReadable = true } = known ?? {};
  if (state !== 'none') {
    const find = state === 'promoted' ? warning : problem;
    return find(check, RESTORE_ADVICE[state], 'read docs/operating.md, A restore is noticed');
  }
  const message = 'it is the database on which the service last ran';
  if (isReadable) return ok(check, message);
  const advice =
    'grant execute on pg_control_system, pg_walfile_name and pg_current_wal_insert_lsn, then run cardport restored --same-data';
  return warning(check, `${message}, as far as its role may read the identity`, advice);
}

async function checkLatency(db: Database): Promise<Finding> {
  const samples: number[] = [];
  for (let count = 0; count < LATENCY_SAMPLES; count++) {
    const sentMs = performance.now();
    await db.one(selectServerFacts);
    samples.push(performance.now() - sentMs);
  }
  const ms = Math.min(...samples);
  const message = `a statement takes ${ms.toFixed(1)} ms`;
  if (ms <= LATENCY_MS_MAX) return ok('database latency', message);
  const advice = 'run the service close to its database, and check the load on both machines';
  return warning('database latency', message, advice);
}

function checkClock(skewSeconds: number): Finding {
  const side = skewSeconds > 0 ? 'ahead of' : 'behind';
  const message = `this machine is ${Math.abs(skewSeconds).toFixed(1)} s ${side} the database`;
  if (Math.abs(skewSeconds) <= SKEW_SECONDS_USUAL) return ok('clock', message);
  const advice = 'synchronize both machines with NTP; Cardport uses the clock of the database';
  return Math.abs(skewSeconds) > SKEW_SECONDS_MAX
    ? problem('clock', message, advice)
    : warning('clock', message, advice);
}
