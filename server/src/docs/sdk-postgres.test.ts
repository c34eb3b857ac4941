import assert from 'node:assert/strict';
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import {
  memoryTokenStore,
  openPartnerApp,
  type Shop,
  type TransactionTarget,
} from '@cardport/client';
import pg from 'pg';
import { temporaryFolder } from '../../test/cardport.ts';
import { findBlocks } from '../../test/docs-blocks.ts';
import { openTestDatabase } from '../../test/test-database.ts';

const ROOT = new URL('../../..', import.meta.url);

interface Recipe {
  readonly postgresStock: (pool: pg.Pool, shop: string) => TransactionTarget<pg.PoolClient>;
}

/** A feed with two records per page: `a` to `e` until the shop is restored, then `a` to `c`. */
interface Feed {
  isRestored: boolean;
  /** Called before the response with a page. */
  onPage: (cursor: string | null) => Promise<void>;
  readonly shop: Shop;
}

async function openFeed(): Promise<Feed> {
  const tokens = memoryTokenStore();
  const accessExpiresAt = '2126-01-01T00:00:00.000Z';
  await tokens.save('s', { accessToken: 'cpa_0', accessExpiresAt, refreshToken: null, scope: '' });
  const app = openPartnerApp({
    baseUrl: 'https://cards.example/partner/v1',
    authUrl: 'https://cards.example/auth',
    clientId: 'app_1',
    clientSecret: 'cps_1',
    redirectUri: 'https://app.example/callback',
    tokens,
    fetch: async (url) => {
      const cursor = new URL(url).searchParams.get('cursor');
      await feed.onPage(cursor);
      const [epoch, ids] = feed.isRestored ? ['r', 'abc'] : ['o', 'abcde'];
      if (cursor !== null && !cursor.startsWith(epoch)) {
        return Response.json({ error: 'cursor_expired' }, { status: 410 });
      }
      const from = Number(cursor?.slice(1) ?? 0);
      const changes = [...ids].slice(from, from + 2).map((id) => ({
        kind: 'unit',
        id,
        changedAt: accessExpiresAt,
        data: { id, name: '星' },
      }));
      const at = from + changes.length;
      return Response.json({ changes, nextCursor: `${epoch}${at}`, hasMore: at < ids.length });
    },
  });
  const feed: Feed = { isRestored: false, onPage: async () => undefined, shop: app.shop('s') };
  return feed;
}

describe('the recipe for PostgreSQL in the SDK guide', () => {
  it('the recipe stores whole pages, removes objects that a restored shop lacks, and ignores a repeated page', async () => {
    await using base = await openTestDatabase();
    using folder = temporaryFolder();
    const text = findBlocks(readFileSync(new URL('docs/sdk.md', ROOT), 'utf8')).find(
      ({ options }) => options.get('file') === 'postgres-stock.ts',
    )?.text;
    assert.ok(text !== undefined);
    const file = join(folder.path, 'postgres-stock.ts');
    writeFileSync(file, text);
    symlinkSync(new URL('node_modules', ROOT), join(folder.path, 'node_modules'));
    const recipe = (await import(pathToFileURL(file).href)) as Recipe;
    const pool = new pg.Pool({ connectionString: base.url, max: 2 });
    try {
      for (const [, statement = ''] of text.matchAll(/`(create table [^`]+)`/g)) {
        await pool.query(statement);
      }
      await pool.query(`insert into progress values ('s', null)`);
      const feed = await openFeed();
      const stock = recipe.postgresStock(pool, 's');
      const held = async (): Promise<string> => {
        const { rows } = await pool.query<{ id: string }>('select id from record order by id');
        return rows.map(({ id }) => id).join('');
      };
      assert.deepEqual([(await feed.shop.sync(stock)).changes, await held()], [5, 'abcde']);
      feed.isRestored = true;
      assert.deepEqual([(await feed.shop.sync(stock)).restarts, await held()], [1, 'abc']);
      // Another process saves a newer cursor while this process reads its page.
      await pool.query(`update progress set cursor = 'r0'`);
      feed.onPage = async (cursor) => {
        if (cursor === 'r0') await pool.query(`update progress set cursor = 'r3'`);
      };
      assert.equal((await feed.shop.sync(stock)).changes, 0);
      assert.equal(await stock.load(), 'r3');
    } finally {
      await pool.end();
    }
  });
});
