// The baseline for token requests: oidc-provider alone on bare node:http, with our configuration
// (lifetimes, rotation, features), storage adapter, tables and signing key, and its own unmodified
// grant handlers.
//
// It lacks our transaction (each statement commits alone, so that a crash in between loses a
// grant), the lock of the grant (two concurrent refreshes both succeed), the queue per token, the
// stored encrypted response, the state of shop and member (it looks up an account by id only), the
// rate limit, failure counts, exact error responses, the form validation, request ids, the access
// log and metrics.
import { createServer } from 'node:http';
import Provider from 'oidc-provider';
import { systemClock } from '../../server/src/base/clock.ts';
import { hashSecret, isSameSecret } from '../../server/src/base/secrets.ts';
import { statement } from '../../server/src/database/statement.ts';
import { createAdapterFactory } from '../../server/src/oauth/adapter.ts';
import { openDatabase } from '../../server/src/database/open-database.ts';
import { postgresqlEngine } from '../../server/src/database/postgresql-engine.ts';
import { addressesOf, AUTH_PATH } from '../../server/src/oauth/addresses.ts';
import { secretHashes } from '../../server/src/oauth/client-metadata.ts';
import { RefreshTokens } from '../../server/src/approvals/refresh-token.ts';
import { GrantStore } from '../../server/src/oauth/grant-store.ts';
import { configurationOf } from '../../server/src/oauth/provider.ts';
import { loadSigningKey } from '../../server/src/oauth/signing-key.ts';
import { findAccount } from '../../server/src/shops/account.ts';

export const markTokenConsumed = statement(
  'bench_mark_consumed',
  `update oauth_artifact
      set consumed_at = $3,
          payload = payload - array['acr', 'amr', 'authTime', 'claims', 'expiresWithSession',
            'iiat', 'nonce', 'rotations', 'sessionUid', 'sid']
    where model = $1 and id = $2 and consumed_at is null`,
);

const [databaseUrl = '', publicUrl = '', secretKey = ''] = process.argv.slice(2);
const onFault = (error: unknown): void => console.error(error);
const db = openDatabase(postgresqlEngine(databaseUrl), { onFault });
const addresses = addressesOf(publicUrl);
const refreshTokens = new RefreshTokens(secretKey);
const store = new GrantStore({ db, clock: systemClock, refreshTokens });
const signingKey = await loadSigningKey(db, secretKey, new Date());
const renderError = async (): Promise<void> => undefined;
const provider = new Provider(addresses.issuer, {
  ...configurationOf({ store, addresses, secretKey, signingKey, renderError }),
  adapter: (model) => {
    const adapter = createAdapterFactory(store)(model);
    // Our adapter marks the token as used in the statement that writes the new token. The library
    // alone needs a separate statement.
    const consume = async (id: string): Promise<void> => {
      await db.query(markTokenConsumed, [model, hashSecret(id), new Date()]);
    };
    return Object.assign(adapter, { consume });
  },
  findAccount: async (_ctx, sub) => {
    const name = (await findAccount(db, sub))?.name;
    return { accountId: sub, claims: () => ({ sub, name }) };
  },
});
provider.Client.prototype.compareClientSecret = function compare(secret: string): boolean {
  const hash = hashSecret(secret);
  return secretHashes(this).some((known) => isSameSecret(known, hash));
};
provider.on('server_error', (_ctx, error) => onFault(error));

const callback = provider.callback();
const server = createServer((request, response) => {
  // Set both URLs, as a server does that mounts the library below a path. The library compares them
  // to find that path.
  Reflect.set(request, 'originalUrl', request.url);
  request.url = request.url?.slice(AUTH_PATH.length) ?? '';
  void callback(request, response);
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  console.log(`ready http://127.0.0.1:${address.port}`);
});
process.once('SIGTERM', () => process.exit(0));
