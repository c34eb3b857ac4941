import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import pg from 'pg';
import { openTestDatabase } from '../../test/test-database.ts';
import { binaryResultFormat, receiveRowsAsBytes } from './pg-row-bytes.ts';

/** A query for bytes that are not UTF-8, and for a text that is. */
const QUESTION = {
  // PostgreSQL uses the binary format only for prepared statements.
  name: 'bytes',
  text: `select 1000 as number, '蒼天竜' as text, null::text as nothing`,
  ...binaryResultFormat(() => (value) => value),
};
const NUMBER = Buffer.from([0, 0, 0x03, 0xe8]);

describe('rows of bytes from pg', () => {
  it('are as the server sent them, and other rows of the connection as before', async () => {
    await using base = await openTestDatabase();
    const client = new pg.Client({ ...base.engine.clientConfig(), pipeline: true });
    receiveRowsAsBytes(client);
    await client.connect();
    const bytes = { number: NUMBER, text: Buffer.from('蒼天竜'), nothing: null };
    const [before, binary, behind] = await Promise.all([
      client.query('select 1 as n, $1::text as text', ['蒼']),
      client.query(QUESTION),
      client.query('select 2 as n'),
    ]);
    assert.deepEqual(before.rows, [{ n: 1, text: '蒼' }]);
    assert.deepEqual(binary.rows, [bytes]);
    assert.deepEqual(behind.rows, [{ n: 2 }]);
    await client.end();
  });

  it('are still overwritten by pg itself: when this fails, the patch can be removed', async () => {
    await using base = await openTestDatabase();
    const client = new pg.Client(base.engine.clientConfig());
    await client.connect();
    const { rows } = await client.query<{ readonly number: Buffer }>(QUESTION);
    assert.notDeepEqual(rows[0]?.number, NUMBER);
    await client.end();
  });

  it('are refused when the client is created if `attachListeners` is missing', () => {
    const client = new pg.Client();
    Reflect.set(client.connection, 'attachListeners', undefined);
    assert.throws(() => receiveRowsAsBytes(client), /attaches its parser in a different way/);
  });
});
