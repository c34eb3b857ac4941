import { ApiError, serviceUnavailable } from '../http/errors.ts';
import {
  type StorePhotoDeps,
  type PhotoUpload,
  storePhoto,
  type StorePhotoResult,
} from '../inventory/store-photo.ts';
import { notFound } from './route-context.ts';

/** The result of a successful write, with the unit's current JSON. */
export type WrittenPhoto = Extract<StorePhotoResult, { readonly unitText: string }>;

/** @throws ApiError 404, 415, 422, 503; StoreUnavailable */
export async function writePhoto(
  storing: StorePhotoDeps,
  sent: PhotoUpload,
): Promise<WrittenPhoto> {
  const result = await storePhoto(storing, sent);
  switch (result.kind) {
    case 'created':
    case 'replaced':
    case 'unchanged':
      return result;
    case 'not_found':
      throw notFound('unit');
    case 'unsupported':
      throw new ApiError(415, 'unsupported_media_type', { detail: result.detail });
    case 'mislabeled':
    case 'unreadable':
      throw new ApiError(422, 'invalid_request', { detail: result.detail });
    case 'busy':
      throw serviceUnavailable({
        detail: 'Too many images are waiting to be decoded. Try again later.',
      });
    case 'expired':
      throw serviceUnavailable({ detail: 'The upload took too long. Send the photo again.' });
  }
}
