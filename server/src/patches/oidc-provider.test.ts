import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { describe, it } from 'node:test';
import type { Adapter, AdapterPayload, default as Provider } from 'oidc-provider';
import { makeSigningKey } from '../oauth/signing-key.ts';
import {
  setSecretComparison,
  createWrappedProvider,
  setTokenGenerators,
  type WrappedProviderOptions,
} from './oidc-provider.ts';

const GRANT_TYPES = ['authorization_code', 'refresh_token'];
const CLIENT = {
  client_id: 'app',
  client_secret: '-',
  redirect_uris: ['https://app.example/callback'],
  grant_types: GRANT_TYPES,
};

/** Stores payloads in memory. */
class Kept implements Adapter {
  readonly made = new Map<string, AdapterPayload>();
  async upsert(id: string, payload: AdapterPayload): Promise<void> {
    this.made.set(id, payload);
  }
  async find(id: string): Promise<AdapterPayload | undefined> {
    return id === CLIENT.client_id ? CLIENT : this.made.get(id);
  }
  async findByUserCode(): Promise<undefined> {}
  async findByUid(): Promise<undefined> {}
  async consume(): Promise<void> {}
  async destroy(): Promise<void> {}
  async revokeByGrantId(): Promise<void> {}
}

interface Scene {
  readonly provider: Provider;
  readonly adapter: Kept;
  /** The grant types for which the handler was called. */
  readonly answered: readonly string[];
}

async function open(
  more: Partial<Pick<WrappedProviderOptions, 'grantTypes' | 'responseModes'>> = {},
): Promise<Scene> {
  const answered: string[] = [];
  const adapter = new Kept();
  const provider = createWrappedProvider({
    issuer: 'http://127.0.0.1',
    configuration: {
      adapter: () => adapter,
      jwks: { keys: [await makeSigningKey()] },
      cookies: { keys: ['a key of cookies'] },
      scopes: ['openid', 'offline_access'],
      clientAuthMethods: ['client_secret_basic'],
      features: { devInteractions: { enabled: false } },
      ttl: { AccessToken: 60, AuthorizationCode: 60, RefreshToken: 60 },
    },
    grantTypes: GRANT_TYPES,
    handleGrant: async (_ctx, grantType, handle) => {
      answered.push(grantType);
      await handle();
    },
    responseModes: ['query'],
    ...more,
  });
  return { provider, adapter, answered };
}

describe('the internals of oidc-provider', () => {
  it('the constructor registers exactly the expected grant types and response modes', async () => {
    await open();
    await assert.rejects(open({ grantTypes: [...GRANT_TYPES, 'other'] }), /registered/);
    await assert.rejects(open({ responseModes: ['query', 'other'] }), /registered/);
  });

  it('`compareClientSecret` authenticates a client, and our wrapper runs the grant handler', async () => {
    const { provider, answered } = await open();
    const compared: unknown[] = [];
    setSecretComparison(provider, (client, secret) => {
      compared.push(['clientId' in client ? client.clientId : null, secret]);
      return secret === 'right';
    });
    const handle = provider.callback();
    const server = createServer((request, response) => void handle(request, response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('no port');
    const ask = async (secret: string): Promise<unknown> => {
      const answer = await fetch(`http://127.0.0.1:${address.port}/token`, {
        method: 'POST',
        headers: { authorization: `Basic ${btoa(`app:${secret}`)}` },
        body: new URLSearchParams({ grant_type: 'refresh_token', refresh_token: 'none' }),
      });
      const body: unknown = await answer.json();
      return Object(body).error;
    };
    assert.equal(await ask('wrong'), 'invalid_client');
    assert.deepEqual(answered, []);
    assert.equal(await ask('right'), 'invalid_grant');
    assert.deepEqual(answered, ['refresh_token']);
    assert.deepEqual(compared, [
      ['app', 'wrong'],
      ['app', 'right'],
    ]);
    await new Promise((resolve) => server.close(resolve));
  });

  it('`generateTokenId` generates the ids of new codes and tokens', async () => {
    const { provider, adapter } = await open();
    setTokenGenerators(provider, {
      AccessToken: (client) => `access of ${String(Reflect.get(client, 'clientId'))}`,
      AuthorizationCode: (client) => `code of ${String(Reflect.get(client, 'clientId'))}`,
      RefreshToken: () => 'refresh',
    });
    const client = await provider.Client.find(CLIENT.client_id);
    assert.ok(client !== undefined);
    const common = {
      client,
      accountId: 'account',
      grantId: 'grant',
      gty: 'authorization_code',
      scope: 'openid',
    };
    const made = [
      await new provider.AccessToken(common).save(),
      await new provider.AuthorizationCode(common).save(),
      await new provider.RefreshToken(common).save(),
      await new provider.RefreshToken({ ...common, jti: 'given' }).save(),
    ];
    assert.deepEqual(made, ['access of app', 'code of app', 'refresh', 'given']);
    assert.deepEqual([...adapter.made.keys()], made);
  });

  it('setTokenGenerators throws if `generateTokenId` does not exist', async () => {
    const { provider } = await open();
    Reflect.set(provider.AccessToken.prototype, 'generateTokenId', undefined);
    const name = (): string => 'id';
    const makers = { AccessToken: name, AuthorizationCode: name, RefreshToken: name };
    assert.throws(() => setTokenGenerators(provider, makers), /no longer has generateTokenId/);
  });
});
