import pg from 'pg';
import type { Engine } from '../src/database/engine.ts';
import { asError } from '../src/database/errors.ts';
import type { Statement } from '../src/database/statement.ts';

/** What Citus did with a statement. */
export interface Execution {
  /** The reason why Citus did not execute the statement. Null if Citus executed it. */
  readonly refusal: string | null;
  /** The number of shards of shops' tables to which Citus sent the statement. */
  readonly shards: number;
}

/**
 * The number of executions of each statement: from the sixth on, PostgreSQL may use a generic plan.
 */
const EXECUTIONS = 7;

const SHOP = '11111111-1111-4111-8111-111111111111';

const VALUES: Readonly<Record<string, string>> = {
  bigint: '1',
  boolean: 'true',
  bytea: String.raw`\x00`,
  'double precision': '1',
  integer: '1',
  interval: '1 hour',
  jsonb: '[]',
  smallint: '1',
  text: 'x',
  'timestamp with time zone': '2026-01-01T00:00:00Z',
  uuid: SHOP,
};

/** Rows that the made-up values refer to, so that statements satisfy their foreign keys. */
const ROWS = `
  insert into shop values ($U, 'fx', 'x', 'JPY', now());
  insert into account (account_id, email, name, password_hash, created_at)
    values ($U, 'f@x.example', 'x', 'x', now());
  insert into game values ($U, 'x', 'x');
  insert into card (card_id, game_id, name, localized_names, language_code, is_active, updated_at)
    values ($U, $U, 'x', '{}', 'en', true, now());
  insert into product (product_id, game_id, name, product_kind, language_code, is_active, updated_at)
    values ($U, $U, 'x', 'x', 'en', true, now());
  insert into feed_head values ($U, 1, 1, now());
  insert into member values ($U, $U, '{}', true, now(), now());
  insert into app
      (shop_id, client_id, name, redirect_uris, scopes, shares_cost, is_enabled, created_at, updated_at)
    values ($U, 'x', 'x', '{x}', '{}', true, true, now(), now());
  insert into connection (shop_id, connection_id, client_id, account_id, status, connected_at)
    values ($U, $U, 'x', $U, 'active', now());
  insert into site values ($U, $U, 'x', 'x', 'x', 'JP', 'UTC', true, now(), now(), 1, 'x');
  insert into location values ($U, $U, $U, 'x', 'x', 'x', true, now(), now(), 1, 'x')`;

/** A session on the coordinator that records what Citus sends to workers. */
export class CitusSession implements AsyncDisposable {
  readonly shopId = SHOP;
  readonly #client: pg.Client;
  #sent: string[] = [];
  /** The hash range of each shard. All shards with rows of one shop have the same range. */
  readonly #ranges = new Map<string, string>();

  private constructor(client: pg.Client) {
    this.#client = client;
    client.on('notice', ({ message = '' }) => {
      if (message.startsWith('issuing ')) this.#sent.push(message);
    });
  }

  static async open(engine: Engine): Promise<CitusSession> {
    const client = new pg.Client(engine.clientConfig());
    await client.connect();
    const session = new CitusSession(client);
    for (const text of ROWS.replaceAll('$U', `'${SHOP}'`).split(';')) {
      await client.query(text);
    }
    const { rows } = await client.query<{ shard: string; range: string }>(
      `select shardid::text as shard, shardminvalue as range from pg_dist_shard
        where shardminvalue is not null`,
    );
    for (const { shard, range } of rows) session.#ranges.set(shard, range);
    await client.query('set citus.log_remote_commands = on');
    return session;
  }

  /** Executes a statement with made-up values, often enough for a generic plan, and rolls back. */
  async execute({ name, text, textOfOneKey }: Statement<object>): Promise<Execution> {
    const client = this.#client;
    const sent = textOfOneKey ?? text;
    const query = { name, text: sent, values: await this.#makeValues(sent) };
    let refusal: string | null = null;
    await client.query('begin');
    this.#sent = [];
    try {
      for (let done = 0; done < EXECUTIONS; done += 1) {
        await client.query('savepoint execution');
        await client.query(query);
        await client.query('rollback to savepoint execution');
      }
    } catch (reason) {
      const { message } = asError(reason);
      // A constraint violation by the made-up row also shows that a node executed the statement.
      if (!message.includes(' violates ')) refusal = message;
    }
    const shards = this.#countShards();
    await client.query('rollback');
    return { refusal, shards };
  }

  /** Locks the head row of the shop's feed until the session ends. */
  async lockHead(): Promise<void> {
    await this.#client.query('begin');
    await this.#client.query('select from feed_head where shop_id = $1 for update', [this.shopId]);
  }

  async #makeValues(text: string): Promise<string[]> {
    await this.#client.query(`prepare a as ${text}`);
    const { rows } = await this.#client.query<{ types: readonly string[] }>(
      `select parameter_types::text[] as types from pg_prepared_statements where name = 'a'`,
    );
    await this.#client.query('deallocate a');
    return (rows[0]?.types ?? []).map((type) => {
      const value = VALUES[type.replace('[]', '')];
      if (value === undefined) throw new Error(`no value of type ${type}`);
      return type.endsWith('[]') ? `{"${value.replaceAll('\\', '\\\\')}"}` : value;
    });
  }

  #countShards(): number {
    const ranges = this.#sent
      .flatMap((text) => [...text.matchAll(/_(\d{6,})\b/g)].map(([, shard]) => shard ?? ''))
      .flatMap((shard) => this.#ranges.get(shard) ?? []);
    return new Set(ranges).size;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#client.end();
  }
}
