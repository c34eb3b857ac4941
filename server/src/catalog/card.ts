/** Names of one thing in other languages and scripts: BCP 47 tag → name (`{"ja": "…", "ja-Latn": "…"}`). */
export type LocalizedNames = Readonly<Record<string, string>>;

/** A game that cards and products belong to. */
export interface Game {
  readonly id: string;
  readonly code: string;
  readonly name: string;
}

/** How rare a card is within its set. */
export interface Rarity {
  readonly code: string;
  readonly name: string;
}

/** The set that a card was printed in, as a Card shows it. */
export interface CardSet {
  readonly id: string;
  readonly code: string;
  readonly name: string;
  readonly nameEn: string | null;
}

/** A card of the catalog: every field of specification 2.2, in its order. */
export interface Card {
  readonly id: string;
  readonly name: string;
  readonly localizedNames: LocalizedNames;
  readonly cardNumber: string | null;
  readonly setTotalRaw: string | null;
  readonly janCode: string | null;
  readonly languageCode: string;
  readonly variant: string | null;
  readonly finish: string | null;
  readonly imageUrl: string | null;
  readonly rarity: Rarity | null;
  readonly set: CardSet | null;
  readonly game: Game;
}

/** A card as the target of a buy boost shows it: the fewer fields of specification 2.3. */
export interface BoostCard {
  readonly id: string;
  readonly name: string;
  readonly localizedNames: LocalizedNames;
  readonly cardNumber: string | null;
  readonly setTotalRaw: string | null;
  readonly languageCode: string;
  readonly imageUrl: string | null;
  readonly rarity: Rarity | null;
  readonly set: { readonly id: string; readonly code: string; readonly name: string } | null;
  readonly game: Game;
}

/** The card as the target of a buy boost shows it (specification 2.3, BoostCard). */
export function boostCardOf(card: Card): BoostCard {
  const { set } = card;
  return {
    id: card.id,
    name: card.name,
    localizedNames: card.localizedNames,
    cardNumber: card.cardNumber,
    setTotalRaw: card.setTotalRaw,
    languageCode: card.languageCode,
    imageUrl: card.imageUrl,
    rarity: card.rarity,
    set: set === null ? null : { id: set.id, code: set.code, name: set.name },
    game: card.game,
  };
}
