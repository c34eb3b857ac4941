import { requestIdOf } from './response-error.ts';
import { MalformedAnswerError } from './local-errors.ts';
import { checkPageLimit } from './limit.ts';
import { type CallOptions, type PartnerApi, encodePathSegment } from './partner-api.ts';
import { isObject, readObject } from './read-response.ts';
import type { ChangePage, KnownPhotoSide, OpenSet, Photo, Site } from './types.ts';

export interface ChangePageOptions extends CallOptions {
  /**
   * The `nextCursor` of a page or `cursor` of a connection. By default, reads from the beginning.
   */
  readonly cursor?: string | null | undefined;
  /** The maximum number of records, 1 to 1,000. The service's default is 500. */
  readonly limit?: number | undefined;
}

export interface PhotoOptions extends CallOptions {
  /** Length of the long edge: `small` 360 pixels, `large` 1,600. Defaults to `large`. */
  readonly size?: 'small' | 'large' | undefined;
  /** The ETag of your copy. If the photo has not changed, the result is `'unchanged'`. */
  readonly etag?: string | null | undefined;
}

/** Lists the sites (4.5 GET /inventory/sites). */
export async function listSites(api: PartnerApi, options: CallOptions): Promise<readonly Site[]> {
  const response = await api.send({ method: 'GET', path: '/inventory/sites', ...options });
  return readObject<{ readonly sites: readonly Site[] }>(response, { sites: 'array' }).sites;
}

/** Fetches a page of the change feed (4.6 GET /inventory/changes). */
export async function getChangePage(
  api: PartnerApi,
  { cursor, limit, signal }: ChangePageOptions,
): Promise<ChangePage> {
  checkPageLimit(limit);
  const query = { cursor: cursor ?? undefined, limit };
  const response = await api.send({ method: 'GET', path: '/inventory/changes', query, signal });
  const page = readObject<ChangePage>(response, {
    changes: 'array',
    nextCursor: 'string',
    hasMore: 'boolean',
  });
  // A record needs kind and id to be stored. An empty cursor would restart at the beginning.
  const isValid = page.nextCursor !== '' && page.changes.every(isRecord);
  if (isValid) return page;
  throw new MalformedAnswerError({
    message: 'the page has an empty cursor, or a record without kind or id',
    status: response.status,
    requestId: requestIdOf(response.headers),
  });
}

function isRecord(change: unknown): boolean {
  if (!isObject(change)) return false;
  const kind: unknown = Reflect.get(change, 'kind');
  const id: unknown = Reflect.get(change, 'id');
  return typeof kind === 'string' && typeof id === 'string' && id !== '';
}

/** Fetches a photo (4.7 GET /inventory/items/{id}/photos/{side}). */
export async function getPhoto(
  api: PartnerApi,
  unitId: string,
  side: OpenSet<KnownPhotoSide>,
  { size, etag, signal }: PhotoOptions,
): Promise<Photo | 'unchanged'> {
  const path = `/inventory/items/${encodePathSegment('unitId', unitId)}/photos/${encodePathSegment('side', side)}`;
  const isConditional = typeof etag === 'string';
  const response = await api.send({
    method: 'GET',
    path,
    query: { size },
    headers: { accept: 'image/*', ...(isConditional ? { 'if-none-match': etag } : {}) },
    ...(isConditional ? { alsoAccepts: [304] } : {}),
    signal,
  });
  if (response.status === 304) return 'unchanged';
  return {
    bytes: response.bytes,
    contentType: response.headers.get('content-type') ?? 'application/octet-stream',
    etag: response.headers.get('etag'),
  };
}
