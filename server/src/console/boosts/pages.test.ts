import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type BoostConsole, startBoostConsole } from '../../../test/boost-console.ts';
import { formTo, hasFormTo, type VisitedPage } from '../../../test/plain-browser.ts';
import { openTestDatabase, type TestDatabase } from '../../../test/test-database.ts';
import { newId } from '../../base/secrets.ts';
import { renderBoostList } from '../../boosts/boost-list.ts';
import { TargetCache } from '../../boosts/target-cache.ts';
import { statement } from '../../database/statement.ts';
import { assertSays, says } from '../../../test/console-pages.ts';
import { flashText } from '../flash.ts';
import { actorMessages } from '../parts/messages/actor.ts';
import { boostActionMessages, boostMessages, boostPurchaseMessages } from './messages/boost.ts';
import { boostPreviewMessages } from './messages/form.ts';

const HOUR_MS = 3_600_000;

const giveSet = statement(
  'test_give_set',
  `update card set set_id = $2, set_code = 'HT01', set_name = '星々の目覚め',
    set_name_en = 'Awakening Stars', variant = 'promo' where card_id = $1`,
);

describe('the pages of buy boosts', () => {
  let base: TestDatabase;
  let scene: BoostConsole;
  before(async () => {
    base = await openTestDatabase();
    scene = await startBoostConsole(base);
  });
  after(async () => {
    await scene[Symbol.asyncDispose]();
    await base.close();
  });

  async function put(members: object = {}): Promise<string> {
    const id = newId();
    const target = { kind: 'card', cardId: scene.catalog.cardId };
    await scene.till('PUT', `/boosts/${id}`, { target, priceMinor: 500, ...members });
    return id;
  }

  async function press(page: VisitedPage, path: string): Promise<VisitedPage> {
    return await scene.owner.submit(page, formTo(page, path));
  }

  const inHours = (hours: number): string =>
    new Date(scene.clock.now().getTime() + hours * HOUR_MS).toISOString();

  it('a page shows a boost’s terms, its purchases with their sum, and the exact JSON that apps receive', async () => {
    const id = await put({ remainingQuantity: 5, note: '<i>note</i>', endsAt: inHours(2) });
    const [kept, gone] = [newId(), newId()];
    await scene.till('POST', `/boosts/${id}/purchases`, { id: kept, quantity: 2 });
    await scene.till('POST', `/boosts/${id}/purchases`, { id: gone, quantity: 1 });
    await scene.till('DELETE', `/boosts/${id}/purchases/${gone}`);
    const page = await scene.visit(`/boosts/${id}`);
    assert.equal(page.status, 200);
    assert.match(page.text, /<h1>蒼天竜アルバ<\/h1>/);
    assert.match(page.text, /&lt;i&gt;note&lt;\/i&gt;/);
    assert.doesNotMatch(page.text, /<i>note/);
    assertSays(page, boostPurchaseMessages.en.sum('2', '1'));
    for (const each of [kept, gone]) assert.ok(page.text.includes(each), each);
    assertSays(page, boostPurchaseMessages.en.cancelled);
    assertSays(page, boostPreviewMessages.en.listed.open);
    const shown = /<pre[^>]*><code>([\s\S]*?)<\/code><\/pre>/.exec(page.text)?.[1] ?? '';
    const targets = { texts: new TargetCache(), canUseCache: false };
    const shopId = scene.seeded.shop.id;
    const list = await renderBoostList(base.db, shopId, 'open', scene.clock.now(), targets);
    const { boosts }: { readonly boosts: readonly { readonly id: string }[] } = JSON.parse(
      Buffer.concat(list.body).toString(),
    );
    const wire = boosts.find((each) => each.id === id);
    const plain = shown.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&gt;', '>');
    assert.equal(plain, JSON.stringify(wire, null, 2));
  });

  it('a page shows who last changed the terms and when, and does not count a purchase as a change', async () => {
    const id = await put({ remainingQuantity: 5 });
    const factOf = (page: VisitedPage): string => {
      const label = page.text.indexOf(`<dt>${boostMessages.en.edited}</dt>`);
      assert.notEqual(label, -1);
      return page.text.slice(label, page.text.indexOf('</dd>', label));
    };
    assert.match(factOf(await scene.visit(`/boosts/${id}`)), new RegExp(actorMessages.en.shop_key));
    scene.clock.advance(60_000);
    await press(await scene.visit(`/boosts/${id}`), `/boosts/${id}/pause`);
    const paused = factOf(await scene.visit(`/boosts/${id}`));
    const { name } = scene.seeded.member.account;
    assert.ok(paused.includes(` · ${name}`), paused);
    assert.ok(paused.includes(scene.clock.now().toISOString()), paused);
    scene.clock.advance(60_000);
    await scene.till('POST', `/boosts/${id}/purchases`, { id: newId(), quantity: 1 });
    assert.equal(factOf(await scene.visit(`/boosts/${id}`)), paused);
    await press(await scene.visit(`/boosts/${id}`), `/boosts/${id}/resume`);
    const reader = await scene.memberWith(['purchases.read']);
    await scene.till('PUT', `/boosts/${id}`, { priceMinor: 501 });
    const read = factOf(await scene.visit(`/boosts/${id}`, reader));
    assert.ok(read.includes(actorMessages.en.shop_key), read);
    assert.equal(read.includes(`${actorMessages.en.shop_key}:`), false, 'no name of a key');
  });

  it('a page shows the set’s name in its language, and in the JSON only the fields of spec 2.3', async () => {
    const { otherCardId } = scene.catalog;
    await base.db.query(giveSet, [otherCardId, newId()]);
    const id = await put({ target: { kind: 'card', cardId: otherCardId }, priceMinor: 1 });
    const japanese = await scene.memberWith(['purchases.read'], 'ja');
    for (const path of ['/boosts', `/boosts/${id}`]) {
      const page = await scene.visit(path);
      assert.match(page.text, /Awakening Stars \(HT01\)/);
      const shown = await scene.visit(path, japanese);
      assert.match(shown.text, /星々の目覚め \(HT01\)/);
      assert.doesNotMatch(shown.text, /Awakening/);
      assert.doesNotMatch(page.text, /nameEn|&quot;variant/);
    }
  });

  it('a boost can be paused and resumed from its page and from the list', async () => {
    const id = await put({ priceMinor: 999_999 });
    const paused = await press(await scene.visit(`/boosts/${id}`), '/pause');
    assertSays(paused, flashText('boost_paused', 'en'));
    assertSays(paused, boostPreviewMessages.en.listed.paused);
    assert.equal((await scene.till('GET', `/boosts/${id}`))['status'], 'paused');
    // The boost has the highest price, so its buttons are the first on the page.
    const resumed = await press(await scene.visit('/boosts'), '/resume');
    assertSays(resumed, flashText('boost_resumed', 'en'));
    assert.match(resumed.url, /\/boosts$/);
    assert.equal((await scene.till('GET', `/boosts/${id}`))['status'], 'open');
  });

  it('a boost ends only after a warning that this is final', async () => {
    const id = await put({ remainingQuantity: 2 });
    const asked = await scene.visit(`/boosts/${id}/end`);
    assertSays(asked, boostActionMessages.en.endFinal);
    assert.equal((await scene.till('GET', `/boosts/${id}`))['status'], 'open');
    const open = await scene.visit(`/boosts/${id}`);
    const done = await press(asked, '/end');
    assertSays(done, flashText('boost_ended', 'en'));
    assert.equal(hasFormTo(done, '/pause'), false);
    assert.equal(hasFormTo(done, '/raise'), false);
    const raised = await scene.owner.submit(open, formTo(open, '/raise'), {
      by: '1',
    });
    assert.equal(raised.status, 422);
    assertSays(raised, boostActionMessages.en.ended);
    assert.equal((await scene.till('GET', `/boosts/${id}`))['remainingQuantity'], 2);
    const refused = await press(open, '/pause');
    assert.equal(refused.status, 422);
    assertSays(refused, boostActionMessages.en.ended);
    assertSays(await press(asked, '/end'), flashText('unchanged', 'en'));
  });

  it('the quantity is raised once if the form is sent repeatedly, and no concurrent purchase is lost', async () => {
    const id = await put({ remainingQuantity: 30 });
    const page = await scene.visit(`/boosts/${id}`);
    const form = formTo(page, '/raise');
    const raises = Array.from({ length: 5 }, async () => {
      const answer = await scene.owner.submit(page, form, { by: '100' });
      if (answer.status === 422) {
        // The till can record more purchases between the refusal and the rendering of the page.
        const counts = Array.from({ length: 11 }, (_, bought) => String(130 - 3 * bought));
        assert.ok(counts.some((left) => says(answer, boostActionMessages.en.raisedBefore(left))));
      }
      return answer.status;
    });
    const purchases = Array.from({ length: 10 }, async () => {
      await scene.till('POST', `/boosts/${id}/purchases`, { id: newId(), quantity: 3 });
    });
    const [statuses] = await Promise.all([Promise.all(raises), Promise.all(purchases)]);
    assert.deepEqual(
      statuses.toSorted((a, b) => a - b),
      [200, 422, 422, 422, 422],
    );
    assert.equal((await scene.till('GET', `/boosts/${id}`))['remainingQuantity'], 100);
    // After seeing the new number, the member can raise it.
    const again = await scene.visit(`/boosts/${id}`);
    const more = await scene.owner.submit(again, formTo(again, '/raise'), {
      by: '1',
    });
    assert.equal(more.status, 200);
    assert.equal((await scene.till('GET', `/boosts/${id}`))['remainingQuantity'], 101);
  });

  it('raising the quantity reopens a filled boost, and is rejected for invalid numbers and unlimited boosts', async () => {
    const id = await put({ remainingQuantity: 0 });
    const page = await scene.visit(`/boosts/${id}`);
    assertSays(page, boostPreviewMessages.en.listed.filled);
    const form = formTo(page, '/raise');
    for (const by of ['', '0', '-1', '1.5', 'many', '1000000001']) {
      const refused = await scene.owner.submit(page, form, { by });
      assert.equal(refused.status, 422, by);
      assert.ok(refused.text.includes(`id="field-by-fault">${boostActionMessages.en.raiseBy}<`));
    }
    const heard: string[] = [];
    base.db.onAnnouncement((topic, shopId) => heard.push(`${topic} ${shopId}`));
    const raised = await scene.owner.submit(page, form, { by: '１' });
    // The change is announced, so that the cached list for apps is refreshed immediately.
    assert.deepEqual(heard, [`boosts ${scene.seeded.shop.id}`]);
    assertSays(raised, flashText('boost_raised', 'en'));
    assert.equal((await scene.till('GET', `/boosts/${id}`))['status'], 'open');
    const now = await scene.visit(`/boosts/${id}`);
    const next = formTo(now, '/raise');
    const refused = await scene.owner.submit(now, next, { by: '1000000000' });
    assertSays(refused, boostActionMessages.en.tooMany);
    assert.equal((await scene.till('GET', `/boosts/${id}`))['remainingQuantity'], 1);
    assert.equal((await scene.owner.submit(now, next, { by: '999999999' })).status, 200);
    const full = (await scene.till('GET', `/boosts/${id}`))['remainingQuantity'];
    assert.equal(full, 1_000_000_000);
    await scene.till('PUT', `/boosts/${id}`, { remainingQuantity: null });
    assertSays(await scene.owner.submit(page, form, { by: '1' }), boostActionMessages.en.noLimit);
    assert.equal(hasFormTo(await scene.visit(`/boosts/${id}`), '/raise'), false);
  });

  it('a page explains why apps do not see a boost', async () => {
    const scheduled = await put({ startsAt: inHours(1) });
    const page = await scene.visit(`/boosts/${scheduled}`);
    assertSays(page, boostPreviewMessages.en.listed.scheduled);
    const short = await put({ endsAt: inHours(0.5) });
    scene.clock.advance(HOUR_MS / 2);
    assertSays(await scene.visit(`/boosts/${short}`), boostPreviewMessages.en.listed.expired);
    const japanese = await scene.memberWith(['purchases.read'], 'ja');
    assertSays(
      await scene.visit(`/boosts/${scheduled}`, japanese),
      boostPreviewMessages.ja.listed.scheduled,
    );
  });

  it('members without purchases.write see every boost, but no way to change one', async () => {
    const id = await put({ remainingQuantity: 3 });
    const reader = await scene.memberWith(['purchases.read']);
    const page = await scene.visit(`/boosts/${id}`, reader);
    assert.equal(page.status, 200);
    assert.equal(hasFormTo(page, '/pause'), false);
    assert.equal(hasFormTo(page, '/raise'), false);
    assert.doesNotMatch(page.text, /\/(edit|end)"/);
    const list = await scene.visit('/boosts', reader);
    assert.equal(hasFormTo(list, '/pause'), false);
    assert.doesNotMatch(list.text, /\/boosts\/new/);
    for (const path of ['/boosts/new', `/boosts/${id}/edit`, `/boosts/${id}/end`]) {
      const refused = await scene.visit(path, reader);
      assert.equal(refused.status, 403, path);
      assert.match(refused.text, /purchases\.write/);
    }
    const token = formTo(await scene.visit('/boosts', reader), '/sign-out').fields;
    for (const path of ['new', `${id}/edit`, `${id}/pause`, `${id}/end`, `${id}/raise`]) {
      const form = { action: new URL(`boosts/${path}`, `${page.url}/../../`).href, fields: token };
      assert.equal((await reader.submit(page, form, { by: '1' })).status, 403, path);
    }
    assert.equal((await scene.till('GET', `/boosts/${id}`))['remainingQuantity'], 3);
    const stranger = await scene.memberWith(['inventory.write']);
    assert.equal((await scene.visit('/boosts', stranger)).status, 403);
    assert.equal((await scene.visit(`/boosts/${id}`, stranger)).status, 403);
  });

  it('boosts of other shops and malformed ids are 404', async () => {
    const otherId = newId();
    const answer = await fetch(`${scene.service.shopUrl}/boosts/${otherId}`, {
      method: 'PUT',
      headers: {
        authorization: `Bearer ${scene.other.shopKey}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({
        target: { kind: 'card', cardId: scene.catalog.cardId },
        priceMinor: 1,
        remainingQuantity: 1,
      }),
    });
    assert.equal(answer.status, 201);
    const list = await scene.visit('/boosts');
    const { fields } = formTo(list, '/sign-out');
    for (const id of [otherId, newId(), 'x', '..%2f']) {
      for (const path of ['', '/edit', '/end']) {
        assert.equal((await scene.visit(`/boosts/${id}${path}`)).status, 404, id + path);
      }
      for (const path of ['/edit', '/pause', '/resume', '/end', '/raise']) {
        const form = { action: `${list.url}/${id}${path}`, fields };
        const refused = await scene.owner.submit(list, form, { by: '1' });
        assert.equal(refused.status, 404, id + path);
      }
    }
    const row = await base.db.one(
      statement<{ left: number; paused: boolean }>(
        'test_other_boost',
        'select remaining_quantity as left, is_paused or ended_at is not null as paused from boost where boost_id = $1',
      ),
      [otherId],
    );
    assert.deepEqual(row, { left: 1, paused: false });
  });

  it('a form with a wrong token is rejected', async () => {
    const id = await put();
    const page = await scene.visit(`/boosts/${id}`);
    const form = formTo(page, '/pause');
    const { status } = await scene.owner.submit(page, form, { form_token: 'x' });
    assert.equal(status, 403);
    assert.equal((await scene.till('GET', `/boosts/${id}`))['status'], 'open');
  });
});
