import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { toSearchableCard } from '../../test/searchable-card.ts';
import { makeCards } from '../demo/cards.ts';
import type { SearchableCard } from './searchable-card.ts';
import { CardSample, sampleQueriesOf, warmUp } from './warm-up.ts';

function searchable(): SearchableCard[] {
  return makeCards().map(({ of }) => toSearchableCard(of));
}

describe('the sample of cards', () => {
  it('passes every card on and keeps some from all of them', () => {
    const cards = searchable();
    for (const count of [0, 1, 63, 64, 127, 128, 129, cards.length]) {
      const sample = new CardSample();
      const passed = [...sample.through(cards.slice(0, count))];
      assert.deepEqual(passed, cards.slice(0, count));
      assert.ok(sample.cards.length >= Math.min(count, 64) && sample.cards.length < 128);
      const places = sample.cards.map((card) => cards.indexOf(card));
      assert.ok(count === 0 || (places.at(-1) ?? 0) >= count * 0.9 - 1, String(count));
    }
  });
});

describe('warming up an index', () => {
  it('searches for names, parts of them, typos and numbers, each several times', () => {
    const cards = searchable().slice(0, 5);
    const asked: string[] = [];
    warmUp((text) => asked.push(text), cards);
    const questions = sampleQueriesOf(cards);
    assert.deepEqual(asked, [...questions, ...questions, ...questions]);
    const [card] = cards;
    assert.ok(questions.includes(card?.name ?? ''));
    assert.ok(questions.includes(`${card?.setCode} ${card?.cardNumber}`));
    assert.ok(questions.every((question) => [...question].length <= 150));
  });

  it('does not search an index without cards', () => {
    warmUp(() => assert.fail(), []);
  });
});
