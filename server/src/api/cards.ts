import { isUuid } from '../base/field.ts';
import { readCards } from '../catalog/read-entries.ts';
import { ApiError, serviceUnavailable } from '../http/errors.ts';
import type { EndpointResponse, AuthorizedRequest, Endpoint, PartnerDeps } from './endpoint.ts';
import { invalidRequest, readLimit, readParameter } from './parameters.ts';
import { tooManyReads, limitReads } from './read-limit.ts';

/** spec 4.8: the maximum length of `search` in code points; maximum and default of `limit`. */
const SEARCH_LENGTH_MAX = 150;
const CARDS_MAX = 25;

/** spec 4.8: GET /cards */
export const getCards: Endpoint = {
  method: 'GET',
  path: '/cards',
  scopes: ['inventory:read'],
  permission: null,
  needsConnection: true,
  bucket: 'search',
  body: 'ignored',
  docs: {
    operationId: 'searchCards',
    summary: 'Search the card catalog',
    description:
      'Finds active cards by name in any language, card number, set, JAN code or id, best match first. If there are several words, all must match. One of them may be a rarity; a rarity code alone finds nothing. The search also matches the beginnings of names and spellings in kana or romaji, and tolerates typing errors in a complete name.',
    query: [
      {
        name: 'search',
        description: 'The text to search for.',
        required: true,
        schema: { type: 'string', minLength: 1, maxLength: SEARCH_LENGTH_MAX },
      },
      {
        name: 'limit',
        description: 'The maximum number of cards.',
        schema: { type: 'integer', minimum: 1, maximum: CARDS_MAX, default: CARDS_MAX },
      },
    ],
    responses: {
      200: { description: 'The matching cards. Empty if nothing matches.', schema: 'CardList' },
    },
    refusals: [[400, 'invalid_request']],
  },
  handler: handleGetCards,
};

async function handleGetCards(
  deps: PartnerDeps,
  { access, request }: AuthorizedRequest,
): Promise<EndpointResponse> {
  const text = readSearch(request.query);
  const limit = readLimit(request.query, CARDS_MAX, CARDS_MAX);
  const { shopId, clientId } = access;
  const searcher = { path: [shopId, clientId], signal: request.signal } as const;
  const found = await deps.search.find(text, limit, searcher);
  if (found.kind !== 'found') {
    throw serviceUnavailable({
      cause: new Error('the search index is not available, or too many searches are waiting'),
    });
  }
  return { status: 200, body: JSON.stringify({ cards: found.cards }) };
}

/** Returns `search` unchanged. Its length is counted in code points (decision 0005). */
function readSearch(query: unknown): string {
  const text = readParameter(query, 'search');
  if (text === undefined || text === '') throw invalidRequest();
  // A code point has at most two UTF-16 units, so a longer text need not be counted.
  if (text.length > SEARCH_LENGTH_MAX * 2) throw invalidRequest();
  if ([...text].length > SEARCH_LENGTH_MAX) throw invalidRequest();
  return text;
}

/** spec 4.9: GET /cards/{id} */
export const getCard: Endpoint = {
  method: 'GET',
  path: '/cards/:id',
  scopes: ['inventory:read'],
  permission: null,
  needsConnection: true,
  bucket: 'api',
  body: 'ignored',
  docs: {
    operationId: 'getCard',
    summary: 'Show a card',
    description: 'Inactive cards are returned too, because stock may refer to them.',
    query: [],
    responses: { 200: { description: 'The card.', schema: 'Card' } },
    refusals: [[404, 'not_found']],
  },
  handler: async (deps, { access, request }) => {
    const id = readId(request.params);
    if (id === null) throw new ApiError(404, 'not_found');
    const runInSlot = limitReads(deps, access, request);
    const cards = await runInSlot(async () => await readCards(deps.db, [id]));
    if (cards === undefined) throw tooManyReads();
    const card = cards.value.get(id);
    if (card === undefined) throw new ApiError(404, 'not_found');
    return { status: 200, body: JSON.stringify(card) };
  },
};

function readId(params: unknown): string | null {
  if (typeof params !== 'object' || params === null) return null;
  const id: unknown = Reflect.get(params, 'id');
  return isUuid(id) ? id.toLowerCase() : null;
}
