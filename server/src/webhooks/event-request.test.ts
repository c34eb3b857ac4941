import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe, it } from 'node:test';
import { renderEvent, signRequest } from './event-request.ts';
import { signingKeysOf } from './signature.ts';

const FACTS = {
  shopId: '6e1f5a1c-2b0e-4a53-9a53-0d0a0f1b2c3d',
  connectionId: '11111111-2222-4333-8444-555555555555',
  occurredAt: new Date('2026-03-01T04:05:06.070Z'),
};
const NEWEST = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwWmYx1vYkS2g=';
const PREVIOUS = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=';
const EVENT_ID = '0b8a4a2e-54f0-4f62-a1d0-7d9b1a2f3c4d';

describe('an event (spec 6)', () => {
  it('an event is compact JSON with exactly four members', () => {
    assert.equal(
      renderEvent(FACTS).toString(),
      `{"type":"inventory.changed","tenantId":"${FACTS.shopId}","connectionId":"${FACTS.connectionId}",` +
        '"occurredAt":"2026-03-01T04:05:06.070Z"}',
    );
  });

  it('an event has a signature of timestamp, dot and body with the whole secret string as key', () => {
    const body = renderEvent(FACTS);
    const { headers, url } = sign([NEWEST]);
    const timestamp = headers['X-Service-Timestamp'];
    // Seconds are truncated, so that the timestamp is never ahead of the attempt.
    assert.equal(timestamp, '1772337910');
    const hex = createHmac('sha256', NEWEST)
      .update(`${timestamp}.${body.toString()}`)
      .digest('hex');
    assert.equal(headers['X-Service-Signature'], `v1=${hex}`);
    assert.equal(url, 'https://app.example/hook');
  });

  it('an event has headers for event id, attempt, content type, sender and signatures, and no others', () => {
    const { headers } = sign([NEWEST]);
    assert.deepEqual(Object.keys(headers), [
      'content-type',
      'user-agent',
      'X-Service-Timestamp',
      'X-Service-Signature',
      'X-Service-Event-Id',
      'X-Service-Attempt',
      'webhook-id',
      'webhook-timestamp',
      'webhook-signature',
    ]);
    assert.equal(headers['content-type'], 'application/json');
    assert.match(headers['user-agent'] ?? '', /^Cardport\/\d+\.\d+\.\d+$/);
    assert.equal(headers['X-Service-Event-Id'], EVENT_ID);
    assert.equal(headers['X-Service-Attempt'], '3');
    assert.equal(headers['webhook-id'], EVENT_ID);
    assert.equal(headers['webhook-timestamp'], headers['X-Service-Timestamp']);
    assert.ok(!JSON.stringify(headers).includes('whsec_'));
  });

  it('an event has one X-Service-Signature and two Standard Webhooks signatures if two secrets are valid', () => {
    const one = sign([NEWEST]).headers;
    const two = sign([NEWEST, PREVIOUS]).headers;
    assert.equal(two['X-Service-Signature'], one['X-Service-Signature']);
    const previous = sign([PREVIOUS]).headers['webhook-signature'];
    assert.equal(two['webhook-signature'], `${one['webhook-signature']} ${previous}`);
    assert.match(two['webhook-signature'] ?? '', /^v1,[A-Za-z0-9+/]{43}= v1,[A-Za-z0-9+/]{43}=$/);
  });
});

function sign([newest, ...previous]: readonly [string, ...string[]]): ReturnType<
  typeof signRequest
> {
  return signRequest({
    url: 'https://app.example/hook',
    body: renderEvent(FACTS),
    eventId: EVENT_ID,
    attempt: 3,
    keys: [signingKeysOf(newest), ...previous.map(signingKeysOf)],
    at: new Date('2026-03-01T04:05:10.999Z'),
  });
}
