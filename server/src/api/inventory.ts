import { ApiError, serviceUnavailable } from '../http/errors.ts';
import { readChanges } from '../inventory/feed.ts';
import { readSitesText } from '../inventory/site.ts';
import type { Access } from '../approvals/access.ts';
import type { EndpointResponse, AuthorizedRequest, Endpoint, PartnerDeps } from './endpoint.ts';
import { invalidRequest, readLimit, readParameter } from './parameters.ts';
import { tooManyReads, limitReads } from './read-limit.ts';

/** A thousand units are about 1 MB (decision 0004). */
const PAGE_RECORDS_MAX = 1_000;
const PAGE_RECORDS_DEFAULT = 500;

/** spec 4.5: GET /inventory/sites */
export const getSites: Endpoint = {
  method: 'GET',
  path: '/inventory/sites',
  scopes: ['inventory:read'],
  permission: null,
  needsConnection: true,
  bucket: 'api',
  body: 'ignored',
  docs: {
    operationId: 'listSites',
    summary: 'List all sites and storage locations',
    description: 'Includes inactive sites and locations.',
    query: [],
    responses: { 200: { description: 'Every site with its locations.', schema: 'SiteList' } },
    refusals: [],
  },
  handler: async (deps, { access, request }) => {
    const runInSlot = limitReads(deps, access, request);
    const sites = await runInSlot(async () => await readSitesText(deps.db, access.shopId));
    if (sites === undefined) throw tooManyReads();
    return { status: 200, body: `{"sites":${sites.value}}` };
  },
};

/** spec 4.6: GET /inventory/changes */
export const getChanges: Endpoint = {
  method: 'GET',
  path: '/inventory/changes',
  scopes: ['inventory:read'],
  permission: null,
  needsConnection: true,
  bucket: 'api',
  body: 'ignored',
  docs: {
    operationId: 'listChanges',
    summary: 'List changes to sites, locations and units',
    description:
      'Each object appears once, with its current value: upsert it by `id`. While `hasMore` is true, continue with `nextCursor`. Store the last `nextCursor` and start from it the next time.',
    query: [
      {
        name: 'cursor',
        description:
          'The cursor from which to continue. If omitted, the feed is read from the beginning.',
        schema: { type: 'string' },
      },
      {
        name: 'limit',
        description: 'The maximum number of records.',
        schema: {
          type: 'integer',
          minimum: 1,
          maximum: PAGE_RECORDS_MAX,
          default: PAGE_RECORDS_DEFAULT,
        },
      },
    ],
    responses: {
      200: {
        description: 'A page of changes. Empty if nothing has changed.',
        schema: 'ChangePage',
      },
    },
    refusals: [
      [400, 'invalid_request'],
      [410, 'cursor_expired'],
    ],
  },
  handler: handleGetChanges,
};

async function handleGetChanges(
  deps: PartnerDeps,
  { access, request }: AuthorizedRequest,
): Promise<EndpointResponse> {
  const { shopId } = access;
  const limit = readLimit(request.query, PAGE_RECORDS_MAX, PAGE_RECORDS_DEFAULT);
  const cursorText = readParameter(request.query, 'cursor');
  const decoded = cursorText === undefined ? null : deps.cursors.decode(shopId, cursorText);
  const position = decoded instanceof Promise ? await decoded : decoded;
  // A malformed, altered or foreign cursor gets the same response, so that probing reveals nothing.
  if (cursorText !== undefined && position === null) throw invalidRequest();
  // Even an expired cursor counts as activity (decision 0003); a forged one proves nothing.
  if (access.connection !== null) deps.feedReads.record(shopId, access.connection.id, position);
  const runInSlot = limitReads(deps, access, request);
  const options = { limit, canSeeCost: canSeeCost(access), runInSlot };
  const page = await readChanges(deps.db, shopId, position, options);
  if (page.kind === 'expired') {
    if (position !== null) await deps.restores.reportExpiredCursor(shopId, position);
    throw new ApiError(410, 'cursor_expired');
  }
  if (position !== null && deps.restores.isReplaced) throw serviceUnavailable();
  if (page.kind === 'busy') throw tooManyReads();
  const cursor = deps.cursors.encode(shopId, page.next);
  const [head, tail] = ['{"changes":[', `],"nextCursor":"${cursor}","hasMore":${page.hasMore}}`];
  const { recordBytes } = page;
  const isEmpty = recordBytes.length === 0;
  return {
    status: 200,
    body: isEmpty
      ? head + tail
      : Buffer.concat([Buffer.from(head), recordBytes, Buffer.from(tail)]),
  };
}

/** decision 0001: the shop shares cost with this app, and the approving member may see it. */
function canSeeCost(access: Access): boolean {
  return access.app.sharesCost && access.member?.permissions.includes('inventory.cost') === true;
}
