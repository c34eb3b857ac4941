import { checkLimit } from './limit.ts';
import { type CallOptions, type PartnerApi, pathPart } from './partner-api.ts';
import { readObject } from './read-answer.ts';
import type { Card } from './types.ts';

/** Code points, as people count (specification 4.8). */
const SEARCH_LENGTH_MAX = 150;

/** The cards of one answer at most (specification 4.8). */
const CARDS_MAX = 25;

/** How many cards a search answers with. */
export interface SearchOptions extends CallOptions {
  /** 1 to 25; 25 unless given. */
  readonly limit?: number | undefined;
}

/** 4.8 GET /cards */
export async function searchCards(
  api: PartnerApi,
  search: string,
  { limit, signal }: SearchOptions,
): Promise<readonly Card[]> {
  checkSearch(search);
  checkLimit('limit', limit, CARDS_MAX);
  const query = { search, limit };
  const answer = await api.send({ method: 'GET', path: '/cards', query, signal });
  return readObject<{ readonly cards: readonly Card[] }>(answer, { cards: 'array' }).cards;
}

function checkSearch(search: unknown): void {
  if (typeof search !== 'string') {
    throw new TypeError(`search must be a text, not ${typeof search}`);
  }
  const { length } = [...search];
  if (length >= 1 && length <= SEARCH_LENGTH_MAX) return;
  throw new RangeError(`search must have 1 to ${SEARCH_LENGTH_MAX} characters, and has ${length}`);
}

/** 4.9 GET /cards/{id} */
export async function getCard(api: PartnerApi, id: string, options: CallOptions): Promise<Card> {
  const path = `/cards/${pathPart('id', id)}`;
  return readObject<Card>(await api.send({ method: 'GET', path, ...options }), {});
}
