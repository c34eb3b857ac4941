import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openTestDatabase } from '../../test/test-database.ts';
import { bytesStatement } from './bytes-statement.ts';
import { statement } from './statement.ts';

interface BytesRow {
  readonly position: number;
  readonly nothing: Buffer | null;
  readonly text: Buffer;
}

const selectBytes = bytesStatement<BytesRow>(
  'test_bytes',
  `select n * 9007199254740991 as position, null::text as nothing, repeat($1, $2::int) as text
  from generate_series(-1, 1, 2) n`,
);
const selectText = statement<{ readonly text: string; readonly at: Date }>(
  'test_text',
  `select repeat($1, $2::int) as text, '2026-06-01T12:00:00Z'::timestamptz as at`,
);
const selectUnknownType = bytesStatement('test_unknown_type', 'select true as flag');

const LONG = '蒼天竜𠮷"\\';

describe('a statement with rows as bytes', () => {
  it('a statement with rows as bytes returns texts of any length as UTF-8 bytes, and integers as numbers', async () => {
    await using base = await openTestDatabase();
    for (const times of [0, 1, 100_000]) {
      const rows = await base.db.query(selectBytes, [LONG, times]);
      const text = Buffer.from(LONG.repeat(times));
      assert.deepEqual(
        rows.map((row) => ({ ...row, text: row.text.equals(text) })),
        [-1, 1].map((n) => ({ position: n * Number.MAX_SAFE_INTEGER, nothing: null, text: true })),
      );
    }
  });

  it('a statement with rows as bytes and other statements on its connection do not affect each other', async () => {
    await using base = await openTestDatabase();
    await base.db.transaction(async (tx) => {
      const [row] = await tx.query(selectBytes, [LONG, 50_000]);
      const other = await tx.one(selectText, ['月', 100_000]);
      assert.equal(other?.text, '月'.repeat(100_000));
      assert.equal(other?.at.toISOString(), '2026-06-01T12:00:00.000Z');
      assert.ok(row?.text.equals(Buffer.from(LONG.repeat(50_000))));
    });
  });

  it('a statement with a column of another type fails, and the connection survives', async () => {
    await using base = await openTestDatabase();
    await base.db.transaction(async (tx) => {
      await assert.rejects(tx.query(selectUnknownType), /column of type 16/);
      assert.equal((await tx.one(selectText, ['a', 1]))?.text, 'a');
    });
  });
});
