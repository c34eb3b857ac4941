import assert from 'node:assert/strict';
import { it } from 'node:test';
import { onEachEngine } from '../../test/engines.ts';
import { statement } from './statement.ts';

export const selectNumber = statement<{ n: number }>('test_number', 'select $1::bigint as n');

onEachEngine('the database', (open) => {
  it('returns bigint as number', async () => {
    await using base = await open();
    assert.deepEqual(await base.db.one(selectNumber, [7]), { n: 7 });
  });

  it('refuses its own query inside a transaction', async () => {
    await using base = await open();
    await assert.rejects(
      base.db.transaction(async () => await base.db.query(selectNumber, [1])),
      /inside a transaction/,
    );
  });
});
