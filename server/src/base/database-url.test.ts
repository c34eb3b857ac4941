import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import pg from 'pg';
import { DatabaseUrlError, splitHosts } from './database-url.ts';

/** Returns the host, port, user, password and database with which `pg` would connect. */
function targetsOf(url: string): readonly string[] {
  return splitHosts(url).map((connectionString) => {
    const { host, port, user, password, database } = new pg.Client({ connectionString });
    return [host, port, user, password, database].join(' ');
  });
}

describe('a database address with several hosts', () => {
  for (const [url, targets] of [
    [
      'postgres://u:p@h1:5432,h2:5433/db?target_session_attrs=read-write',
      ['h1 5432 u p db', 'h2 5433 u p db'],
    ],
    ['postgresql://u:p@h1,h2/db', ['h1 5432 u p db', 'h2 5432 u p db']],
    [
      'postgres://u:p@[::1]:5440,[fe80::2],10.0.0.1:1/db',
      ['::1 5440 u p db', 'fe80::2 5432 u p db', '10.0.0.1 1 u p db'],
    ],
    ['postgres://u%40x:p%2C%2F@h1,h2/d%20b', ['h1 5432 u@x p,/ d b', 'h2 5432 u@x p,/ d b']],
    [
      'postgres://u:p@%2Frun%2Fone,%2Frun%2Ftwo/db',
      ['/run/one 5432 u p db', '/run/two 5432 u p db'],
    ],
    [
      'postgres:///db?host=/run/one,/run/two&port=1,2&user=u&password=p',
      ['/run/one 1 u p db', '/run/two 2 u p db'],
    ],
    ['postgres:///db?host=a,b&port=7&user=u&password=p', ['a 7 u p db', 'b 7 u p db']],
    ['postgres://u:p@h1/db', ['h1 5432 u p db']],
  ] as const) {
    it(`is split into one address per host: ${url}`, () =>
      assert.deepEqual(targetsOf(url), targets));
  }

  it('keeps the other options for each host', () => {
    for (const url of splitHosts('postgres://u:p@h1,h2/db?sslmode=no-verify&application_name=x')) {
      assert.equal(new URL(url).search, '?sslmode=no-verify&application_name=x');
    }
  });

  for (const [url, words] of [
    ['mysql://u:hunter2@h/db', /must begin with postgres:\/\//],
    ['postgres://u:hunter2@h1,,h2/db', /an empty host name/],
    ['postgres://u:hunter2@h1,/db', /an empty host name/],
    ['postgres://u:hunter2@h1:99999,h2/db', /must look like/],
    ['postgres://u:hunter2@h1:x/db', /must look like/],
    ['postgres://u:hunter2@::1,h2/db', /must look like/],
    ['postgres:///db?host=a,b,c&port=1,2&password=hunter2', /one port for/],
    ['postgres://u:hunter2@h1,h2/db?target_session_attrs=standby', /target_session_attrs/],
    ['postgres://u:hunter2@h1/db?target_session_attrs=read-only', /target_session_attrs/],
    ['postgres://u:hunter2@h1/db?target_session_attrs=prefer-standby', /target_session_attrs/],
  ] as const) {
    it(`is refused with an error that does not show the password: ${url}`, () => {
      assert.throws(
        () => splitHosts(url),
        (error) =>
          error instanceof DatabaseUrlError &&
          words.test(error.message) &&
          !error.message.includes('hunter2'),
      );
    });
  }

  for (const attributes of ['read-write', 'primary', 'any']) {
    it(`may have target_session_attrs=${attributes}`, () => {
      assert.equal(splitHosts(`postgres://h1,h2/db?target_session_attrs=${attributes}`).length, 2);
    });
  }
});
