import type { Game } from './card.ts';

/** A sealed product (BOX, pack, deck) of the catalog: BoostProduct of specification 2.3, in its order. */
export interface BoostProduct {
  readonly id: string;
  readonly name: string;
  /** `box`, `pack`, `deck`, …: an open set. */
  readonly productKind: string;
  readonly janCode: string | null;
  readonly languageCode: string;
  readonly imageUrl: string | null;
  readonly game: Game;
}
