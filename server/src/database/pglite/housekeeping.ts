import pg from 'pg';

/**
 * Between two looks. The embedded engine has no background processes: without this the write-ahead log grows for
 * ever (seen: 400 MB after 600,000 updates), dead rows stay, and the planner knows nothing of the tables.
 */
const LOOK_EVERY_MS = 5_000;
/** Log since the last checkpoint. More makes the restart after a crash slower (about 1 s for this much). */
const WAL_BYTES_MAX = 64 * 1024 * 1024;
/** As autovacuum's defaults, but sooner: a small table is vacuumed in a moment, and the session waits for a large one. */
const CHANGED_ROWS_MIN = 500;
const CHANGED_SHARE = 0.1;
/** Transactions after which a table's rows are frozen (autovacuum: 200 million; the hard limit is 2 billion). */
const FREEZE_AGE = 100_000_000;

/** Checkpoints and vacuums the embedded engine as PostgreSQL's own background processes would. */
export class Housekeeping {
  readonly #config: () => pg.ClientConfig;
  readonly #onFault: (error: Error) => void;
  readonly #timer: NodeJS.Timeout;
  #underWay: Promise<void> = Promise.resolve();

  constructor(config: () => pg.ClientConfig, onFault: (error: Error) => void) {
    this.#config = config;
    this.#onFault = onFault;
    this.#timer = setInterval(() => {
      this.#underWay = this.#underWay.then(() => this.#run());
    }, LOOK_EVERY_MS);
    this.#timer.unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#underWay;
  }

  async #run(): Promise<void> {
    try {
      await keepHouse(this.#config());
    } catch (error) {
      this.#onFault(error instanceof Error ? error : new Error(String(error)));
    }
  }
}

/**
 * Looks once, and does what is due.
 *
 * @returns the tables that were vacuumed, and whether a checkpoint was written.
 */
export async function keepHouse(
  config: pg.ClientConfig,
): Promise<{ readonly vacuumed: readonly string[]; readonly hasCheckpoint: boolean }> {
  const client = new pg.Client(config);
  client.on('error', () => {
    // The statement under way rejects.
  });
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string }>(dueTables, [
      CHANGED_ROWS_MIN,
      CHANGED_SHARE,
      FREEZE_AGE,
    ]);
    // One table a statement, so that the others have their turn between.
    for (const { name } of rows) await client.query(`vacuum (analyze) ${name}`);
    const { rows: sizes } = await client.query<{ bytes: string }>(walSinceCheckpoint);
    const hasCheckpoint = Number(sizes[0]?.bytes) > WAL_BYTES_MAX;
    if (hasCheckpoint) await client.query('checkpoint');
    return { vacuumed: rows.map((row) => row.name), hasCheckpoint };
  } finally {
    await client.end();
  }
}

const dueTables = `
  select format('%I.%I', s.schemaname, s.relname) as name
  from pg_stat_all_tables s
  join pg_class c on c.oid = s.relid
  where s.schemaname not in ('pg_toast', 'information_schema')
    and (s.n_dead_tup > $1::float + $2::float * c.reltuples
      or s.n_mod_since_analyze > $1::float + $2::float * c.reltuples
      or age(c.relfrozenxid) > $3::int)
  order by s.n_dead_tup
  limit 100`;

const walSinceCheckpoint = `
  select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), redo_lsn)::bigint as bytes from pg_control_checkpoint()`;
