import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Log } from '../base/log.ts';
import { ApiError, serviceUnavailable } from '../http/errors.ts';
import { respondWithRepresentation } from '../http/representation.ts';
import { Spool } from '../http/spool.ts';
import { withBodyTimeout } from '../http/body-timeout.ts';
import { findUnitPhoto, findUnitPhotos, removeUnitPhoto } from '../inventory/photo.ts';
import { photoContent } from '../inventory/photo-content.ts';
import {
  type StorePhotoDeps,
  type PhotoUpload,
  storePhoto,
  type StorePhotoResult,
} from '../inventory/store-photo.ts';
import { parseSide, type PhotoSide } from '../inventory/unit-photo.ts';
import type { ImageFormat } from '../images/image-format.ts';
import type { DecodeQueue } from '../images/decode-queue.ts';
import {
  parseImageSize,
  type ImageSize,
  type ImageStore,
  StoreUnavailable,
} from '../images/image-store.ts';
import { IMAGE_BYTES_MAX, describeUnsupportedFormat } from '../images/re-encode.ts';
import { sendJson, type RouteContext, membersOf, notFound, readId } from './route-context.ts';

/**
 * The maximum size of all bodies in memory together: eight bodies of the maximum size, at most four
 * of them from one shop. The decoder holds copies of two more.
 */
const HELD_BYTES_MAX = 8 * IMAGE_BYTES_MAX;
const SHOP_BYTES_MAX = 4 * IMAGE_BYTES_MAX;

export interface PhotoDeps {
  readonly images: ImageStore;
  readonly decodeQueue: DecodeQueue;
  readonly log: Log;
}

/** The format that a Content-Type declares; null if it declares none. */
const KINDS_BY_CONTENT_TYPE: ReadonlyMap<string, ImageFormat | null> = new Map<
  string,
  ImageFormat | null
>([
  ['image/jpeg', 'jpeg'],
  // Not a registered media type, but many clients send it.
  ['image/jpg', 'jpeg'],
  ['image/png', 'png'],
  ['image/webp', 'webp'],
  ['application/octet-stream', null],
  ['', null],
]);

/** The body of a PUT is the image itself (decision 0080). */
export async function mountPhotos(
  scope: FastifyInstance,
  context: RouteContext,
  deps: PhotoDeps,
): Promise<void> {
  const spool = new Spool({
    noun: 'image',
    bodyBytesMax: IMAGE_BYTES_MAX,
    heldBytesMax: HELD_BYTES_MAX,
    shopBytesMax: SHOP_BYTES_MAX,
  });
  const { images, decodeQueue: queue, log } = deps;
  const { db, clock, write } = context;
  const storing: StorePhotoDeps = { db, clock, write, images, log, queue };
  mountDelete(scope, context);
  mountGet(scope, context, deps);
  await scope.register(async (raw) => {
    raw.removeAllContentTypeParsers();
    raw.addContentTypeParser('*', (_request, body, done) => done(null, body));
    mountPut(raw, context, storing, spool);
  });
}

function mountPut(
  scope: FastifyInstance,
  context: RouteContext,
  storing: StorePhotoDeps,
  spool: Spool,
): void {
  scope.put('/units/:id/photos/:side', async (request, reply) => {
    const { id: shopId } = context.shopOf(request);
    const body = request.body instanceof Readable ? request.body : Readable.from([]);
    const { unitId, side, declared } = await readOrDiscard(spool, body, async () => {
      const read = { ...readPath(request), declared: readDeclared(request) };
      await requireUnit(context, shopId, read.unitId);
      return read;
    });
    const result = await spool.buffer(
      shopId,
      body,
      async (pieces) =>
        await withStore(
          async () => await writePhoto(storing, { shopId, unitId, side, declared, pieces }),
        ),
    );
    return await sendJson(reply.code(result.kind === 'created' ? 201 : 200), result.unitText);
  });
}

function mountDelete(scope: FastifyInstance, { clock, write, shopOf }: RouteContext): void {
  scope.delete('/units/:id/photos/:side', async (request, reply) => {
    const { id: shopId } = shopOf(request);
    const { unitId, side } = readPath(request);
    const now = clock.now();
    const result = await write(
      shopId,
      async (tx) => await removeUnitPhoto(tx, shopId, unitId, side, now),
    );
    if (result.kind === 'not_found') throw notFound('unit');
    return await reply.code(204).send();
  });
}

/** Responds as the Partner API does (spec 4.7), with this API's error texts. */
function mountGet(scope: FastifyInstance, { db, shopOf }: RouteContext, deps: PhotoDeps): void {
  scope.route({
    method: ['GET', 'HEAD'],
    // Fastify's own HEAD handler would read the whole image to count its bytes.
    exposeHeadRoute: false,
    url: '/units/:id/photos/:side',
    handler: async (request, reply) => {
      const { id: shopId } = shopOf(request);
      const size = readSize(request);
      const { unitId, side } = readPath(request);
      const photo = await findUnitPhoto(db, shopId, unitId, side);
      if (photo === undefined) throw noPhoto();
      const { etag, contentType } = photo;
      const content = photoContent(deps, shopId, photo, size);
      const validators = { etag, lastModified: new Date(photo.updatedAt) };
      const open = async (): Promise<Readable> => {
        const opened = await withStore(async () => await content.open(request.signal));
        if (opened === undefined) throw noPhoto();
        return opened;
      };
      const { length } = content;
      const representation = { ...validators, contentType, length, open };
      const { status, headers, body } = await respondWithRepresentation(request, representation);
      reply.code(status).headers(headers);
      return await (body === null ? reply.send() : reply.send(withBodyTimeout(body)));
    },
  });
}

function noPhoto(): ApiError {
  return new ApiError(404, 'not_found', { detail: 'The unit has no photo of this side.' });
}

function readSize(request: FastifyRequest): ImageSize {
  const size = parseImageSize(membersOf(request.query)['size']);
  if (size !== null) return size;
  throw new ApiError(400, 'invalid_request', { detail: 'size must be large or small.' });
}

/** After a refusal, discards the body before responding, so that the client gets the response. */
async function readOrDiscard<T>(spool: Spool, body: Readable, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    await spool.discard(body);
    throw error;
  }
}

function readPath(request: FastifyRequest): { readonly unitId: string; readonly side: PhotoSide } {
  const unitId = readId(request, 'unit');
  const side = parseSide(membersOf(request.params)['side']);
  if (side !== null) return { unitId, side };
  throw new ApiError(404, 'not_found', { detail: 'The side must be front or back.' });
}

function readDeclared(request: FastifyRequest): ImageFormat | null {
  const type = (request.headers['content-type'] ?? '').split(';')[0] ?? '';
  const declared = KINDS_BY_CONTENT_TYPE.get(type.trim().toLowerCase());
  if (declared !== undefined) return declared;
  const isHeic = /^image\/(heic|heif)/i.test(type);
  throw new ApiError(415, 'unsupported_media_type', {
    detail: isHeic
      ? describeUnsupportedFormat('HEIC')
      : 'Content-Type must be image/jpeg, image/png or image/webp.',
  });
}

async function requireUnit({ db }: RouteContext, shopId: string, unitId: string): Promise<void> {
  if ((await findUnitPhotos(db, shopId, unitId)) === undefined) throw notFound('unit');
}

/** Responds 503 if the photo store is unavailable, because that is temporary. */
async function withStore<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error;
    throw serviceUnavailable({
      cause: error,
      detail: 'The photo store does not respond. Try again later.',
    });
  }
}

/** The result of a successful write, with the unit's current JSON. */
type WrittenPhoto = Extract<StorePhotoResult, { readonly unitText: string }>;

/** @throws ApiError 404, 415, 422, 503; StoreUnavailable */
async function writePhoto(storing: StorePhotoDeps, sent: PhotoUpload): Promise<WrittenPhoto> {
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
