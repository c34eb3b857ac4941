import { createHash } from 'node:crypto';
import { registerApp } from '../../server/src/apps/app.ts';
import { SCOPES } from '../../server/src/apps/scope.ts';
import { hashSecret } from '../../server/src/base/secrets.ts';
import type { Database } from '../../server/src/database/database.ts';
import { statement } from '../../server/src/database/statement.ts';
import { saveArtifact } from '../../server/src/approvals/artifact.ts';
import { addressesOf } from '../../server/src/oauth/addresses.ts';
import { issueTokens } from '../../server/src/oauth/issue-tokens.ts';
import { loadSigningKey } from '../../server/src/oauth/signing-key.ts';
import { addMember } from '../../server/src/shops/member.ts';
import { createShop } from '../../server/src/shops/shop.ts';
import { BENCH_SECRET_KEY } from '../harness/service.ts';
import { OPERATOR } from '../../server/src/shops/audit.ts';

/**
 * The public origin of all measured authorization servers, to which tokens are bound. It is
 * independent of the servers' ports.
 */
export const CHAINS_PUBLIC_URL = 'http://127.0.0.1:39999';
export const CHAINS_REDIRECT_URI = 'https://app.example/callback';
/** The PKCE code verifier for every code (RFC 7636 §4.1). */
export const CHAINS_VERIFIER = 'a-verifier-of-measurements-43-letters-or-more';

/** An app with one approval, and its chain of refresh tokens: each refresh uses the newest one. */
export interface TokenChain {
  readonly clientId: string;
  readonly clientSecret: string;
  /** Authorization codes that have not been exchanged yet. */
  readonly codes: readonly string[];
  refreshToken: string;
}

/** The lifetime of the codes, which is longer than any measurement. */
const CODE_LIFETIME_MS = 3_600_000;

/** Creates `chains` chains, each with its own shop, member and app, and with codes to exchange. */
export async function seedChains(
  db: Database,
  name: string,
  chains: number,
  codesEach: number,
): Promise<TokenChain[]> {
  const created: TokenChain[] = [];
  // All measured servers must sign with the same key.
  await loadSigningKey(db, BENCH_SECRET_KEY, new Date());
  for (let at = 0; at < chains; at++) created.push(await seedChain(db, `${name}-${at}`, codesEach));
  return created;
}

async function seedChain(db: Database, slug: string, codesEach: number): Promise<TokenChain> {
  const now = new Date();
  const { shop, app, secret, accountId } = await db.transaction(async (tx) => {
    const shop = await createShop(tx, { name: slug, slug, currency: 'JPY' }, now);
    if (shop.kind !== 'created') throw new Error(shop.kind);
    const person = { email: `${slug}@cards.example`, name: '雲野 花', passwordHash: 'none' };
    const member = { ...person, permissions: ['purchases.read' as const] };
    const added = await addMember(tx, shop.shop.id, member, now, OPERATOR);
    if (added.kind !== 'added') throw new Error(added.kind);
    const app = { name: 'Stock Mirror', contactEmail: null, sharesCost: false };
    const redirectUris = [CHAINS_REDIRECT_URI];
    const registered = await registerApp(
      tx,
      shop.shop.id,
      { ...app, redirectUris, scopes: SCOPES },
      now, OPERATOR
    );
    if (registered.kind !== 'registered') throw new Error(registered.kind);
    const { app: made, secret } = registered;
    return { shop: shop.shop, app: made, secret, accountId: added.member.account.id };
  });
  const { clientId } = app;
  const request = { shopId: shop.id, clientId, accountId, scopes: SCOPES };
  const clock = { now: () => new Date() };
  const context = { db, clock, publicUrl: CHAINS_PUBLIC_URL, secretKey: BENCH_SECRET_KEY };
  const issued = await issueTokens(context, request);
  if (issued.kind !== 'issued' || issued.refreshToken === null) throw new Error(issued.kind);
  const codes = Array.from({ length: codesEach }, (_, code) => codeOf(slug, code));
  const source = { shopId: shop.id, clientId, accountId, refreshToken: issued.refreshToken };
  await saveCodes(db, source, codes);
  return { clientId, clientSecret: secret, codes, refreshToken: issued.refreshToken };
}

/** Returns a code of realistic length that is the same in every run. */
function codeOf(slug: string, at: number): string {
  return `cpc_${createHash('sha256').update(`${slug} ${at}`).digest('hex').slice(0, 43)}`;
}

/** Saves codes for the grant of the refresh token, as the authorization endpoint does. */
async function saveCodes(
  db: Database,
  source: {
    readonly shopId: string;
    readonly clientId: string;
    readonly accountId: string;
    readonly refreshToken: string;
  },
  codes: readonly string[],
): Promise<void> {
  const token = await db.one(selectGrantOfToken, [hashSecret(source.refreshToken)]);
  if (token === undefined) throw new Error('a token that was issued is unknown');
  const nowSeconds = Math.floor(Date.now() / 1_000);
  const payload = {
    iat: nowSeconds,
    exp: nowSeconds + CODE_LIFETIME_MS / 1_000,
    kind: 'AuthorizationCode',
    accountId: source.accountId,
    authTime: nowSeconds,
    clientId: source.clientId,
    grantId: token.grantId,
    codeChallenge: createHash('sha256').update(CHAINS_VERIFIER).digest('base64url'),
    codeChallengeMethod: 'S256',
    redirectUri: CHAINS_REDIRECT_URI,
    resource: addressesOf(CHAINS_PUBLIC_URL).resource,
    scope: SCOPES.join(' '),
    expiresWithSession: false,
  };
  await db.transaction(async (tx) => {
    for (const code of codes) {
      await saveArtifact(tx, source.shopId, {
        model: 'AuthorizationCode',
        hash: hashSecret(code),
        payload,
        grantHash: token.grantHash,
        expiresAt: new Date(Date.now() + CODE_LIFETIME_MS),
      });
    }
  });
}

/**
 * Adds the chains with the numbers `from` to `to`. No measurement uses them; they fill the tables
 * as a busy hour would. Each has a grant, an approval, a valid and a used refresh token, an access
 * token and a stored response.
 */
export async function fillChains(db: Database, from: number, to: number): Promise<void> {
  await db.query(insertIdleArtifacts, [from, to - 1]);
  await db.query(insertIdleApprovals, [from, to - 1]);
  await db.query(insertIdleResponses, [from, to - 1]);
  await db.runScript('analyze oauth_artifact; analyze approval; analyze oauth_answer');
}

export const selectGrantOfToken = statement<{
  readonly grantHash: string;
  readonly grantId: string;
}>(
  'bench_select_grant_of_token',
  `select grant_hash as "grantHash", payload ->> 'grantId' as "grantId"
     from oauth_artifact where model = 'RefreshToken' and id = $1`,
);

export const insertIdleArtifacts = statement(
  'bench_insert_idle_artifacts',
  `with sample as (
     select distinct on (model) model, payload from oauth_artifact
      where model in ('Grant', 'RefreshToken', 'AccessToken') and consumed_at is null
   )
   insert into oauth_artifact (shop_id, model, id, payload, grant_hash, consumed_at, expires_at)
   select f.shop_id, s.model, translate(encode(sha256((s.model || k.kind || n)::bytea), 'base64'), '+/=', '-_'),
          s.payload, translate(encode(sha256(('Grant' || 'live' || n)::bytea), 'base64'), '+/=', '-_'),
          case when k.kind = 'used' then now() end,
          case s.model when 'AccessToken' then now() + interval '900 seconds'
                       when 'RefreshToken' then now() + interval '90 days' end
     from generate_series($1::int, $2::int) n
    cross join (values ('live'), ('used')) k (kind)
     join sample s on k.kind = 'live' or s.model = 'RefreshToken'
    cross join (select shop_id from approval order by shop_id limit 1) f`,
);

export const insertIdleApprovals = statement(
  'bench_insert_idle_approvals',
  `insert into approval (shop_id, approval_id, client_id, account_id, grant_hash, scopes, created_at)
   select a.shop_id, gen_random_uuid(), a.client_id, a.account_id,
          translate(encode(sha256(('Grant' || 'live' || n)::bytea), 'base64'), '+/=', '-_'),
          a.scopes, a.created_at
     from (select * from approval order by shop_id limit 1) a, generate_series($1::int, $2::int) n`,
);

export const insertIdleResponses = statement(
  'bench_insert_idle_answers',
  `insert into oauth_answer (shop_id, request_hash, grant_hash, successor_id, sealed, expires_at)
   select (select shop_id from approval order by shop_id limit 1), sha256(('answer' || n)::bytea),
          translate(encode(sha256(('Grant' || 'live' || n)::bytea), 'base64'), '+/=', '-_'),
          translate(encode(sha256(('RefreshToken' || 'live' || n)::bytea), 'base64'), '+/=', '-_'),
          convert_to(repeat('x', 1500), 'UTF8'), now() + interval '60 seconds'
     from generate_series($1::int, $2::int) n`,
);
