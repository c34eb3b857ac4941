import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { describe, it } from 'node:test';
import { addMember } from '../shops/member.ts';
import { OPERATOR } from '../shops/audit.ts';
import { seedShop, startTestService, type TestService } from '../../test/service.ts';
import { openTestDatabase, type TestDatabase } from '../../test/test-database.ts';
import { waitUntil } from '../../test/wait-until.ts';
import { newId } from '../base/secrets.ts';
import { silentLog } from '../base/log.ts';
import { statement } from '../database/statement.ts';
import { Drain } from '../http/drain.ts';
import { createHttpServer } from '../http/server.ts';
import { startSession } from '../shops/session.ts';
import { FileSender } from './file-sender.ts';
import { refusalMessages } from './messages.ts';

/** 24 MB, more than the buffers of a connection whose client does not read. */
const insertLargeAudit = statement(
  'test_insert_large_audit',
  `insert into audit_event (shop_id, entry_id, happened_at, actor_kind, action, subject_kind,
    subject_id, details)
  select $1, gen_random_uuid(), now(), 'operator', 'app.changed', 'app', 'app_x',
    jsonb_build_object('fields', jsonb_build_array(repeat('x', 4000)))
  from generate_series(1, 6000)`,
);

const LONGER_THAN_A_TURN_MS = 20;

interface Person {
  readonly slug: string;
  readonly cookie: string;
}

/** Seeds a shop with a large audit log and a member. */
async function openLargeShop(base: TestDatabase): Promise<Person & { readonly id: string }> {
  const { shop, member } = await seedShop(base);
  await base.db.query(insertLargeAudit, [shop.id]);
  return { id: shop.id, ...(await signIn(base, shop.slug, member.account.id)) };
}

async function addPerson(base: TestDatabase, shop: { id: string; slug: string }): Promise<Person> {
  const person = { email: `m-${newId()}@shop.example`, name: 'Ren', passwordHash: 'none' };
  const permissions = ['members.manage' as const];
  const added = await base.db.transaction(
    async (tx) => await addMember(tx, shop.id, { ...person, permissions }, new Date(), OPERATOR),
  );
  assert.ok(added.kind === 'added');
  return await signIn(base, shop.slug, added.member.account.id);
}

async function signIn({ db }: TestDatabase, slug: string, accountId: string): Promise<Person> {
  const { secret } = await startSession(db, accountId, new Date());
  return { slug, cookie: `cardport_session=${secret}` };
}

/** Begins an export and does not read its body. */
async function beginExport(
  { url }: TestService,
  { slug, cookie }: Person,
  name = 'ndjson',
): Promise<IncomingMessage> {
  const headers = { cookie, 'accept-language': 'ja' };
  const sent = request(`${url}/console/shops/${slug}/audit/export.${name}`, { headers });
  sent.end();
  const [response]: IncomingMessage[] = await once(sent, 'response');
  assert.ok(response !== undefined);
  response.on('error', () => undefined);
  return response;
}

async function textOf(response: IncomingMessage): Promise<string> {
  return (await response.setEncoding('utf8').toArray()).join('');
}

describe('exports', () => {
  it('one export of a member runs at a time, and 200 of them do not make the service unready', async () => {
    await using base = await openTestDatabase();
    await using service = await startTestService(base);
    const member = await openLargeShop(base);
    const responses: IncomingMessage[] = [];
    const begun = Array.from({ length: 200 }, async () => {
      responses.push(await beginExport(service, member));
    });
    do {
      assert.equal((await fetch(`${service.url}/readyz`)).status, 200);
    } while (responses.length < begun.length);
    await Promise.all(begun);
    const running = responses.filter(({ statusCode }) => statusCode === 200);
    const refused = responses.filter(({ statusCode }) => statusCode === 429);
    assert.deepEqual([running.length, refused.length], [1, 199]);
    const [first] = refused;
    assert.ok(Number(first?.headers['retry-after']) > 0);
    assert.ok((await textOf(first as IncomingMessage)).includes(refusalMessages.ja.tooManyExports));
    for (const response of refused) response.resume();
    // The slow client holds no connection of the pool.
    await waitUntil(() => base.db.poolState().clients === base.db.poolState().idle);
    assert.equal((await beginExport(service, member, 'csv')).statusCode, 429);
    // A client that disconnects frees its place.
    running[0]?.destroy();
    let next = await beginExport(service, member, 'csv');
    await waitUntil(async () => {
      if (next.statusCode !== 200) next = await beginExport(service, member, 'csv');
      return next.statusCode === 200;
    });
    assert.ok((await textOf(next)).split('\r\n').length > 6_000);
    // So does a client that has read the file.
    const last = await beginExport(service, member);
    assert.equal(last.statusCode, 200);
    last.destroy();
  });

  it('two exports of a shop run at a time, and those of another shop do not wait for them', async () => {
    await using base = await openTestDatabase();
    await using service = await startTestService(base);
    const owner = await openLargeShop(base);
    const { shop, member } = await seedShop(base);
    const other = await signIn(base, shop.slug, member.account.id);
    const [second, third] = [await addPerson(base, owner), await addPerson(base, owner)];
    const running = [await beginExport(service, owner), await beginExport(service, second)];
    assert.deepEqual(
      running.map(({ statusCode }) => statusCode),
      [200, 200],
    );
    assert.equal((await beginExport(service, third)).statusCode, 429);
    const elsewhere = await beginExport(service, other);
    assert.equal(elsewhere.statusCode, 200);
    assert.match(await textOf(elsewhere), /\n$/);
    for (const response of running) response.destroy();
  });

  it('files take turns part by part, and one part is read at a time', async () => {
    await using scene = await openScene({});
    const order: string[] = [];
    let reading = 0;
    scene.text = async function* parts(name) {
      for (let part = 0; part < 3; part++) {
        assert.equal(reading++, 0, 'another part is being read');
        await new Promise((resolve) => setTimeout(resolve, LONGER_THAN_A_TURN_MS));
        reading -= 1;
        order.push(name);
        yield `${name}${part}\n`;
      }
    };
    const texts = await Promise.all(['a', 'b'].map(async (name) => await scene.read(name)));
    assert.deepEqual(texts, ['a0\na1\na2\n', 'b0\nb1\nb2\n']);
    assert.notDeepEqual(order, order.toSorted(), 'the second file waited for the whole first one');
  });

  it('a file that takes too long is cut, and frees its place', async () => {
    await using scene = await openScene({ handlerMs: 200, checkMs: 20 });
    scene.text = async function* endless() {
      for (;;) yield await Promise.resolve('x'.repeat(65_536));
    };
    const slow = await scene.begin('a');
    assert.equal(slow.statusCode, 200);
    const cut = once(slow, 'error');
    let status: number | undefined;
    await waitUntil(async () => {
      const again = await scene.begin('a');
      again.destroy();
      status = again.statusCode;
      return status === 200;
    });
    slow.resume();
    const [error]: Error[] = await cut;
    assert.equal(error?.message, 'aborted');
  });
});

/** A server with one route, `/NAME`, that sends `text(NAME)` to a member of this name. */
interface Scene extends AsyncDisposable {
  text: (name: string) => AsyncIterable<string>;
  begin(name: string): Promise<IncomingMessage>;
  read(name: string): Promise<string>;
}

async function openScene(timeouts: { handlerMs?: number; checkMs?: number }): Promise<Scene> {
  const app = createHttpServer({
    log: silentLog(),
    drain: new Drain(),
    publicUrl: 'http://127.0.0.1',
    metrics: null,
    trustProxy: false,
    isUnavailable: () => false,
    timeouts,
  });
  const files = new FileSender();
  app.get<{ Params: { name: string } }>('/:name', async (sent, reply) => {
    const { name } = sent.params;
    const isSent = await files.send(reply, ['shop', name], {}, scene.text(name));
    return isSent ? reply : await reply.code(429).send();
  });
  const url = await app.listen({ port: 0, host: '127.0.0.1' });
  const scene: Scene = {
    text: async function* none() {
      yield await Promise.resolve('');
    },
    begin: async (name) => {
      const sent = request(`${url}/${name}`).end();
      const [response]: IncomingMessage[] = await once(sent, 'response');
      assert.ok(response !== undefined);
      response.on('error', () => undefined);
      return response;
    },
    read: async (name) => await textOf(await scene.begin(name)),
    [Symbol.asyncDispose]: async () => await app.close(),
  };
  return scene;
}
