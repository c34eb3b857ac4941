import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { newSecret } from '../../base/secrets.ts';
import { carryOnce, forgetOnce, readOnce } from './shown-once.ts';

const PATH = '/console/shops/kumo/apps/app_1/secret';
const NOW = new Date('2026-06-01T12:00:00.000Z');

describe('a secret that is shown once (decision 0200)', () => {
  const sessionSecret = newSecret('cpw');
  const secret = newSecret('cps');
  const [cookie = ''] = carryOnce({ sessionSecret, now: NOW }, PATH, secret, true).split(';');
  const read = (change: {
    path?: string;
    session?: string;
    afterMs?: number;
    line?: string;
  }): string | null =>
    readOnce(
      {
        sessionSecret: change.session ?? sessionSecret,
        now: new Date(NOW.getTime() + (change.afterMs ?? 0)),
        request: { headers: { cookie: `a=b; ${change.line ?? cookie}` } },
      },
      change.path ?? PATH,
    );

  it('is read by its page for 120 s, and not a millisecond longer', () => {
    assert.equal(read({}), secret);
    assert.equal(read({ afterMs: 120_000 }), secret);
    assert.equal(read({ afterMs: 120_001 }), null);
  });

  it('is read by no other page and no other sign-in, and not when it was altered', () => {
    assert.equal(read({ path: `${PATH}2` }), null);
    assert.equal(read({ session: newSecret('cpw') }), null);
    assert.equal(read({ line: `${cookie.slice(0, -2)}AA` }), null);
    assert.equal(read({ line: 'cardport_once=' }), null);
    assert.equal(read({ line: 'other=1' }), null);
  });

  it('is told to nobody else, and taken away by a cookie of the same path', () => {
    const line = carryOnce({ sessionSecret, now: NOW }, PATH, secret, true);
    assert.match(line, /; Max-Age=120; HttpOnly; SameSite=Strict; Secure$/);
    assert.ok(!line.includes(secret));
    assert.equal(
      forgetOnce(PATH, true),
      `cardport_once=; Path=${PATH}; Max-Age=0; HttpOnly; SameSite=Strict; Secure`,
    );
  });
});
