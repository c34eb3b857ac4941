// The real service as a child process that kills itself (SIGKILL) at a chosen step of its next token request.
import { migrate } from '../src/database/migrate.ts';
import type { Database, Queryable, Transaction } from '../src/database/database.ts';
import { type Statement, statement } from '../src/database/statement.ts';
import { startService } from '../src/service.ts';
import { openStore } from '../src/store.ts';
import { seedShop, testConfig } from '../test/service.ts';

/** What the parent says: seed a shop, count every refresh token there ever was, or die at the n-th step from now (0: live). */
export type Order =
  | { readonly kind: 'count' }
  | { readonly kind: 'seed'; readonly redirectUri: string }
  | { readonly kind: 'arm'; readonly step: number };

/** Steps are the instants before and after each statement and each commit. */
class Fuse {
  #left = 0;

  arm(step: number): void {
    this.#left = step;
  }

  async step(): Promise<void> {
    if (this.#left === 0 || --this.#left > 0) return;
    process.kill(process.pid, 'SIGKILL');
    await new Promise(() => {});
  }
}

class FusedQueryable implements Queryable {
  readonly #inner: Queryable;
  readonly #fuse: Fuse;

  constructor(inner: Queryable, fuse: Fuse) {
    this.#inner = inner;
    this.#fuse = fuse;
  }

  async query<Row extends object>(
    statement: Statement<Row>,
    values?: readonly unknown[],
  ): Promise<Row[]> {
    return await this.#around(async () => await this.#inner.query(statement, values));
  }

  async one<Row extends object>(
    statement: Statement<Row>,
    values?: readonly unknown[],
  ): Promise<Row | undefined> {
    return await this.#around(async () => await this.#inner.one(statement, values));
  }

  async count(statement: Statement<object>, values?: readonly unknown[]): Promise<number> {
    return await this.#around(async () => await this.#inner.count(statement, values));
  }

  async #around<T>(ask: () => Promise<T>): Promise<T> {
    await this.#fuse.step();
    const answer = await ask();
    await this.#fuse.step();
    return answer;
  }
}

class FusedTransaction extends FusedQueryable implements Transaction {
  readonly #inner: Transaction;

  constructor(inner: Transaction, fuse: Fuse) {
    super(inner, fuse);
    this.#inner = inner;
  }

  afterCommit(work: () => void): void {
    this.#inner.afterCommit(work);
  }

  announceSoon(message: string): void {
    this.#inner.announceSoon(message);
  }

  keepOnRefusal(): void {
    this.#inner.keepOnRefusal();
  }
}

class FusedDatabase extends FusedQueryable implements Database {
  readonly #inner: Database;
  readonly #fuse: Fuse;

  constructor(inner: Database, fuse: Fuse) {
    super(inner, fuse);
    this.#inner = inner;
    this.#fuse = fuse;
  }

  get engine(): Database['engine'] {
    return this.#inner.engine;
  }

  async transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    const answer = await this.#inner.transaction(async (tx) => {
      const result = await work(new FusedTransaction(tx, this.#fuse));
      await this.#fuse.step();
      return result;
    });
    await this.#fuse.step();
    return answer;
  }

  onAnnounced(handler: (topic: string, payload: string) => void): void {
    this.#inner.onAnnounced(handler);
  }

  poolState(): ReturnType<Database['poolState']> {
    return this.#inner.poolState();
  }

  async script(text: string): Promise<void> {
    await this.#inner.script(text);
  }

  async close(): Promise<void> {
    await this.#inner.close();
  }
}

const countRefreshTokens = statement<{ readonly rows: number }>(
  'prove_count_refresh_tokens',
  `select count(*)::int as rows from oauth_artifact where model = 'RefreshToken'`,
);

function isOrder(message: unknown): message is Order {
  return typeof message === 'object' && message !== null && 'kind' in message;
}

const { PORT = '0', DATABASE_URL, DATA_DIR = '' } = process.env;
const config = testConfig(DATABASE_URL === undefined ? { PORT, DATA_DIR } : { PORT, DATABASE_URL });
const onFault = (error: Error): void => console.error(error);
const store = await openStore(config, { onFault, onDeath: onFault });
await migrate(store.engine);
const fuse = new Fuse();
await startService(config, {
  store: {
    engine: store.engine,
    db: new FusedDatabase(store.db, fuse),
    secretKey: store.secretKey,
  },
});
process.on('message', (order) => {
  if (!isOrder(order)) return;
  if (order.kind === 'arm') {
    fuse.arm(order.step);
    process.send?.({ kind: 'armed' });
    return;
  }
  if (order.kind === 'count') {
    void store.db
      .one(countRefreshTokens)
      .then((row) => process.send?.({ kind: 'counted', ...row }));
    return;
  }
  void seedShop(store, { slug: `shop-${Date.now()}`, redirectUris: [order.redirectUri] }).then(
    (seeded) => process.send?.({ kind: 'seeded', seeded }),
  );
});
process.on('disconnect', () => process.exit(0));
process.send?.({ kind: 'ready' });
