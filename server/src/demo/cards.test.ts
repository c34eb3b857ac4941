import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { statusAt } from '../boosts/boost-status.ts';
import { parseIdentifier } from '../catalog/identifier.ts';
import { makeBoosts } from './boosts.ts';
import { makeCards, makeProducts } from './cards.ts';

describe('the demo catalog', () => {
  const cards = makeCards();
  const products = makeProducts();

  it('the rarest demo cards have unique JANs from the in-store range, which a search recognizes', () => {
    const rarest = cards.filter(({ of }) => of.rarity?.code === 'HR');
    assert.ok(rarest.length > 0 && rarest.length < cards.length / 10);
    assert.ok(cards.every(({ of }) => (of.janCode !== null) === (of.rarity?.code === 'HR')));
    const codes = [...rarest, ...products].map(({ of }) => of.janCode ?? '');
    assert.equal(new Set(codes).size, codes.length);
    for (const code of codes) {
      assert.match(code, /^29\d{11}$/);
      const sum = Array.from(code, Number).reduce(
        (total, digit, index) => total + digit * (index % 2 === 0 ? 1 : 3),
        0,
      );
      assert.equal(sum % 10, 0, `${code}: GS1's check digit`);
      assert.equal(parseIdentifier(code)?.kind, 'jan');
    }
  });

  it('the demo catalog has an open boost with a start in the past', () => {
    const now = new Date('2026-06-01T12:00:00.000Z');
    const begun = makeBoosts(cards, products, now).filter(({ change, followUp }) => {
      const { startsAt = null, endsAt = null, remainingQuantity = null } = change;
      const row = { startsAt, endsAt, remainingQuantity, isPaused: false, endedAt: null };
      return (
        followUp === null && startsAt !== null && startsAt < now && statusAt(row, now) === 'open'
      );
    });
    assert.equal(begun.length, 1);
  });
});
