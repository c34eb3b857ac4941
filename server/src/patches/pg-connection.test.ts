import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import pg from 'pg';
import { openTestDatabase } from '../../test/test-database.ts';
import { waitUntil } from '../../test/wait-until.ts';
import {
  setServer,
  destroyConnection,
  isDestroyed,
  watchServerReports,
  withoutClient,
} from './pg-connection.ts';

/** A port on which no server listens. */
const NO_PORT = 1;

describe('the undocumented parts of a pg connection', () => {
  it('destroying `connection.stream` makes pending queries fail with the given error', async () => {
    await using base = await openTestDatabase();
    const client = new pg.Client({ ...base.engine.clientConfig(), pipeline: true });
    const ended = new Promise((resolve) => client.once('end', resolve));
    const faults: Error[] = [];
    client.on('error', (error) => faults.push(error));
    await client.connect();
    const waiting = client.query('select pg_sleep(60)');
    assert.equal(isDestroyed(client), false);
    const reason = new Error('cut');
    destroyConnection(client, reason);
    await assert.rejects(waiting, reason);
    await ended;
    assert.equal(isDestroyed(client), true);
    assert.equal(faults[0], reason);
  });

  it('a client reads its `host` and `port` only when it connects', async () => {
    await using base = await openTestDatabase();
    const {
      host,
      port,
      user = '',
      password = '',
      database = '',
    } = new pg.Client(base.engine.clientConfig());
    const client = new pg.Client({ host: '127.0.0.1', port: NO_PORT, user, password, database });
    setServer(client, { host, port });
    await client.connect();
    await client.end();
  });

  it('`connection` emits the server messages `parameterStatus` and `errorMessage`', async () => {
    await using base = await openTestDatabase();
    const client = new pg.Client(base.engine.clientConfig());
    const parameters = new Map<string, string>();
    const codes: (string | undefined)[] = [];
    watchServerReports(client, {
      onParameter: (name, value) => parameters.set(name, value),
      onError: (code) => codes.push(code),
    });
    await client.connect();
    assert.equal(parameters.get('in_hot_standby'), 'off');
    await client.query(`set application_name = 'renamed'`);
    assert.equal(parameters.get('application_name'), 'renamed');
    await assert.rejects(client.query('select 1 / 0'));
    assert.deepEqual(codes, ['22012']);
    await client.end();
  });

  it('`pg-pool` attaches the client to the error of an idle connection', async () => {
    await using base = await openTestDatabase();
    const pool = new pg.Pool({ ...base.engine.clientConfig(), max: 1 });
    const faults: Error[] = [];
    pool.on('error', (error) => faults.push(error));
    const { rows } = await pool.query<{ pid: number }>('select pg_backend_pid() as pid');
    const other = new pg.Client(base.engine.clientConfig());
    await other.connect();
    await other.query('select pg_terminate_backend($1::int)', [rows[0]?.pid]);
    await other.end();
    await waitUntil(() => faults.length > 0);
    const [fault] = faults;
    assert.ok(fault !== undefined && 'client' in fault);
    assert.equal('client' in withoutClient(fault), false);
    await pool.end();
  });
});
