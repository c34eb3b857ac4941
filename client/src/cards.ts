import { checkLimit } from './limit.ts';
import { type CallOptions, type PartnerApi, encodePathSegment } from './partner-api.ts';
import { readObject } from './read-response.ts';
import type { Card } from './types.ts';

/** The maximum length of a search in Unicode code points (spec 4.8). */
const SEARCH_LENGTH_MAX = 150;

/** spec 4.8 */
const CARDS_MAX = 25;

export interface SearchOptions extends CallOptions {
  /** The maximum number of cards to return, 1 to 25. Defaults to 25. */
  readonly limit?: number | undefined;
}

/** Searches for cards (4.8 GET /cards). */
export async function searchCards(
  api: PartnerApi,
  search: string,
  { limit, signal }: SearchOptions,
): Promise<readonly Card[]> {
  checkSearch(search);
  checkLimit('limit', limit, CARDS_MAX);
  const query = { search, limit };
  const response = await api.send({ method: 'GET', path: '/cards', query, signal });
  return readObject<{ readonly cards: readonly Card[] }>(response, { cards: 'array' }).cards;
}

function checkSearch(search: unknown): void {
  if (typeof search !== 'string') {
    throw new TypeError(`search must be a string, not ${typeof search}`);
  }
  const { length } = [...search];
  if (length >= 1 && length <= SEARCH_LENGTH_MAX) return;
  throw new RangeError(`search must have 1 to ${SEARCH_LENGTH_MAX} characters, not ${length}`);
}

/** Fetches one card (4.9 GET /cards/{id}). */
export async function getCard(api: PartnerApi, id: string, options: CallOptions): Promise<Card> {
  const path = `/cards/${encodePathSegment('id', id)}`;
  return readObject<Card>(await api.send({ method: 'GET', path, ...options }), {});
}
