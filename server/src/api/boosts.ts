import type { BoostListBody } from '../boosts/boost-list.ts';
import { BOOST_INCLUDES, type BoostInclude } from '../boosts/boost-status.ts';
import type { EndpointResponse, Endpoint } from './endpoint.ts';
import { invalidRequest, readParameter } from './parameters.ts';

/** spec 4.4, 5.5: GET /purchase-boosts */
export const getBoosts: Endpoint = {
  method: 'GET',
  path: '/purchase-boosts',
  scopes: ['purchase-boosts:read'],
  permission: 'purchases.read',
  needsConnection: true,
  bucket: 'api',
  body: 'ignored',
  docs: {
    operationId: 'listPurchaseBoosts',
    summary: 'List the buy boosts that are open now',
    description:
      'Highest price first. Boosts that have not started, are paused, have ended or have expired are never listed. The member who approved the app needs the permission `purchases.read`.',
    query: [
      {
        name: 'include',
        description: '`filled` also lists boosts with nothing left to buy.',
        schema: { type: 'string', enum: BOOST_INCLUDES, default: 'open' },
      },
    ],
    responses: { 200: { description: 'The complete list.', schema: 'PurchaseBoostList' } },
    refusals: [[400, 'invalid_request']],
  },
  handler: ({ boosts }, { access, request }) => {
    const body = boosts.find(access.shopId, readInclude(request.query));
    return body instanceof Promise ? body.then(toResponse) : toResponse(body);
  },
};

function toResponse(body: BoostListBody): EndpointResponse {
  return { status: 200, body };
}

function readInclude(query: unknown): BoostInclude {
  const text = readParameter(query, 'include') ?? 'open';
  const include = BOOST_INCLUDES.find((each) => each === text);
  if (include === undefined) throw invalidRequest();
  return include;
}
