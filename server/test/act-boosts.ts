import assert from 'node:assert/strict';
import { idOf, type Person } from './act-person.ts';

/** Makes a boost as a member does, and returns its id. */
export async function makeBoost(person: Person, price: string): Promise<string> {
  await person.open('/boosts');
  const { page } = person;
  const add = person.say(['New buy boost', '買取強化を登録']);
  // An empty list offers it twice.
  const link = page.getByRole('link', { name: add, exact: true }).first();
  await person.leading(async () => await link.click());
  await person.pickCard();
  await person.field(['Price for each', '1 点あたりの買取価格']).fill(price);
  await person.field(['How many you still buy', '残りの買取数']).fill('5');
  await person.field(['Note', 'メモ']).fill('美品のみ <b>');
  await person.press(['Create buy boost', '登録する']);
  await person.reads(['The buy boost was created.', '買取強化を登録しました。']);
  const id = idOf(page);
  const made = await person.scene.till('GET', `/boosts/${id}`);
  const { status, remainingQuantity, note } = made;
  assert.deepEqual([status, remainingQuantity, note], ['open', 5, '美品のみ <b>']);
  assert.ok(JSON.stringify(made).includes(person.scene.card.id));
  return id;
}

/** Everything that can be done with boosts, by somebody who may. */
export async function actOnBoosts(person: Person): Promise<void> {
  const { scene } = person;
  await person.open('/boosts/new');
  await person.press(['Create buy boost', '登録する']);
  await person.reads(['This could not be saved yet:', '入力内容をご確認ください。']);
  await person.examine(422);
  const id = await makeBoost(person, '1200');
  const now = async (): Promise<Readonly<Record<string, unknown>>> =>
    await scene.till('GET', `/boosts/${id}`);
  await person.press(['Pause', '一時停止']);
  await person.reads(['Paused. Apps no longer see', '一時停止しました。']);
  assert.equal((await now())['status'], 'paused');
  await person.press(['Resume', '再開']);
  await person.reads(['Resumed.', '再開しました。']);
  assert.equal((await now())['status'], 'open');
  await person.field(['How many more', '追加する数']).fill('3');
  await person.press(['Raise the quantity', '買取数を増やす']);
  await person.reads(['You buy more of it now.', '残りの買取数を増やしました。']);
  assert.equal((await now())['remainingQuantity'], 8);
  await person.follow(['Edit', '編集']);
  await person.field(['Price for each', '1 点あたりの買取価格']).fill('1500');
  // Meanwhile the till has changed it.
  await scene.till('PUT', `/boosts/${id}`, { priceMinor: 1_300 });
  await person.press(['Save', '保存する']);
  await person.reads(['Changed meanwhile', 'ほかの変更と重なりました']);
  await person.examine(409);
  assert.equal((await now())['priceMinor'], 1_300);
  await person.press(['Save what is chosen', '選んだ内容で保存する']);
  await person.reads(['Saved.', '保存しました。']);
  assert.equal((await now())['priceMinor'], 1_500);
  await person.follow(['End…', '終了…']);
  await person.press(['End it for good', '完全に終了する']);
  await person.reads(['The buy boost was ended.', '買取強化を終了しました。']);
  assert.equal((await now())['status'], 'ended');
}
