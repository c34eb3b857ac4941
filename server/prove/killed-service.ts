// The real service as a child process that kills itself (SIGKILL) at a chosen step of its next token request.
import { migrate } from '../src/database/migrate.ts';
import { statement } from '../src/database/statement.ts';
import { startService } from '../src/service.ts';
import { openStore } from '../src/store.ts';
import { seedShop, testConfig } from '../test/service.ts';
import { FusedDatabase } from './fused-database.ts';

/** What the parent says: seed a shop, count every refresh token there ever was, or die at the n-th step from now (0: live). */
export type Order =
  | { readonly kind: 'count' }
  | { readonly kind: 'seed'; readonly redirectUri: string }
  | { readonly kind: 'arm'; readonly step: number };

/** Counts the steps, whichever they are. */
class CountingFuse {
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
const fuse = new CountingFuse();
await startService(config, {
  store: {
    engine: store.engine,
    db: new FusedDatabase(store.db, fuse),
    secretKey: store.secretKey,
  },
  // Its looks would be counted among the steps of the request.
  delivers: false,
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
