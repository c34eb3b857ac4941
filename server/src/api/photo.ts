import type { Readable } from 'node:stream';
import { isUuid } from '../base/field.ts';
import { ApiError, serviceUnavailable } from '../http/errors.ts';
import { respondWithRepresentation } from '../http/representation.ts';
import { findUnitPhoto } from '../inventory/photo.ts';
import { photoContent } from '../inventory/photo-content.ts';
import { parseSide, PHOTO_SIDES, type UnitPhoto } from '../inventory/unit-photo.ts';
import { parseImageSize, IMAGE_SIZES, StoreUnavailable } from '../images/image-store.ts';
import type { EndpointResponse, AuthorizedRequest, Endpoint, PartnerDeps } from './endpoint.ts';
import { invalidRequest, readParameter } from './parameters.ts';

/** spec 4.7: GET /inventory/items/{id}/photos/{side} */
export const getPhoto: Endpoint = {
  method: 'GET',
  path: '/inventory/items/:id/photos/:side',
  scopes: ['inventory:read'],
  permission: null,
  needsConnection: true,
  bucket: 'photos',
  body: 'ignored',
  docs: {
    operationId: 'getPhoto',
    summary: 'Get a photo of a unit',
    description:
      '`side` is `front` or `back`, as listed in the unit’s `photos`. For both sizes, the `ETag` header equals the `etag` listed there. Send it in `If-None-Match` to get 304 for an unchanged photo. HEAD returns the same headers.',
    // Not an enum: sides may be added, and apps request those named in the unit's `photos`.
    path: { side: { type: 'string', examples: [...PHOTO_SIDES] } },
    query: [
      {
        name: 'size',
        description:
          'The size of the image: its long edge has at most 1,600 pixels (`large`) or 360 pixels (`small`).',
        schema: { enum: [...IMAGE_SIZES], default: 'large' },
      },
    ],
    headers: [
      {
        name: 'If-None-Match',
        description:
          'The `etag` of the image that you have, with its quotes. Several are separated by commas.',
        schema: { type: 'string' },
      },
      {
        name: 'If-Modified-Since',
        description:
          'The `Last-Modified` of the image that you have. Ignored if `If-None-Match` is sent.',
        schema: { type: 'string' },
      },
    ],
    responses: {
      200: {
        description: 'The image.',
        schema: null,
        contentTypes: ['image/jpeg', 'image/webp'],
      },
      304: { description: 'Your copy of the image is current.', schema: null },
    },
    refusals: [
      [400, 'invalid_request'],
      [404, 'not_found'],
    ],
  },
  handler: handleGetPhoto,
};

async function handleGetPhoto(
  deps: PartnerDeps,
  { access, request }: AuthorizedRequest,
): Promise<EndpointResponse> {
  const size = parseImageSize(readParameter(request.query, 'size'));
  if (size === null) throw invalidRequest();
  const { shopId } = access;
  const photo = await findPhoto(deps, shopId, request.params);
  if (photo === undefined) throw new ApiError(404, 'not_found');
  const { etag, contentType } = photo;
  const { length, open } = photoContent(deps, shopId, photo, size);
  // Both sizes use the `etag` of the unit's record, because they always change together (decision
  // 0080).
  const validators = { etag, lastModified: new Date(photo.updatedAt) };
  return await respondWithRepresentation(request, {
    ...validators,
    contentType,
    length,
    open: async () => await orUnavailable(async () => await open(request.signal)),
  });
}

/**
 * Returns undefined for an unknown unit, another shop's unit, an unknown side and a missing photo,
 * so that the response does not reveal which of them it is (decision 0080).
 */
async function findPhoto(
  { db }: PartnerDeps,
  shopId: string,
  params: unknown,
): Promise<UnitPhoto | undefined> {
  const given = typeof params === 'object' && params !== null ? { ...params } : {};
  const id: unknown = Reflect.get(given, 'id');
  const side = parseSide(Reflect.get(given, 'side'));
  if (side === null || !isUuid(id)) return undefined;
  return await findUnitPhoto(db, shopId, id.toLowerCase(), side);
}

async function orUnavailable(open: () => Promise<Readable | undefined>): Promise<Readable> {
  try {
    const bytes = await open();
    if (bytes === undefined) throw new ApiError(404, 'not_found');
    return bytes;
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error;
    throw serviceUnavailable({ cause: error });
  }
}
