import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import pg from 'pg';
import { openTestDatabase } from '../../test/test-database.ts';
import { binaryResultFormat, receiveRowsAsBytes } from './pg-row-bytes.ts';

/** Selects a number whose bytes are not valid UTF-8, a text, and null. */
const QUERY = {
  // PostgreSQL uses the binary format only for prepared statements.
  name: 'bytes',
  text: `select 1000 as number, '蒼天竜' as text, null::text as nothing`,
  ...binaryResultFormat(() => (value) => value),
};
const NUMBER = Buffer.from([0, 0, 0x03, 0xe8]);

describe('binary rows from pg', () => {
  it('binary rows are returned as the bytes that the server sent, while other rows are decoded', async () => {
    await using base = await openTestDatabase();
    const client = new pg.Client({ ...base.engine.clientConfig(), pipeline: true });
    receiveRowsAsBytes(client);
    await client.connect();
    const bytes = { number: NUMBER, text: Buffer.from('蒼天竜'), nothing: null };
    const [before, binary, behind] = await Promise.all([
      client.query('select 1 as n, $1::text as text', ['蒼']),
      client.query(QUERY),
      client.query('select 2 as n'),
    ]);
    assert.deepEqual(before.rows, [{ n: 1, text: '蒼' }]);
    assert.deepEqual(binary.rows, [bytes]);
    assert.deepEqual(behind.rows, [{ n: 2 }]);
    await client.end();
  });

  it('binary rows are corrupted without the patch; when this test fails, remove the patch', async () => {
    await using base = await openTestDatabase();
    const client = new pg.Client(base.engine.clientConfig());
    await client.connect();
    const { rows } = await client.query<{ readonly number: Buffer }>(QUERY);
    assert.notDeepEqual(rows[0]?.number, NUMBER);
    await client.end();
  });

  it('receiveRowsAsBytes throws if `attachListeners` does not exist', () => {
    const client = new pg.Client();
    Reflect.set(client.connection, 'attachListeners', undefined);
    assert.throws(() => receiveRowsAsBytes(client), /attaches its parser in a different way/);
  });
});
