import { boostCardOf } from './card.ts';

// Catalog entries for the examples in the OpenAPI documents of both APIs.

const game = {
  id: '0f6c9f0e-6f0a-4b1c-9d55-1d0f3a1b7c01',
  code: 'skyfall',
  name: 'スカイフォール',
};
const set = { id: '3d8f1a52-9a3c-4c53-8f0b-2f6a4f5e8d02', code: 'SF01', name: '蒼天の夜明け' };

/** A Card (spec 2.2). */
export const EXAMPLE_CARD = {
  id: '7b2d9c1e-4f5a-4e6b-8c7d-9e0f1a2b3c03',
  name: '蒼天竜アルバ',
  localizedNames: { en: 'Alba, Dragon of the Blue' },
  cardNumber: 'SF01-001',
  setTotalRaw: '110',
  janCode: null,
  languageCode: 'ja',
  variant: null,
  finish: 'holo',
  imageUrl: 'https://images.example/sf01-001.png',
  rarity: { code: 'SR', name: 'スーパーレア' },
  set: { ...set, nameEn: 'Dawn of the Blue' },
  game,
};

export const EXAMPLE_BOOST_CARD = boostCardOf(EXAMPLE_CARD);

export const EXAMPLE_PRODUCT = {
  id: '8c3e0d2f-5a6b-4f7c-9d8e-0f1a2b3c4d04',
  name: '蒼天の夜明け BOX',
  productKind: 'box',
  janCode: '4901234567894',
  languageCode: 'ja',
  imageUrl: null,
  game,
};

/** The Grade of an external service (spec 2.3). */
export const EXAMPLE_GRADE = {
  id: '9d4f1e30-6b7c-4a8d-8e9f-1a2b3c4d5e05',
  code: '10',
  label: 'Gem 10',
  serviceCode: 'kumo',
  serviceName: 'Kumo Grading',
  serviceKind: 'third_party',
};
