import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setAppEnabled } from '../apps/app.ts';
import { removeApp, endConnection, openConnection } from '../connections/connection.ts';
import { endApproval } from '../approvals/approval.ts';
import { setMember } from '../shops/member.ts';
import { PERMISSIONS } from '../shops/permission.ts';
import {
  type PartnerNode,
  type SeedGrantOptions,
  seedGrant,
  seedParty,
  startPartnerNode,
  TEST_METADATA_URL,
  TEST_NOW,
  type TestResponse,
  type TestGrant,
  type TestParty,
} from '../../test/partner.ts';
import { openTestDatabase, type TestDatabase } from '../../test/test-database.ts';
import type { Endpoint } from './endpoint.ts';
import { ENDPOINTS } from './endpoints.ts';
import { OPERATOR } from '../shops/audit.ts';

interface Caller {
  readonly base: TestDatabase;
  readonly party: TestParty;
  readonly grant: TestGrant;
}

interface Expected {
  readonly status: number;
  readonly body: string;
  readonly authenticate: string | null;
}

interface State {
  readonly name: string;
  readonly grant?: SeedGrantOptions;
  readonly scopes?: Parameters<typeof seedParty>[1];
  /** False if the app has not sent POST /connection. */
  readonly isConnected?: boolean;
  readonly prepare?: (caller: Caller) => Promise<void>;
  /** The Authorization header, if it is not the usual one. */
  readonly authorization?: (token: string) => string | null;
  /** Returns undefined if the request passes. */
  readonly expect: (endpoint: Endpoint) => Expected | undefined;
}

const challenge = `Bearer resource_metadata="${TEST_METADATA_URL}"`;

function refused(status: number, code: string): Expected {
  return { status, body: `{"error":"${code}"}`, authenticate: null };
}

const noToken: Expected = { ...refused(401, 'invalid_token'), authenticate: challenge };
const badToken: Expected = { ...noToken, authenticate: `${challenge}, error="invalid_token"` };
const forbidden = refused(403, 'forbidden');
const revoked = refused(403, 'connection_revoked');
const disabled = refused(403, 'client_disabled');

function lacks(scope: string): Expected {
  return {
    status: 403,
    body: `{"error":"insufficient_scope","scope":"${scope}"}`,
    authenticate: `Bearer error="insufficient_scope", scope="${scope}"`,
  };
}

async function disable({ base, party }: Caller): Promise<void> {
  await base.db.transaction(
    async (tx) => await setAppEnabled(tx, party.app.clientId, false, TEST_NOW, OPERATOR),
  );
}

async function endByShop({ base, party }: Caller): Promise<void> {
  const { shop, app } = party;
  await base.db.transaction(
    async (tx) => await endConnection(tx, shop.id, app.clientId, 'shop', TEST_NOW, OPERATOR),
  );
}

async function remove({ base, party }: Caller): Promise<void> {
  await base.db.transaction(
    async (tx) => await removeApp(tx, party.app.clientId, TEST_NOW, OPERATOR),
  );
}

async function deactivate({ base, party }: Caller): Promise<void> {
  await base.db.transaction(
    async (tx) =>
      await setMember(tx, party.shop.id, party.accountId, { isActive: false }, TEST_NOW, OPERATOR),
  );
}

/**
 * The order of checks in decision 0003. In some of these states there are two reasons for a
 * refusal. The conformance suite cannot create the others, or does not try them at every endpoint.
 */
const STATES: readonly State[] = [
  { name: 'Basic', authorization: () => 'Basic YTpi', expect: () => noToken },
  { name: 'Bearer without a token', authorization: () => 'Bearer', expect: () => noToken },
  { name: 'two tokens', authorization: (token) => `Bearer ${token} x`, expect: () => badToken },
  {
    name: 'a token with a comma',
    authorization: (token) => `Bearer ${token},x`,
    expect: () => badToken,
  },
  {
    name: '201 characters',
    authorization: () => `Bearer ${'a'.repeat(201)}`,
    expect: () => badToken,
  },
  {
    name: 'a token in another case',
    authorization: (token) => `Bearer ${token.toUpperCase()}`,
    expect: () => badToken,
  },
  {
    name: 'the scheme in another case',
    authorization: (token) => `bEARER  ${token}`,
    expect: () => undefined,
  },
  { name: 'expired at this very instant', grant: { lifetimeSeconds: 0 }, expect: () => badToken },
  { name: 'expiring in a second', grant: { lifetimeSeconds: 1 }, expect: () => undefined },
  {
    name: 'for another resource',
    grant: { resource: 'https://other.example/partner/v1' },
    expect: () => badToken,
  },
  {
    name: 'for the resource with a slash',
    grant: { resource: 'https://cards.example/partner/v1/' },
    expect: () => badToken,
  },
  {
    name: 'revoked (RFC 7009)',
    prepare: async ({ base, grant }) => {
      await base.db.transaction(
        async (tx) => await endApproval(tx, grant, 'token_revoked', TEST_NOW, OPERATOR),
      );
    },
    expect: () => badToken,
  },
  {
    name: 'app disabled, not connected',
    isConnected: false,
    prepare: disable,
    expect: () => disabled,
  },
  {
    name: 'revoked and disabled: disabled comes first',
    prepare: async (caller) => {
      await endByShop(caller);
      await disable(caller);
    },
    expect: () => disabled,
  },
  { name: 'app removed', prepare: remove, expect: () => revoked },
  {
    name: 'app removed before it connected',
    isConnected: false,
    prepare: remove,
    expect: () => revoked,
  },
  {
    name: 'app disabled, then removed',
    prepare: async (caller) => {
      await disable(caller);
      await remove(caller);
    },
    expect: () => revoked,
  },
  { name: 'member inactive', prepare: deactivate, expect: () => forbidden },
  {
    name: 'member inactive and revoked: revoked comes first',
    prepare: async (caller) => {
      await deactivate(caller);
      await endByShop(caller);
    },
    expect: () => revoked,
  },
  {
    name: 'before POST without a scope: the connection comes first',
    isConnected: false,
    grant: { scope: 'openid' },
    expect: (endpoint) => (endpoint.method === 'POST' ? lacks('purchase-boosts:read') : forbidden),
  },
  {
    name: 'no read scope, of an app that may ask for inventory:read alone',
    scopes: { scopes: ['openid', 'inventory:read'] },
    grant: { scope: 'openid' },
    expect: (endpoint) => lacks(endpoint.scopes.length > 1 ? 'inventory:read' : endpoint.scopes[0]),
  },
  {
    name: 'no read scope, of an app that may ask for neither',
    scopes: { scopes: ['openid'] },
    grant: { scope: 'openid' },
    expect: (endpoint) =>
      lacks(endpoint.scopes.length > 1 ? 'purchase-boosts:read' : endpoint.scopes[0]),
  },
  {
    name: 'an approver without any permission (5.5)',
    scopes: { permissions: [] },
    expect: (endpoint) => (endpoint.permission === null ? undefined : forbidden),
  },
  {
    name: 'an approver with every permission but purchases.read',
    scopes: { permissions: PERMISSIONS.filter((each) => each !== 'purchases.read') },
    expect: (endpoint) => (endpoint.permission === 'purchases.read' ? forbidden : undefined),
  },
  {
    name: 'neither permission nor scope: the scope comes first',
    scopes: { permissions: [] },
    grant: { scope: 'openid' },
    expect: (endpoint) =>
      lacks(endpoint.scopes.length > 1 ? 'purchase-boosts:read' : endpoint.scopes[0]),
  },
];

async function connect({ base, party, grant }: Caller): Promise<void> {
  const { shop, app, accountId } = party;
  const opener = {
    shopId: shop.id,
    clientId: app.clientId,
    accountId,
    approvalId: grant.approvalId,
  };
  const opened = await base.db.transaction(
    async (tx) => await openConnection(tx, opener, TEST_NOW, OPERATOR),
  );
  assert.equal(opened.kind, 'created');
}

/** Creates a caller in a state. Returns the headers of its requests. */
async function headersIn(state: State, base: TestDatabase): Promise<Record<string, string>> {
  const party = await seedParty(base.db, state.scopes);
  const grant = await seedGrant(base.db, party, state.grant);
  const caller = { base, party, grant };
  if (state.isConnected !== false) await connect(caller);
  await state.prepare?.(caller);
  const authorization =
    state.authorization === undefined ? `Bearer ${grant.token}` : state.authorization(grant.token);
  return authorization === null ? {} : { authorization };
}

function checkConstantHeaders(answer: TestResponse): void {
  assert.equal(answer.headers.get('cache-control'), 'no-store');
  assert.match(answer.headers.get('x-request-id') ?? '', /^[0-9a-z]{18}$/);
  assert.equal(answer.headers.get('x-content-type-options'), 'nosniff');
}

/**
 * Returns whether the caller passed the checks. The request then fails the check of its object
 * (404) or of its parameters (400), or it succeeds.
 */
function hasPassed({ method, path }: Endpoint, { status }: TestResponse): boolean {
  if (path.includes(':')) return status === 404;
  return path === '/cards' || method === 'PUT' ? status === 400 : status < 300;
}

describe('the order of checks (decision 0003)', () => {
  // Each state has its own shop, app and token, so one node serves all.
  let base: TestDatabase;
  let node: PartnerNode;
  before(async () => {
    base = await openTestDatabase();
    node = await startPartnerNode(base);
  });
  after(async () => {
    await node[Symbol.asyncDispose]();
    await base.close();
  });

  for (const state of STATES) {
    it(`every endpoint gives exactly the expected response: ${state.name}`, async () => {
      let headers = await headersIn(state, base);
      for (const endpoint of ENDPOINTS) {
        const methods = endpoint.method === 'GET' ? ['GET', 'HEAD'] : [endpoint.method];
        for (const method of methods) {
          const answer = await node.call(method, endpoint.path, { headers });
          const expected = state.expect(endpoint);
          const what = `${method} ${endpoint.path}`;
          checkConstantHeaders(answer);
          if (expected === undefined) {
            assert.ok(hasPassed(endpoint, answer), `${what}: ${answer.status} ${answer.text}`);
            assert.equal(answer.headers.get('www-authenticate'), null, what);
            // The request may have changed the state, so create a new caller.
            if (endpoint.method !== 'GET') headers = await headersIn(state, base);
            continue;
          }
          assert.equal(answer.status, expected.status, what);
          assert.equal(answer.text, method === 'HEAD' ? '' : expected.body, what);
          assert.equal(answer.headers.get('www-authenticate'), expected.authenticate, what);
          assert.equal(answer.headers.get('content-type'), 'application/json; charset=utf-8', what);
          assert.equal(answer.headers.get('content-length'), String(expected.body.length), what);
        }
      }
    });
  }
});
