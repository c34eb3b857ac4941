import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { formTo, PlainBrowser, SIGN_IN } from '../../test/plain-browser.ts';
import { seedShop, startTestService } from '../../test/service.ts';
import { openTestDatabase } from '../../test/test-database.ts';
import { ManualClock } from '../base/clock.ts';
import { FairQueue } from '../base/fair-queue.ts';
import { CHECK_BOUNDS, queueGroups } from './sign-in.ts';

const ADDRESS = '192.0.2.9';

describe('a stranger in the network of a signed-in person (decision 0213)', () => {
  it('a stranger in the network cannot use up the attempts with which the person confirms the password', async () => {
    await using base = await openTestDatabase();
    await using node = await startTestService(base, {
      clock: new ManualClock(new Date()),
      environment: { RATE_LIMITS: 'default', TRUST_PROXY: '1' },
    });
    const { email, password } = await seedShop(base);
    const headers = { 'x-forwarded-for': ADDRESS };
    const browser = new PlainBrowser(node.url, headers);
    const form = await browser.visit(`${node.url}/signin`);
    await browser.submit(form, formTo(form, SIGN_IN), { email, password });

    const stranger = new PlainBrowser(node.url, headers);
    const { fields } = formTo(await stranger.visit(`${node.url}/signin`), SIGN_IN);
    const cookie = stranger.cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
    for (let guess = 0; guess < 61; guess++) {
      // The password is too long to be hashed, which saves time. Only the counting matters here.
      const body = new URLSearchParams({ ...fields, email, password: 'x'.repeat(2_000) });
      await fetch(`${node.url}/signin`, { method: 'POST', headers: { cookie, ...headers }, body });
    }
    const page = await browser.visit(`${node.url}/console/account/password`);
    const wanted = formTo(page, '/account/password');
    const next = 'a longer sentence of words';
    const answer = await browser.submit(page, wanted, { old: password, new: next, again: next });
    assert.equal(answer.status, 200);
  });
});

describe('many devices of one network (decision 0213)', () => {
  it('many devices of one network leave room in the queue for a device and a person of other networks', () => {
    const queue = new FairQueue<null>(CHECK_BOUNDS);
    const deviceAt = (address: string, id: string): readonly string[] =>
      queueGroups({ email: '', address }, { kind: 'stranger', device: { id, seals: [] } });
    for (let device = 0; device < 64; device++) {
      assert.ok(queue.add(deviceAt(ADDRESS, `device-${device}`), null) !== undefined);
    }
    assert.ok(queue.add(deviceAt('198.51.100.1', 'another'), null) !== undefined);
    const person = { email: 'aki@example.com', address: '203.0.113.1' };
    assert.ok(queue.add(queueGroups(person, { kind: 'signed_in' }), null) !== undefined);
    assert.equal(queue.waiting, 64);
  });
});
