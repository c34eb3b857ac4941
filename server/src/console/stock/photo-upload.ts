import { isUuid } from '../../base/field.ts';
import { serviceUnavailable } from '../../http/errors.ts';
import { findUnitPhotos } from '../../inventory/photo.ts';
import { type StorePhotoDeps, storePhoto } from '../../inventory/store-photo.ts';
import { parseSide, type PhotoSide } from '../../inventory/unit-photo.ts';
import { SIGNATURE_BYTES, detectFormat } from '../../images/image-format.ts';
import { StoreUnavailable } from '../../images/image-store.ts';
import { IMAGE_BYTES_MAX } from '../../images/re-encode.ts';
import { type ConsoleResponse, redirectTo, NOT_FOUND } from '../response.ts';
import type { ConsoleDeps } from '../deps.ts';
import { mountFileForm } from '../parts/file-form.ts';
import { ConsoleRefusal } from '../refusal.ts';
import { EDIT_STOCK_PERMISSIONS, type Gate, type SectionRoutes } from '../section.ts';
import type { RequestContext } from '../request-context.ts';
import { unitPage } from './unit-page.ts';
import type { PhotoErrorKind } from './unit-photos.ts';
import { photoErrorMessages } from './messages/unit.ts';

interface UploadTarget {
  readonly unitId: string;
  readonly side: PhotoSide;
}

interface UploadDeps {
  readonly deps: ConsoleDeps;
  readonly gate: Gate;
}

/**
 * Mounts the upload of a photo. All uploads together may hold four images of the maximum size in
 * memory, and the uploads of one shop two. The Shop API has a separate limit.
 */
export async function mountPhotoUpload(routes: SectionRoutes, deps: ConsoleDeps): Promise<void> {
  const { gate } = routes;
  await mountFileForm<UploadTarget>(routes, {
    path: '/stock/:id/photos/:side',
    needed: EDIT_STOCK_PERMISSIONS,
    noun: 'picture',
    fileBytesMax: IMAGE_BYTES_MAX,
    heldBytesMax: 4 * IMAGE_BYTES_MAX,
    shopBytesMax: 2 * IMAGE_BYTES_MAX,
    find: async (context) => await requireUnit(deps, context),
    accept: async (context, target, { pieces }) =>
      await store({ deps, gate }, context, { ...target, pieces }),
    refuse: async (context, target, error) => await showFault(deps, context, target, error),
  });
}

async function requireUnit(
  { db }: ConsoleDeps,
  { shop, params }: RequestContext,
): Promise<UploadTarget> {
  const { id } = params;
  const side = parseSide(params['side']);
  if (side === null || !isUuid(id)) throw new ConsoleRefusal({ kind: 'not_found' });
  const unitId = id.toLowerCase();
  const photos = await findUnitPhotos(db, shop.id, unitId);
  if (photos === undefined) throw new ConsoleRefusal({ kind: 'not_found' });
  return { unitId, side };
}

async function store(
  { deps, gate }: UploadDeps,
  context: RequestContext,
  sent: UploadTarget & { readonly pieces: readonly Uint8Array[] },
): Promise<ConsoleResponse> {
  const detected = detectFormat(
    Buffer.concat(sent.pieces.slice(0, 2)).subarray(0, SIGNATURE_BYTES),
  );
  const { db, clock, log, images } = deps;
  const write: StorePhotoDeps['write'] = async (shopId, work) =>
    await deps.write(shopId, async (tx) => {
      await gate.reauthorize(tx, context, EDIT_STOCK_PERMISSIONS);
      return await work(tx);
    });
  const storing: StorePhotoDeps = { db, clock, log, images, write, queue: deps.decodeQueue };
  const unitPath = context.shopPath(`/stock/${sent.unitId}`);
  // Ignore the declared type, which browsers derive from the file's name. Only the bytes count.
  const photo = { shopId: context.shop.id, declared: null, ...sent };
  const result = await storePhoto(storing, photo).catch((error: unknown) => {
    if (!(error instanceof StoreUnavailable)) throw error;
    throw serviceUnavailable({ cause: error, detail: 'The photo store is unavailable.' });
  });
  switch (result.kind) {
    case 'created':
    case 'replaced':
      return redirectTo(unitPath, 'photo_saved');
    case 'unchanged':
      return redirectTo(unitPath, 'unchanged');
    case 'not_found':
      return NOT_FOUND;
    case 'unsupported': {
      const isHeic = detected.kind === 'other' && detected.name === 'HEIC';
      return await showFault(deps, context, sent, isHeic ? 'heic' : 'unsupported');
    }
    case 'mislabeled':
    case 'unreadable':
      return await showFault(deps, context, sent, 'unreadable');
    case 'busy':
    case 'expired':
      return await showFault(deps, context, sent, 'again');
  }
}

async function showFault(
  deps: ConsoleDeps,
  context: RequestContext,
  { unitId, side }: UploadTarget,
  error: PhotoErrorKind,
): Promise<ConsoleResponse> {
  const text = photoErrorMessages[context.language][error];
  return await unitPage(deps, context, unitId, { side, text });
}
