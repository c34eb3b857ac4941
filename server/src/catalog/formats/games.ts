import type { Game } from '../card.ts';
import { deriveId } from './derived-id.ts';

function gameOf(code: string, name: string): Game {
  return { id: deriveId('game', code), code, name };
}

/** The games of the public formats. All formats of a game use the same id. */
export const games = {
  magic: gameOf('magic', 'Magic: The Gathering'),
  pokemon: gameOf('pokemon', 'Pokémon Trading Card Game'),
  yugioh: gameOf('yugioh', 'Yu-Gi-Oh! Trading Card Game'),
} as const;
