import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { networkLevels, networkOf } from './network.ts';

describe('the network under which an address is counted', () => {
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
    'fe80:0:0:0::/64': [
      'fe80::1%eth0',
      'fe80::2',
      '[fe80::3%2]:80',
      'fe80::1%br-lan',
      'fe80::1%eth0.100',
    ],
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
    it(`every spelling of an address in ${network} is counted under that network`, () => {
      for (const address of addresses) assert.equal(networkOf(address), network, address);
    });
  }

  it('the next IPv4 address and the next IPv6 /64 are counted under other networks', () => {
    assert.notEqual(networkOf('9.9.9.9'), networkOf('9.9.9.8'));
    assert.notEqual(networkOf('2001:db8:0:2::1'), networkOf('2001:db8:0:1::1'));
  });
});

describe('networkLevels', () => {
  it('networkLevels returns the /48, /56 and /64 of an IPv6 address, the widest first', () => {
    assert.deepEqual(networkLevels('[2001:db8:1:abcd::9]:80'), [
      '2001:db8:1:0::/48',
      '2001:db8:1:ab00::/56',
      '2001:db8:1:abcd::/64',
    ]);
  });

  it('networkLevels returns the /24 of an IPv4 address and the address itself, even in IPv6 notation', () => {
    const levels = ['9.9.9.0/24', '9.9.9.8'];
    assert.deepEqual(networkLevels('9.9.9.8'), levels);
    assert.deepEqual(networkLevels('::ffff:909:908'), levels);
    assert.deepEqual(networkLevels('x1'), ['unknown']);
  });
});
