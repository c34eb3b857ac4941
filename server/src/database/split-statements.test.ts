import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { splitStatements } from './split-statements.ts';

describe('splitting a script into statements', () => {
  it('a statement ends at each semicolon outside comments and quotes', () => {
    const script = `
      -- one; two
      create table a (b text default 'x;''y'); -- three;
      select "odd;name" from a;
      create function f() returns int language sql as $body$ select 1; select $1 $body$;
      select 2 - 1`;
    assert.deepEqual(splitStatements(script), [
      `-- one; two\n      create table a (b text default 'x;''y')`,
      `-- three;\n      select "odd;name" from a`,
      'create function f() returns int language sql as $body$ select 1; select $1 $body$',
      'select 2 - 1',
    ]);
  });

  it('empty statements are ignored', () => {
    assert.deepEqual(splitStatements('; ;-- nothing;\n;'), []);
  });
});
