import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { detailsOfCard, detailsOfProduct, type NamedCard } from './item-text.ts';
import { finishText, kindText, languageText, variantText } from './catalog-text.ts';

const CARD: NamedCard = {
  name: '月の番人',
  localizedNames: {},
  languageCode: 'ja',
  cardNumber: '012',
  setTotalRaw: '100',
  variant: null,
  finish: null,
  rarity: null,
  set: null,
};

describe('the description of a card or product', () => {
  it('the description has known catalog values in the page’s language, and omits the usual values', () => {
    const holo = { ...CARD, finish: 'holo', variant: '1st-edition' };
    const [variant, finish] = [variantText('1st-edition', 'en'), finishText('holo', 'en')];
    const [japanese, english] = [languageText('ja', 'en'), languageText('en', 'ja')];
    assert.equal(detailsOfCard(holo, 'en'), `012/100 · ${variant} · ${finish} · ${japanese}`);
    const words = [variantText('1st-edition', 'ja'), finishText('holo', 'ja')];
    assert.equal(detailsOfCard(holo, 'ja'), `012/100 · ${words.join(' · ')}`);
    assert.equal(new Set([variant, finish, ...words, '1st-edition', 'holo', null]).size, 7);
    assert.equal(detailsOfCard({ ...CARD, finish: 'normal', variant: 'normal' }, 'ja'), '012/100');
    assert.equal(detailsOfCard({ ...CARD, languageCode: 'en' }, 'ja'), `012/100 · ${english}`);
  });

  it('the description has unknown values as they are in the catalog', () => {
    const odd = { ...CARD, finish: 'lenticular', variant: 'parallel-1', languageCode: 'fr' };
    assert.equal(detailsOfCard(odd, 'ja'), '012/100 · parallel-1 · lenticular · fr');
  });

  it('the description names the kind of a product', () => {
    const product = {
      id: '42217b8b-4a92-4c1f-a0ec-934f627701c3',
      name: 'Sky Shards',
      productKind: 'box',
      janCode: null,
      languageCode: 'ja',
      imageUrl: null,
      game: { id: '42217b8b-4a92-4c1f-a0ec-934f627701c4', code: 'g', name: 'Game' },
    };
    const [box, japanese] = [kindText('box', 'en'), languageText('ja', 'en')];
    assert.equal(detailsOfProduct(product, 'en'), `${box} · Game · ${japanese}`);
    assert.equal(detailsOfProduct(product, 'ja'), `${kindText('box', 'ja')} · Game`);
    assert.equal(new Set([box, kindText('box', 'ja'), 'box', null]).size, 4);
    assert.equal(detailsOfProduct({ ...product, productKind: 'tin' }, 'ja'), 'tin · Game');
  });
});
