import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import pg from 'pg';
import { AppClient, type TokenAnswer } from '../../test/app-client.ts';
import { seedShop, startTestService, type TestService } from '../../test/service.ts';
import { IS_ON_CITUS } from '../../test/citus-nodes.ts';
import { openTestDatabase, type TestDatabase } from '../../test/test-database.ts';

/** Matches the statements of token requests, but not those of jobs and heartbeats. */
const OF_TOKENS =
  /^(?:begin|commit|rollback|.*(?:artifact|grant|token|secret|answer|repeat|approval|account|member).*)/;

describe('the statements of a token request (decision 0124)', () => {
  const asked: string[] = [];
  const query: unknown = Reflect.get(pg.Client.prototype, 'query');
  assert.ok(typeof query === 'function');
  let base: TestDatabase;
  let service: TestService;
  let app: AppClient;

  before(async () => {
    // Replace the method before the first connection is opened, because each connection stores the
    // method that it finds.
    Reflect.set(pg.Client.prototype, 'query', function noted(this: pg.Client, ...given: unknown[]) {
      const [first] = given;
      const { name, text } = Object(first);
      asked.push(String(name ?? text ?? first));
      const answer: unknown = Reflect.apply(query, this, given);
      return answer;
    });
    base = await openTestDatabase();
    service = await startTestService(base);
    app = new AppClient(service, await seedShop(base));
  });
  after(async () => {
    Reflect.set(pg.Client.prototype, 'query', query);
    await service[Symbol.asyncDispose]();
    await base.close();
  });

  async function statementsOf(work: () => Promise<{ readonly status: number }>): Promise<string[]> {
    asked.length = 0;
    const { status } = await work();
    return [String(status), ...asked.filter((name) => OF_TOKENS.test(name))];
  }

  const AUTHENTICATED = 'select_app_with_secrets';
  const LOCKED = [
    'begin isolation level read committed',
    'lock_grant_of_artifact',
    'select_token_to_exchange',
  ];

  it('a refresh reads the client, locks and reads the grant, writes once, and commits', async () => {
    const { refresh_token: token } = await app.tokens();
    const refresh = async (key: string): Promise<TokenAnswer> =>
      await app.refresh(token, {}, { 'idempotency-key': key });
    const locked = [AUTHENTICATED, ...LOCKED];
    assert.deepEqual(await statementsOf(async () => await refresh('a')), [
      '200',
      ...locked,
      ...(IS_ON_CITUS ? ['spend_token', 'insert_issued_tokens', 'keep_answer'] : ['insert_tokens']),
      'commit',
    ]);
    assert.deepEqual(await statementsOf(async () => await refresh('a')), [
      '200',
      ...locked,
      'mark_repeated',
      'commit',
    ]);
    assert.deepEqual(await statementsOf(async () => await refresh('b')), [
      '400',
      ...locked,
      'rollback',
    ]);
  });

  it('a revocation ends the grant once, in one transaction', async () => {
    const { refresh_token: token } = await app.tokens();
    const names = await statementsOf(async () => await app.revoke(token));
    assert.deepEqual(
      names.filter((name) => /^(?:begin|commit|rollback|mark_approval_ended|delete_)/.test(name)),
      [
        'begin isolation level read committed',
        'delete_stored_responses_of_grant',
        'delete_artifacts_of_grant',
        'mark_approval_ended',
        'commit',
      ],
    );
  });
});
