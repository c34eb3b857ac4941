/** Returns a readable UUID. `kind` is two hexadecimal digits, and `number` is a counter. */
export function readableUuid(kind: string, number: number): string {
  return `c0f0c0de-00${kind}-4000-8000-${String(number).padStart(12, '0')}`;
}

const game = { id: readableUuid('01', 1), code: 'hoshi', name: '星のかけら' };
const set = {
  id: readableUuid('02', 1),
  code: 'HK01',
  name: '星の目覚め',
  nameEn: 'Awakening Stars',
};

/** A card with a value in every field. */
export const fullCard = {
  id: readableUuid('03', 1),
  name: '星降る竜アルバ',
  localizedNames: { ja: '星降る竜アルバ', en: 'Alba, Dragon of Falling Stars' },
  cardNumber: 'HK-777',
  setTotalRaw: '110',
  janCode: '4901234567894',
  languageCode: 'ja',
  variant: 'alternate art',
  finish: 'holo',
  imageUrl: 'https://images.example/alba.png',
  rarity: { code: 'SR', name: 'スーパーレア' },
  set,
  game,
};

/** A card with null in every nullable field. */
export const plainCard = {
  id: readableUuid('03', 2),
  name: '名もなき旅人',
  localizedNames: {},
  cardNumber: null,
  setTotalRaw: null,
  janCode: null,
  languageCode: 'ja',
  variant: null,
  finish: null,
  imageUrl: null,
  rarity: null,
  set: null,
  game,
};

/** An inactive card, which no search may find. */
export const inactiveCard = {
  ...fullCard,
  id: readableUuid('03', 3),
  name: '忘れられた賢者',
  localizedNames: { ja: '忘れられた賢者' },
  cardNumber: 'HK-999',
  janCode: '4909876543214',
  isActive: false,
};

/**
 * Returns a card as a boost shows it: without `janCode`, `variant`, `finish` and the set's `nameEn`
 * (2.3).
 */
export function boostCardOf(card: typeof fullCard | typeof plainCard): Record<string, unknown> {
  const { janCode: _jan, variant: _variant, finish: _finish, set: itsSet, ...shown } = card;
  if (itsSet === null) return { ...shown, set: null };
  const { nameEn: _english, ...shownSet } = itsSet;
  return { ...shown, set: shownSet };
}

/** The common prefix of more than 25 names. */
export const COMMON_NAME = '量産型の兵士';
const COMMON_CARDS = 30;

/** More than 25 cards whose names all begin with {@link COMMON_NAME}. */
export const commonCards: readonly object[] = Array.from({ length: COMMON_CARDS }, (_, index) => ({
  ...fullCard,
  id: readableUuid('04', index),
  name: `${COMMON_NAME} ${index + 1}号`,
  localizedNames: {},
  cardNumber: `HK-1${String(index).padStart(2, '0')}`,
  janCode: withCheckDigit(`45${String(index).padStart(10, '0')}`),
  variant: 'normal',
}));

/** A sealed product. */
export const product = {
  id: readableUuid('05', 1),
  name: '星の目覚め BOX',
  productKind: 'box',
  janCode: '4912345678904',
  languageCode: 'ja',
  imageUrl: 'https://images.example/box.png',
  game,
};

/** A grade of an external service. */
export const thirdPartyGrade = {
  id: readableUuid('06', 1),
  code: '10',
  label: 'Gem 10',
  serviceCode: 'kumo',
  serviceName: 'Kumo Grading',
  serviceKind: 'third_party',
};

/** Returns the catalog as a file for `catalog import`. */
export function catalogLines(): string {
  const lines = [fullCard, plainCard, inactiveCard, ...commonCards, product, thirdPartyGrade];
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
}

/** Returns a JAN code: twelve digits and their check digit (GS1). */
function withCheckDigit(digits: string): string {
  const sum = [...digits].reduce(
    (total, digit, index) => total + Number(digit) * (index % 2 === 0 ? 1 : 3),
    0,
  );
  return `${digits}${(10 - (sum % 10)) % 10}`;
}
