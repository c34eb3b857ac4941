import { type CallOptions, type PartnerApi, pathPart } from './partner-api.ts';
import { readObject } from './read-answer.ts';
import type { Card } from './types.ts';

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
  const query = { search, limit };
  const answer = await api.send({ method: 'GET', path: '/cards', query, signal });
  return readObject<{ readonly cards: readonly Card[] }>(answer, { cards: 'array' }).cards;
}

/** 4.9 GET /cards/{id} */
export async function getCard(api: PartnerApi, id: string, options: CallOptions): Promise<Card> {
  const path = `/cards/${pathPart('id', id)}`;
  return readObject<Card>(await api.send({ method: 'GET', path, ...options }), {});
}
