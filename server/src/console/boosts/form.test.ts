import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type BoostConsole, startBoostConsole } from '../../../test/boost-console.ts';
import { assertSays } from '../../../test/console-pages.ts';
import { formTo, type VisitedPage } from '../../../test/plain-browser.ts';
import { openTestDatabase, type TestDatabase } from '../../../test/test-database.ts';
import { newId } from '../../base/secrets.ts';
import { flashText } from '../flash.ts';
import { itemFieldMessages, pickerMessages } from '../parts/messages/catalog.ts';
import { formMessages } from '../parts/form/messages.ts';
import { boostEditMessages, boostErrorMessages, boostFormMessages } from './messages/form.ts';

describe('creating and editing a buy boost on a page', () => {
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

  async function create(fields: Readonly<Record<string, string>> = {}): Promise<VisitedPage> {
    const page = await scene.visit('/boosts/new');
    const form = formTo(page, '/boosts/new');
    const given = { card: scene.catalog.cardId, price: '1200', ...fields };
    return await scene.owner.submit(page, form, given);
  }

  async function count(): Promise<number> {
    const { boosts } = await scene.till('GET', '/boosts');
    return Array.isArray(boosts) ? boosts.length : -1;
  }

  const idOf = ({ url }: VisitedPage): string => url.split('/').at(-1) ?? '';

  it('the form creates a boost with every typed value, in the shop’s time zone', async () => {
    const done = await create({
      grade: scene.catalog.gradeId,
      price: '１，２００.50',
      currency: 'usd',
      left: '5',
      starts: '2026-06-01T21:00',
      ends: '2026-06-02T21:00',
      note: '  傷あり <b>可</b> ',
    });
    assertSays(done, flashText('boost_created', 'en'));
    assert.equal(done.status, 200);
    const shown = await scene.till('GET', `/boosts/${idOf(done)}`);
    const { target, updatedAt, ...rest } = shown;
    assert.deepEqual(rest, {
      id: idOf(done),
      priceMinor: 120_050,
      currency: 'USD',
      remainingQuantity: 5,
      status: 'open',
      startsAt: '2026-06-01T12:00:00.000Z',
      endsAt: '2026-06-02T12:00:00.000Z',
      note: '傷あり <b>可</b>',
    });
    assert.match(JSON.stringify(target), new RegExp(scene.catalog.gradeId));
    assert.ok(updatedAt);
    assert.match(done.text, /傷あり &lt;b&gt;可&lt;\/b&gt;/);
    assert.match(done.text, /\$1,200\.50/);
  });

  it('the form of a new boost begins with the focus in the search for cards', async () => {
    const hasFocus = ({ text }: VisitedPage): boolean => /id="field-card"[^>]*autofocus/.test(text);
    assert.ok(hasFocus(await scene.visit('/boosts/new')));
    assert.ok(!hasFocus(await create({ card: '' })), 'the errors have the focus');
    assert.ok(!hasFocus(await scene.visit(`/boosts/${idOf(await create())}/edit`)));
  });

  it('the form shows the currency only if it differs from the shop’s or has an error', async () => {
    const isOpen = ({ text }: { readonly text: string }): boolean => {
      return /<details class="field"\s+open/.test(text);
    };
    const form = await scene.visit('/boosts/new');
    assert.match(form.text, /<details class="field"[\s\S]*name="currency"/);
    assert.ok(!isOpen(form));
    assert.ok(isOpen(await create({ currency: 'ZZZ' })));
    assert.ok(isOpen(await create({ currency: 'USD', price: '12.345' })));
    assert.ok(!isOpen(await create({ price: '12.5' })));
  });

  it('the form creates a boost for a product, with the shop’s currency and without limits', async () => {
    const done = await create({ kind: 'product', product: scene.catalog.productId });
    const shown = await scene.till('GET', `/boosts/${idOf(done)}`);
    assert.match(JSON.stringify(shown['target']), new RegExp(scene.catalog.productId));
    const { currency, remainingQuantity, startsAt, endsAt, note } = shown;
    assert.deepEqual(
      [currency, remainingQuantity, startsAt, endsAt, note],
      ['JPY', null, null, null, null],
    );
  });

  for (const [fields, field, fault] of [
    [{ card: '' }, 'card', itemFieldMessages.en.none.card],
    [{ card: '3f6f2c0e-1c5e-4a51-9f0a-0a1b2c3d4e5f' }, 'card', boostEditMessages.en.unknown.card],
    [
      { grade: '3f6f2c0e-1c5e-4a51-9f0a-0a1b2c3d4e5f' },
      'grade',
      boostEditMessages.en.unknown.grade,
    ],
    [{ kind: 'product' }, 'product', itemFieldMessages.en.none.product],
    [{ price: '' }, 'price', formMessages.en.noAmount],
    [{ price: '12.5' }, 'price', formMessages.en.fineAmount(0, 'JPY')],
    [{ price: '1000000000001' }, 'price', formMessages.en.largeAmount],
    [{ price: '12.345', currency: 'USD' }, 'price', formMessages.en.fineAmount(2, 'USD')],
    [{ currency: 'ZZZ' }, 'currency', boostErrorMessages.en.currency],
    [{ left: '1.5' }, 'left', boostErrorMessages.en.left],
    [{ left: '1000000001' }, 'left', boostErrorMessages.en.left],
    [{ starts: 'soon' }, 'starts', formMessages.en.noInstant],
    [
      { starts: '2026-06-02T10:00', ends: '2026-06-02T10:00' },
      'ends',
      boostErrorMessages.en.endsFirst,
    ],
    [{ note: '🂡'.repeat(201) }, 'note', boostErrorMessages.en.longNote(200)],
    [{ note: 'a\u0007b' }, 'note', boostErrorMessages.en.note],
  ] as const) {
    it(`the form shows the error beside ${field} for ${JSON.stringify(fields).slice(0, 60)}`, async () => {
      const before = await count();
      const page = await create({ left: '7', ...fields });
      assert.equal(page.status, 422);
      const fieldset = new RegExp(`id="field-${field}-fault">([^<]*)<`).exec(page.text)?.[1] ?? '';
      assert.equal(fieldset, fault);
      assert.match(page.text, new RegExp(`href="#field-${field}"`));
      // The form still contains the typed values.
      const form = formTo(page, '/boosts/new');
      // Card and grade ids that do not exist are dropped, because the form offers no such choice.
      for (const [name, value] of Object.entries({ left: '7', ...fields })) {
        if (name === 'card' || name === 'grade') continue;
        assert.equal(form.fields[name], value);
      }
      assert.equal(await count(), before);
    });
  }

  it('a note may have 200 characters of two code units each', async () => {
    const done = await create({ note: '🂡'.repeat(200) });
    assertSays(done, flashText('boost_created', 'en'));
  });

  it('without JavaScript, the form finds a card, offers the hits as choices, and keeps the typed values', async () => {
    const before = await count();
    const page = await scene.visit('/boosts/new');
    const hits = await scene.owner.submit(page, formTo(page, '/boosts/new', { card_find: '1' }), {
      card_q: 'アルバ',
      price: '900',
      note: 'kept',
    });
    assert.equal(hits.status, 200);
    assert.equal(await count(), before);
    assertSays(hits, pickerMessages.en.count(1));
    assert.match(
      hits.text,
      new RegExp(`type="radio"\\s+name="card"\\s+value="${scene.catalog.cardId}"`),
    );
    const form = formTo(hits, '/boosts/new');
    assert.equal(form.fields['price'], '900');
    assert.equal(form.fields['note'], 'kept');
    // The hits are shown until one of them is chosen.
    const undecided = await scene.owner.submit(hits, form);
    assert.equal(undecided.status, 422);
    assertSays(undecided, pickerMessages.en.count(1));
    const done = await scene.owner.submit(hits, form, { card: scene.catalog.cardId });
    assertSays(done, flashText('boost_created', 'en'));
  });

  it('a form that is sent twice creates one boost, or two if a value was changed in between', async () => {
    const page = await scene.visit('/boosts/new');
    const form = formTo(page, '/boosts/new');
    const before = await count();
    const fields = { card: scene.catalog.cardId, price: '77' };
    const first = await scene.owner.submit(page, form, fields);
    const again = await scene.owner.submit(page, form, fields);
    assert.equal(idOf(first), idOf(again));
    assert.equal(await count(), before + 1);
    const other = await scene.owner.submit(page, form, { ...fields, price: '78' });
    assert.notEqual(idOf(other), idOf(first));
    assert.equal(await count(), before + 2);
    assert.equal((await scene.till('GET', `/boosts/${idOf(first)}`))['priceMinor'], 77);
  });

  it('an edit saves only the changed fields, and keeps the effect of a concurrent purchase', async () => {
    const id = idOf(await create({ left: '9', note: 'old', starts: '2026-05-01T10:00' }));
    const page = await scene.visit(`/boosts/${id}/edit`);
    scene.clock.advance(1_000);
    const purchase = { id, quantity: 2 };
    await scene.till('POST', `/boosts/${id}/purchases`, purchase);
    const done = await scene.owner.submit(page, formTo(page, '/edit'), { note: 'new' });
    assertSays(done, flashText('saved', 'en'));
    const shown = await scene.till('GET', `/boosts/${id}`);
    assert.deepEqual([shown['remainingQuantity'], shown['note']], [7, 'new']);
    const unchanged = await scene.visit(`/boosts/${id}/edit`);
    const same = await scene.owner.submit(unchanged, formTo(unchanged, '/edit'));
    assertSays(same, flashText('unchanged', 'en'));
    assert.equal((await scene.till('GET', `/boosts/${id}`))['updatedAt'], shown['updatedAt']);
  });

  it('an edit of the end keeps the seconds of the start', async () => {
    const id = newId();
    const target = { kind: 'card', cardId: scene.catalog.cardId };
    const startsAt = '2026-06-01T10:00:45.500Z';
    await scene.till('PUT', `/boosts/${id}`, { target, priceMinor: 100, startsAt });
    const page = await scene.visit(`/boosts/${id}/edit`);
    await scene.owner.submit(page, formTo(page, '/edit'), { ends: '2026-07-01T10:00' });
    const shown = await scene.till('GET', `/boosts/${id}`);
    assert.deepEqual([shown['startsAt'], shown['endsAt']], [startsAt, '2026-07-01T01:00:00.000Z']);
  });

  it('an edit gets 409 with both values if another member has changed the same field, and nothing is saved', async () => {
    const id = idOf(await create({ left: '9', price: '100' }));
    const page = await scene.visit(`/boosts/${id}/edit`);
    scene.clock.advance(1_000);
    await scene.till('PUT', `/boosts/${id}`, {
      priceMinor: 150,
      remainingQuantity: 4,
      note: 'theirs',
    });
    const form = formTo(page, '/edit');
    const stale = await scene.owner.submit(page, form, {
      price: '120',
      left: '10',
      ends: '2026-07-01T00:00',
    });
    assert.equal(stale.status, 409);
    const label = boostFormMessages.en;
    assertSays(
      stale,
      formMessages.en.now(label.price, '150 JPY', '100 JPY'),
      formMessages.en.now(label.left, '4', '9'),
    );
    assert.equal((await scene.till('GET', `/boosts/${id}`))['priceMinor'], 150);
    // The form combines the member's own edits with the other member's edits of other fields.
    const again = formTo(stale, '/edit');
    const shown = ['price', 'left', 'note', 'ends'].map((name) => again.fields[name]);
    assert.deepEqual(shown, ['120', '10', 'theirs', '2026-07-01T00:00']);
    const done = await scene.owner.submit(stale, again, { left: '4' });
    assertSays(done, flashText('saved', 'en'));
    const { priceMinor, remainingQuantity, note, endsAt } = await scene.till(
      'GET',
      `/boosts/${id}`,
    );
    assert.deepEqual(
      [priceMinor, remainingQuantity, note, endsAt],
      [120, 4, 'theirs', '2026-06-30T15:00:00.000Z'],
    );
  });

  it('an edit gets 409 if a purchase has changed the quantity in the meantime, and nothing is saved', async () => {
    const id = idOf(await create({ left: '9' }));
    const page = await scene.visit(`/boosts/${id}/edit`);
    scene.clock.advance(1_000);
    await scene.till('POST', `/boosts/${id}/purchases`, { id, quantity: 1 });
    const stale = await scene.owner.submit(page, formTo(page, '/edit'), { left: '12' });
    assert.equal(stale.status, 409);
    assertSays(stale, formMessages.en.now(boostFormMessages.en.left, '8', '9'));
    assert.equal(formTo(stale, '/edit').fields['left'], '12');
    assert.equal((await scene.till('GET', `/boosts/${id}`))['remainingQuantity'], 8);
    await scene.owner.submit(stale, formTo(stale, '/edit'));
    assert.equal((await scene.till('GET', `/boosts/${id}`))['remainingQuantity'], 12);
  });

  it('the form names the current card if two members have changed the target', async () => {
    const id = idOf(await create());
    const page = await scene.visit(`/boosts/${id}/edit`);
    scene.clock.advance(1_000);
    const { cardId, gradeId, productId } = scene.catalog;
    await scene.till('PUT', `/boosts/${id}`, { target: { kind: 'card', cardId, gradeId } });
    const mine = { kind: 'product', product: productId };
    const stale = await scene.owner.submit(page, formTo(page, '/edit'), mine);
    assert.equal(stale.status, 409);
    const told = /id="field-kind"[\s\S]*?<p class="fault">([^<]*)</.exec(stale.text)?.[1] ?? '';
    assert.ok(told.includes(` · ${boostFormMessages.en.anyGrade}`), told);
    const form = formTo(stale, '/edit');
    assert.deepEqual([form.fields['kind'], form.fields['product']], ['product', productId]);
    await scene.owner.submit(stale, form);
    const shown = await scene.till('GET', `/boosts/${id}`);
    assert.match(JSON.stringify(shown['target']), new RegExp(productId));
  });

  it('an ended boost cannot be edited', async () => {
    const id = idOf(await create());
    const page = await scene.visit(`/boosts/${id}/edit`);
    scene.clock.advance(1_000);
    await scene.till('POST', `/boosts/${id}/end`);
    const refused = await scene.owner.submit(page, formTo(page, '/edit'), { price: '1' });
    assert.equal(refused.status, 422);
    assertSays(refused, boostEditMessages.en.ended);
    assert.equal((await scene.visit(`/boosts/${id}/edit`)).url.endsWith(id), true);
  });
});
