import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FormGuard } from './form-guard.ts';

const ORIGIN = 'https://cards.example';

describe('the form guard (CSRF)', () => {
  const guard = new FormGuard(Buffer.alloc(32, 1), ORIGIN);
  const { token, setCookie } = guard.issue(undefined, 'sign in');
  const cookieHeader = setCookie?.split(';')[0];
  const request = { cookieHeader, origin: ORIGIN, fetchSite: 'same-origin' };

  it('the form guard sets an HttpOnly cookie that is bound to the host', () => {
    assert.match(
      setCookie ?? '',
      /^__Host-cardport_form=cpw_[A-Za-z0-9]{43}; Path=\/; Max-Age=43200; HttpOnly; SameSite=Lax; Secure$/,
    );
    assert.equal(guard.issue(cookieHeader, 'sign in').setCookie, null);
    assert.equal(guard.issue(cookieHeader, 'sign in').token, token);
  });

  it('the form guard accepts its own form, even from a browser that sends no origin', () => {
    assert.equal(guard.isValid(request, token, 'sign in'), true);
    const silent = { cookieHeader, origin: undefined, fetchSite: undefined };
    assert.equal(guard.isValid(silent, token, 'sign in'), true);
    assert.equal(guard.isValid({ ...silent, fetchSite: 'none' }, token, 'sign in'), true);
  });

  it('the form guard rejects a wrong token, purpose, cookie, origin or key', () => {
    assert.equal(guard.isValid(request, undefined, 'sign in'), false);
    assert.equal(guard.isValid(request, `${token}x`, 'sign in'), false);
    assert.equal(guard.isValid(request, token, 'interaction x'), false);
    assert.equal(guard.isValid({ ...request, cookieHeader: undefined }, token, 'sign in'), false);
    const other = guard.issue(undefined, 'sign in').setCookie?.split(';')[0];
    assert.equal(guard.isValid({ ...request, cookieHeader: other }, token, 'sign in'), false);
    assert.equal(guard.isValid({ ...request, origin: 'null' }, token, 'sign in'), false);
    assert.equal(
      guard.isValid({ ...request, origin: 'http://cards.example' }, token, 'sign in'),
      false,
    );
    assert.equal(guard.isValid({ ...request, fetchSite: 'same-site' }, token, 'sign in'), false);
    const stranger = new FormGuard(Buffer.alloc(32, 2), ORIGIN);
    assert.equal(stranger.isValid(request, token, 'sign in'), false);
  });
});
