import assert from 'node:assert/strict';
import { idFromUrl, type Person } from './browser-person.ts';

const NEW = '/boosts/new';

export async function makeBoost(person: Person, price: string): Promise<string> {
  await person.open('/boosts');
  await person.follow(NEW);
  await person.pickCard(NEW);
  await person.field('price').fill(price);
  await person.field('left').fill('5');
  await person.field('note').fill('美品のみ <b>');
  await person.send(NEW);
  await person.expectFlash('boost_created');
  const id = idFromUrl(person.page);
  const made = await person.scene.till('GET', `/boosts/${id}`);
  const { status, remainingQuantity, note } = made;
  assert.deepEqual([status, remainingQuantity, note], ['open', 5, '美品のみ <b>']);
  assert.ok(JSON.stringify(made).includes(person.scene.card.id));
  return id;
}

/** Does everything that a member with the permission can do with boosts. */
export async function runBoostActions(person: Person): Promise<void> {
  const { scene } = person;
  await person.open(NEW);
  await person.send(NEW);
  await person.expectError('card_q');
  await person.checkPage(422);
  const id = await makeBoost(person, '1200');
  const path = `/boosts/${id}`;
  const now = async (): Promise<Readonly<Record<string, unknown>>> => await scene.till('GET', path);
  await person.send(`${path}/pause`);
  await person.expectFlash('boost_paused');
  assert.equal((await now())['status'], 'paused');
  await person.send(`${path}/resume`);
  await person.expectFlash('boost_resumed');
  assert.equal((await now())['status'], 'open');
  await person.field('by').fill('3');
  await person.send(`${path}/raise`);
  await person.expectFlash('boost_raised');
  assert.equal((await now())['remainingQuantity'], 8);
  await buyOnBoost(person, path);
  await person.follow(`${path}/edit`);
  await person.field('price').fill('1500');
  // The till changes the boost while the form is open.
  await scene.till('PUT', path, { priceMinor: 1_300 });
  await person.send(`${path}/edit`);
  await person.checkPage(409);
  assert.equal((await now())['priceMinor'], 1_300);
  await person.send(`${path}/edit`);
  await person.expectFlash('saved');
  assert.equal((await now())['priceMinor'], 1_500);
  await person.follow(`${path}/end`);
  await person.send(`${path}/end`);
  await person.expectFlash('boost_ended');
  assert.equal((await now())['status'], 'ended');
}

/** Buys two of the eight units that a boost still wants, and undoes the purchase. */
async function buyOnBoost(person: Person, path: string): Promise<void> {
  const { scene } = person;
  const left = async (): Promise<unknown> => (await scene.till('GET', path))['remainingQuantity'];
  await person.follow(`${path}/buy`);
  await person.field('place').selectOption({ label: scene.site.name });
  await person.field('quantity').fill('9');
  await person.send(`${path}/buy`);
  await person.expectError('quantity');
  await person.checkPage(422);
  assert.equal(await left(), 8);
  await person.field('quantity').fill('2');
  await person.send(`${path}/buy`);
  await person.page.getByRole('status').getByRole('link').waitFor();
  await person.checkPage(200);
  assert.equal(await left(), 6);
  const receiptId = new URL(person.page.url()).searchParams.get('bought');
  await person.send(`/stock/receipts/${receiptId}/undo`);
  await person.expectFlash('purchase_undone');
  assert.equal(await left(), 8);
}
