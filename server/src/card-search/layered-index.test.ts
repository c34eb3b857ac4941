import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { makeSearchableCard } from '../../test/searchable-card.ts';
import { CardIndex, type SearchableCard } from './card-index.ts';
import { LAYER_CARDS_MAX, LayeredIndex } from './layered-index.ts';
import { traitsOf } from './traits.ts';

/** Returns a card whose id depends only on `n`. */
function card(n: number, name: string): SearchableCard {
  return makeSearchableCard(name, { id: `00000000-0000-4000-8000-${String(n).padStart(12, '0')}` });
}

/** Applies a change of `cards` and a removal of `gone`. */
function apply(
  index: LayeredIndex,
  cards: readonly SearchableCard[],
  gone: readonly string[] = [],
): void {
  index.apply([...cards.map(({ id }) => id), ...gone], cards);
}

describe('an index with layers', () => {
  it('answers from the base, and with the changes of each layer', () => {
    const index = new LayeredIndex(CardIndex.build([card(1, '青竜'), card(2, '白竜')]));
    assert.deepEqual(index.find('竜', 25).toSorted(), [card(1, '').id, card(2, '').id]);
    apply(index, [card(3, '赤竜')]);
    assert.equal(index.find('竜', 25).length, 3);
    assert.deepEqual(index.find('赤竜', 25), [card(3, '').id]);
  });

  it('hides outdated results of a changed card, in the base and in every layer', () => {
    const index = new LayeredIndex(CardIndex.build([card(1, '青竜')]));
    for (const name of ['白い虎', '黒い亀', '赤い鳥']) {
      apply(index, [card(1, name)]);
      assert.deepEqual(index.find(name, 25), [card(1, '').id], name);
      assert.deepEqual(index.find('青竜', 25), []);
    }
    assert.deepEqual(index.find('白い虎', 25), []);
    assert.deepEqual(index.find('黒い亀', 25), []);
  });

  it('hides outdated results in a layer that is too large to merge', () => {
    const index = new LayeredIndex(CardIndex.build([]));
    const many = Array.from({ length: LAYER_CARDS_MAX }, (_, n) => card(n, `竜${n}`));
    apply(index, many);
    apply(index, [card(7, '白い虎')], [card(8, '').id]);
    assert.equal(index.size.layers, 2);
    assert.deepEqual(index.find('白い虎', 25), [card(7, '').id]);
    for (const n of [7, 8]) assert.ok(!index.find(`竜${n}`, 25).includes(card(n, '').id));
    assert.equal(index.find('竜9', 25)[0], card(9, '').id);
  });

  it('hides a card that is no longer active, and shows it when it is active again', () => {
    const index = new LayeredIndex(CardIndex.build([card(1, '青竜')]));
    apply(index, [], [card(1, '').id]);
    assert.deepEqual(index.find('青竜', 25), []);
    apply(index, [card(1, '青竜')]);
    assert.deepEqual(index.find('青竜', 25), [card(1, '').id]);
  });

  it('ranks the hits of all layers together, up to the limit', () => {
    const index = new LayeredIndex(CardIndex.build([card(1, '青竜の長い名前')]));
    apply(index, [card(2, '青竜')]);
    assert.deepEqual(index.find('青竜', 25), [card(2, '').id, card(1, '').id]);
    assert.deepEqual(index.find('青竜', 1), [card(2, '').id]);
  });

  it('merges small layers: single changes do not accumulate', () => {
    const index = new LayeredIndex(CardIndex.build([]));
    for (let n = 0; n < 1_000; n++) apply(index, [card(n, `竜${n}`)]);
    const { layers, layered } = index.size;
    assert.equal(layered, 1_000);
    assert.ok(layers <= 10, `${layers} layers`);
    for (const n of [0, 1, 500, 998, 999]) {
      assert.equal(index.find(`竜${n}`, 25)[0], card(n, '').id);
    }
  });

  it('counts a card once, however often it changes', () => {
    const index = new LayeredIndex(CardIndex.build([card(1, '青竜')]));
    for (let n = 0; n < 50; n++) apply(index, [card(1, `竜${n}`)]);
    assert.deepEqual(index.size, { base: 1, layered: 1, layers: 1 });
  });

  it('limits layers, so that no merge delays searches for long', () => {
    const index = new LayeredIndex(CardIndex.build([]));
    const batch = LAYER_CARDS_MAX / 4;
    for (let n = 0; n < 12; n++) {
      apply(
        index,
        Array.from({ length: batch }, (_, at) => card(n * batch + at, `竜${n * batch + at}`)),
      );
    }
    const { layers, layered } = index.size;
    assert.equal(layered, 3 * LAYER_CARDS_MAX);
    assert.ok(layers >= 3 && layers <= 20, `${layers} layers`);
  });

  it('drops a word that leaves no card, but never the whole page', () => {
    const index = new LayeredIndex(CardIndex.build([card(1, '青竜'), card(2, '白竜')]));
    apply(index, [{ ...card(3, 'Charizard'), cardNumber: '44' }]);
    assert.deepEqual(index.find('PSA 44', 25), []);
    assert.deepEqual(index.find('qqqq charizard 44', 25), [card(3, '').id]);
    assert.deepEqual(index.find('青竜 qqqq 白竜', 25).length, 1);
    assert.deepEqual(index.find('PSA10 charizard', 25), [card(3, '').id]);
    assert.deepEqual(index.find('charzard qqqq', 25), [card(3, '').id]);
    assert.deepEqual(index.find('qqqq wwww', 25), []);
    assert.deepEqual(index.find('qqqq', 25), []);
  });

  it('finds a card by its name with its game, language, variant and finish', () => {
    const look = { gameCode: 'pokemon', languageCode: 'ja', variant: '1st Edition' };
    const first = { ...card(1, 'ソラ'), traits: traitsOf({ ...look, finish: 'reverse' }) };
    const other = { gameCode: 'yugioh', languageCode: 'en', variant: null, finish: null };
    const second = { ...card(2, 'ソラ'), traits: traitsOf(other) };
    const index = new LayeredIndex(CardIndex.build([first, second]));
    for (const words of ['ポケカ', '日本語', 'japanese', '初版', '1st edition', 'reverse foil']) {
      assert.deepEqual(index.find(`ソラ ${words}`, 25), [first.id], words);
    }
    for (const words of ['遊戯王', '英語', 'english ygo']) {
      assert.deepEqual(index.find(`${words} ソラ`, 25), [second.id], words);
    }
    assert.equal(index.find('ソラ 英語 パラレル', 25)[0], second.id);
  });

  it('finds a promotional card by its number and the code of its set after a slash', () => {
    const promo = { ...card(1, 'ソラ'), cardNumber: '001', setCode: 'SV-P' };
    const other = { ...card(2, 'ソラ'), cardNumber: '001', setTotalRaw: '165', setCode: 'SV2a' };
    const index = new LayeredIndex(CardIndex.build([promo, other]));
    for (const text of ['001/SV-P', '1/SVP', 'ソラ 001/SV-P', '001 / SV-P']) {
      assert.deepEqual(index.find(text, 25)[0], promo.id, text);
    }
    assert.deepEqual(index.find('001/SV-P', 25), [promo.id]);
    assert.deepEqual(index.find('001/165', 25), [other.id]);
  });
});
