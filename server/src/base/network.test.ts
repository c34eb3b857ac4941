import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { networkOf } from './network.ts';

describe('the network that a caller is counted by', () => {
  const spellings: Readonly<Record<string, readonly string[]>> = {
    '9.9.9.8': [
      '9.9.9.8',
      '9.9.9.8:1234',
      ' 9.9.9.8',
      '::ffff:9.9.9.8',
      '::ffff:0909:0908',
      '::FFFF:909:908',
      '0:0:0:0:0:ffff:9.9.9.8',
      '[::ffff:9.9.9.8]:65535',
    ],
    '2001:db8:0:1::/64': [
      '2001:db8:0:1::1',
      '2001:0DB8:0000:0001:ffff::2',
      '[2001:db8:0:1::1]',
      '[2001:db8:0:1::1]:443',
      '2001:db8:0:1:1:2:3:4',
      '2001:db8:0:1:1:2:192.0.2.1',
    ],
    'fe80:0:0:0::/64': ['fe80::1%eth0', 'fe80::2', '[fe80::3%2]:80'],
    '0:0:0:0::/64': ['::', '::1'],
    unknown: [
      '',
      'x1',
      'unknown',
      '_hidden',
      '1.2.3',
      '1.2.3.4.5:80',
      '[x]:1',
      '2001:db8::1:99999',
    ],
  };
  for (const [network, addresses] of Object.entries(spellings)) {
    it(`${network} for every spelling`, () => {
      for (const address of addresses) assert.equal(networkOf(address), network, address);
    });
  }

  it('is another one for the next address, and for the next /64', () => {
    assert.notEqual(networkOf('9.9.9.9'), networkOf('9.9.9.8'));
    assert.notEqual(networkOf('2001:db8:0:2::1'), networkOf('2001:db8:0:1::1'));
  });
});
