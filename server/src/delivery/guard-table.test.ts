import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type DnsServer, startDnsServer } from '../../test/dns-server.ts';
import { INTERNAL_ADDRESSES } from '../../test/internal-addresses.ts';
import { type Listener, signedRequestTo, startCanary, startReceiver } from '../../test/receiver.ts';
import type { AttemptResult } from '../webhooks/attempt.ts';
import { type GuardedSenderOptions, openGuardedSender } from './guarded-sender.ts';
import { resolveHost } from './resolve-host.ts';

/** A public address. No test here connects to it. */
const PUBLIC = '93.184.215.14';
const PUBLIC_IPV6 = '2606:4700:4700::1111';

describe('internal addresses (decision 0103)', () => {
  let canary: Listener;
  let other: Listener | undefined;
  let dns: DnsServer;

  before(async () => {
    canary = await startCanary('127.0.0.1');
    // A machine without IPv6 cannot listen on ::1.
    other = await startCanary('::1', canary.port).catch(() => undefined);
    dns = await startDnsServer();
  });

  after(async () => {
    await canary[Symbol.asyncDispose]();
    await other?.[Symbol.asyncDispose]();
    await dns[Symbol.asyncDispose]();
  });

  async function send(
    url: string,
    options: Partial<GuardedSenderOptions> = {},
  ): Promise<AttemptResult> {
    const sender = openGuardedSender({
      allowsLoopback: false,
      resolve: async (host, signal) => await resolveHost(host, signal, [dns.address]),
      ...options,
    });
    try {
      return await sender.send(signedRequestTo(url), new AbortController().signal);
    } finally {
      await sender.close();
    }
  }

  function requireUntouched(result: AttemptResult, error: string, what: string): void {
    assert.equal(result.kind === 'failed' ? result.error : result.kind, error, what);
    assert.equal(canary.connections + (other?.connections ?? 0), 0, what);
  }

  it('internal addresses are refused in at least 60 spellings, without a DNS query', async () => {
    assert.ok(INTERNAL_ADDRESSES.length >= 60);
    assert.equal(
      new Set(INTERNAL_ADDRESSES.map(({ host }) => host)).size,
      INTERNAL_ADDRESSES.length,
    );
    for (const { host, why } of INTERNAL_ADDRESSES) {
      for (const scheme of ['https', 'http']) {
        const url = `${scheme}://${host}:${canary.port}/hook`;
        requireUntouched(await send(url), 'blocked_address', `${why}: ${url}`);
      }
    }
    assert.deepEqual(dns.questions, []);
  });

  it('a host name that resolves to an internal address by any type of DNS record is refused', async () => {
    dns.set('a.test', { a: ['127.0.0.1'] });
    dns.set('aaaa.test', { aaaa: ['::1'] });
    dns.set('mapped.test', { aaaa: ['::ffff:127.0.0.1'] });
    dns.set('nat64.test', { aaaa: ['64:ff9b::7f00:1'] });
    dns.set('metadata.test', { a: ['169.254.169.254'] });
    dns.set('azure.test', { a: ['168.63.129.16'] });
    dns.set('mixed.test', { a: [PUBLIC, '10.0.0.1'] });
    dns.set('families.test', { a: [PUBLIC], aaaa: ['fd00:ec2::254'] });
    dns.set('other-family.test', { a: ['192.168.0.1'], aaaa: [PUBLIC_IPV6] });
    dns.set('alias.test', { cname: 'a.test' });
    dns.set('far-alias.test', { cname: 'alias.test' });
    dns.set('many.test', { a: [...Array.from({ length: 20 }, () => PUBLIC), '127.0.0.1'] });
    for (const name of [
      'a.test',
      'aaaa.test',
      'mapped.test',
      'nat64.test',
      'metadata.test',
      'azure.test',
      'mixed.test',
      'families.test',
      'other-family.test',
      'alias.test',
      'far-alias.test',
      'many.test',
      'a.test.',
      'A.TEST',
    ]) {
      const url = `https://${name}:${canary.port}/hook`;
      requireUntouched(await send(url), 'blocked_address', url);
      // Allowing literal loopback hosts does not allow names that resolve to loopback.
      requireUntouched(await send(url, { allowsLoopback: true }), 'blocked_address', url);
    }
  });

  it('internal addresses, host names without an address and http URLs with a host name are refused', async () => {
    dns.set('empty.test', {});
    for (const name of ['empty.test', 'unknown.test', 'inward', 'metadata.google.internal']) {
      const url = `https://${name}:${canary.port}/hook`;
      requireUntouched(await send(url), 'dns', url);
    }
    const plain = `http://a.test:${canary.port}/hook`;
    requireUntouched(await send(plain, { allowsLoopback: true }), 'blocked_address', plain);
    // An http URL with a host name is refused even if the name resolves to an allowed address.
    const allowed = {
      resolve: async () => await Promise.resolve(['127.0.0.1']),
      isAllowedAddress: () => true,
    };
    requireUntouched(await send(plain, allowed), 'blocked_address', plain);
    for (const url of [
      '',
      'hook',
      'ftp://127.0.0.1/',
      'file:///etc/passwd',
      'https://[fe80::1%25lo]/',
    ]) {
      requireUntouched(await send(url, { allowsLoopback: true }), 'blocked_address', url);
    }
  });

  it('an internal address is refused even if the host name had an allowed address before (DNS rebinding)', async () => {
    await using receiver = await startReceiver((_, response) => {
      response.writeHead(200, { connection: 'close' }).end();
    });
    // In this test 127.0.0.1 is the only allowed address, in place of a public one, so that the
    // first attempt can connect.
    const addresses = [['127.0.0.1'], ['127.0.0.2', '127.0.0.1'], ['::1']];
    let asked = 0;
    const sender = openGuardedSender({
      allowsLoopback: false,
      resolve: async () => await Promise.resolve(addresses[asked++] ?? []),
      isAllowedAddress: (address) => address === '127.0.0.1',
    });
    const url = `https://rebinding.test:${receiver.port}/`;
    const errors: string[] = [];
    for (let notice = 0; notice < 3; notice++) {
      const result = await sender.send(signedRequestTo(url), new AbortController().signal);
      errors.push(result.kind === 'failed' ? result.error : result.kind);
    }
    await sender.close();
    // The first attempt fails in the TLS handshake, because the receiver does not speak TLS.
    assert.deepEqual(errors, ['tls', 'blocked_address', 'blocked_address']);
    assert.equal(asked, 3);
    assert.equal(receiver.connections, 1);
  });

  it('a connection is refused if its peer is not a checked address', async () => {
    await using reached = await startCanary('127.0.0.1');
    // A connection to 0.0.0.0 reaches this machine. The address guard is switched off here, so only
    // the check of the peer address can refuse the connection.
    const result = await send(`https://blind.test:${reached.port}/`, {
      resolve: async () => await Promise.resolve(['0.0.0.0']),
      isAllowedAddress: () => true,
    });
    assert.equal(result.kind === 'failed' ? result.error : result.kind, 'blocked_address');
  });

  it('a redirect does not reach an internal address', async () => {
    const hosts = ['127.0.0.1', '[::1]', 'localhost', '169.254.169.254', '[::ffff:7f00:1]'];
    for (const status of [301, 302, 303, 307, 308]) {
      for (const host of hosts) {
        const location = `http://${host}:${canary.port}/`;
        await using receiver = await startReceiver((_, response) => {
          response.writeHead(status, { location }).end();
        });
        const url = `http://127.0.0.1:${receiver.port}/`;
        requireUntouched(await send(url, { allowsLoopback: true }), 'redirect', location);
      }
    }
  });
});
