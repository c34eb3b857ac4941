import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DeviceCookie } from './device-cookie.ts';

const KEY = Buffer.alloc(32, 1);
const HANA = { id: 'a1', passwordHash: 'h1' };

function headerOf(setCookie: string): string {
  return setCookie.split(';')[0] ?? '';
}

describe('the cookie of a device', () => {
  const cookie = new DeviceCookie(KEY, 'https://shop.example');
  const device = cookie.read(headerOf(cookie.set(undefined, HANA)));
  assert.ok(device !== undefined);

  it('the cookie is HttpOnly, not sent by forms of other sites, and kept for 400 days', () => {
    assert.match(
      cookie.set(undefined, HANA),
      /^__Host-cardport_device=\S+; Path=\/; Max-Age=34560000; HttpOnly; SameSite=Lax; Secure$/,
    );
    const plain = new DeviceCookie(KEY, 'http://127.0.0.1:8080').set(undefined, HANA);
    assert.match(plain, /^cardport_device=\S+; Path=\/; Max-Age=34560000; HttpOnly; SameSite=Lax$/);
  });

  it('the cookie identifies its account until the password changes', () => {
    assert.equal(cookie.knows(device, HANA), true);
    assert.equal(cookie.knows(device, { ...HANA, passwordHash: 'h2' }), false);
    assert.equal(cookie.knows(device, { ...HANA, id: 'a2' }), false);
    // A seal is valid only on the device that it was made for.
    const other = cookie.read(headerOf(cookie.set(undefined, { id: 'a2', passwordHash: 'h' })));
    assert.equal(cookie.knows({ id: other?.id ?? '', seals: device.seals }, HANA), false);
  });

  it('one browser remains one device for up to eight accounts', () => {
    let shared = device;
    for (let count = 0; count < 9; count++) {
      const set = cookie.set(shared, { id: `b${count}`, passwordHash: 'h' });
      shared = cookie.read(headerOf(set)) ?? device;
    }
    assert.equal(shared.id, device.id);
    assert.equal(shared.seals.length, 8);
    assert.equal(cookie.knows(shared, { id: 'b8', passwordHash: 'h' }), true);
    assert.equal(cookie.knows(shared, { id: 'b1', passwordHash: 'h' }), true);
    assert.equal(cookie.knows(shared, { id: 'b0', passwordHash: 'h' }), false);
    const again = cookie.read(headerOf(cookie.set(device, HANA)));
    assert.deepEqual(again, device);
  });

  it('the cookie is invalid if another key has signed it, or its id was changed', () => {
    const foreign = new DeviceCookie(Buffer.alloc(32, 2), 'https://shop.example');
    assert.equal(cookie.read(headerOf(foreign.set(undefined, HANA))), undefined);
    const [name = '', value = ''] = headerOf(cookie.set(device, HANA)).split('=');
    const changed = `${value.startsWith('A') ? 'B' : 'A'}${value.slice(1)}`;
    assert.equal(cookie.read(`${name}=${changed}`), undefined);
    for (const text of ['', 'x', device.id, `${value}.short`]) {
      assert.equal(cookie.read(`${name}=${text}`), undefined, text);
    }
  });
});
