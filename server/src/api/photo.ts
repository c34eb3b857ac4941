import type { Readable } from 'node:stream';
import { isUuid } from '../base/field.ts';
import { isNotModified } from '../http/conditional.ts';
import { ApiError, unavailable } from '../http/errors.ts';
import { findUnitPhotos } from '../inventory/photo.ts';
import { parseSide, type UnitPhoto } from '../inventory/unit-photo.ts';
import {
  type PictureKey,
  PICTURE_SIZES,
  type PictureSize,
  StoreUnavailable,
} from '../pictures/picture-store.ts';
import type { Answer, Call, Endpoint, PartnerDeps } from './endpoint.ts';
import { invalidRequest, readParameter } from './parameters.ts';

/** 4.7 GET /inventory/items/{id}/photos/{side} */
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
    summary: 'A photo of a unit',
    description:
      '`side` is `front` or `back`, as the unit’s `photos` say. The `ETag` is the `etag` there, for both sizes; send it as `If-None-Match` and an unchanged picture is 304.',
    query: [
      {
        name: 'size',
        description: 'The long edge: at most 1,600 pixels (`large`) or 360 (`small`).',
        schema: { enum: [...PICTURE_SIZES], default: 'large' },
      },
    ],
    answers: {
      200: {
        text: 'The bytes of the picture.',
        schema: null,
        types: ['image/jpeg', 'image/webp'],
      },
      304: { text: 'The picture is the one that `If-None-Match` names.', schema: null },
    },
    refusals: [
      [400, 'invalid_request'],
      [404, 'not_found'],
    ],
  },
  answer: photoAnswer,
};

async function photoAnswer(deps: PartnerDeps, { access, request }: Call): Promise<Answer> {
  const size = readSize(request.query);
  const { shopId } = access;
  const photo = await findPhoto(deps, shopId, request.params);
  if (photo === undefined) throw new ApiError(404, 'not_found');
  // Both sizes have the manifest's: a picture that changes changes in both (decision 0083).
  const { etag } = photo;
  const lastModified = new Date(photo.updatedAt);
  const headers = { etag, 'last-modified': lastModified.toUTCString() };
  if (isNotModified(request.headers, { etag, lastModified })) {
    return { status: 304, headers, body: null };
  }
  const { contentType, pictureId } = photo;
  const bytes = size === 'large' ? photo.largeBytes : photo.smallBytes;
  const described = { ...headers, 'content-type': contentType, 'content-length': String(bytes) };
  // What HEAD tells is in the row: the store is not asked.
  if (request.method === 'HEAD') return { status: 200, headers: described, body: null };
  return {
    status: 200,
    headers: described,
    body: await open(deps, { shopId, pictureId, size }, bytes, request.signal),
  };
}

function readSize(query: unknown): PictureSize {
  const text = readParameter(query, 'size') ?? 'large';
  const size = PICTURE_SIZES.find((each) => each === text);
  if (size === undefined) throw invalidRequest();
  return size;
}

/** One answer to an unknown unit, another shop's, an unknown side and none: nothing is learnt by trying (decision 0083). */
async function findPhoto(
  { db }: PartnerDeps,
  shopId: string,
  params: unknown,
): Promise<UnitPhoto | undefined> {
  const given = typeof params === 'object' && params !== null ? { ...params } : {};
  const id: unknown = Reflect.get(given, 'id');
  const side = parseSide(Reflect.get(given, 'side'));
  if (side === null || !isUuid(id)) return undefined;
  const photos = await findUnitPhotos(db, shopId, id.toLowerCase());
  return photos?.find((photo) => photo.side === side);
}

async function open(
  { pictures, log }: PartnerDeps,
  key: PictureKey,
  bytes: number,
  signal: AbortSignal,
): Promise<Readable> {
  try {
    const stored = await pictures.open(key, signal);
    if (stored?.length === bytes) return stored.stream;
    stored?.stream.destroy();
    // A database and a store of different times (docs/operating.md): sending the picture again heals it.
    log.warn({ ...key }, 'a photo has no bytes in the store');
    throw new ApiError(404, 'not_found');
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error;
    throw unavailable({ cause: error });
  }
}
