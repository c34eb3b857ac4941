import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import pg from 'pg';
import { DatabaseBusy } from './database.ts';
import { toCallerError } from './errors.ts';

/** The errors that Citus 13.2 reports for a killed worker, by SQLSTATE. */
const LOST_WORKER: readonly (readonly [code: string, message: string])[] = [
  [
    '08006',
    'connection to the remote node db2:5432 failed with the following error: Connection refused',
  ],
  [
    'XX000',
    'server closed the connection unexpectedly\n\tThis probably means the server terminated',
  ],
  ['XX000', 'failure on connection marked as essential: db2:5432'],
  ['58030', 'failed to COPY to shard 0 on db2:5432'],
  ['XX000', 'could not commit transaction for shard 0 on at least one active node'],
];

function databaseError(code: string, message: string): pg.DatabaseError {
  return Object.assign(new pg.DatabaseError(message, message.length, 'error'), {
    code,
    severity: 'ERROR',
  });
}

describe('an error of the database', () => {
  for (const [code, message] of LOST_WORKER) {
    it(`an error is temporary if a worker of Citus was lost: ${code} ${message.slice(0, 40)}`, () => {
      assert.ok(toCallerError(databaseError(code, message)) instanceof DatabaseBusy);
    });
  }

  it('an error in the statement itself is passed on unchanged', () => {
    for (const code of ['XX000', '58030', '42601']) {
      const error = databaseError(code, 'the statement is wrong');
      assert.equal(toCallerError(error), error);
    }
  });
});
