import multipart, { type Multipart, type MultipartFile } from '@fastify/multipart';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isUuid } from '../../base/field.ts';
import { type LimiterOptions, KeyedLimiter } from '../../base/keyed-limiter.ts';
import { ApiError, unavailable } from '../../http/errors.ts';
import { Spool } from '../../http/spool.ts';
import { findUnitPhotos } from '../../inventory/photo.ts';
import { type StorePhotoDeps, storePhoto } from '../../inventory/store-photo.ts';
import { parseSide, type PhotoSide } from '../../inventory/unit-photo.ts';
import { FORM_TOKEN_FIELD } from '../../html/form-guard.ts';
import { SIGNATURE_BYTES, detectFormat } from '../../images/image-format.ts';
import { StoreUnavailable } from '../../images/image-store.ts';
import { IMAGE_BYTES_MAX } from '../../images/re-encode.ts';
import { type ConsoleResponse, redirectTo, NOT_FOUND } from '../response.ts';
import type { ConsoleDeps } from '../deps.ts';
import { ConsoleRefusal, type Refusal } from '../refusal.ts';
import { EDIT_STOCK, type Gate, type SectionRoutes } from '../section.ts';
import type { RequestContext } from '../request-context.ts';
import { unitPage } from './unit-page.ts';
import type { PhotoErrorKind } from './unit-photos.ts';
import { photoErrorMessages } from './messages/unit.ts';

/**
 * Limits the images in memory to four of the largest size, two of them from one shop. The Shop API
 * has a separate limit.
 */
const HELD_BYTES_MAX = 4 * IMAGE_BYTES_MAX;
const SHOP_BYTES_MAX = 2 * IMAGE_BYTES_MAX;
/** The maximum size of the form without the file: token, names and boundaries. */
const FORM_OVERHEAD_BYTES_MAX = 65_536;
/**
 * The maximum number of fields other than the file. The form has only a token, but browser
 * extensions may add fields, which are ignored.
 */
const FIELDS_MAX = 4;
const FIELD_BYTES_MAX = 1_000;
const HEADERS_MAX = 20;

/**
 * The timeout for everything before the file, and again for everything after it. The spool enforces
 * a rate only for the file, and a form that stalls after the file would keep the image in memory.
 */
const FORM_TIMEOUT_MS = 10_000;
/**
 * Limits each member to one upload at a time, so that no member uses up the shop's share. Uploads
 * from a second device wait.
 */
const ACCOUNT_BOUNDS: LimiterOptions = { concurrency: 1, waitingMax: 4, waitMsMax: 20_000 };

type UploadResult =
  | { readonly kind: 'stored' | 'unchanged' | 'not_found' }
  | { readonly kind: 'fault'; readonly error: PhotoErrorKind };

interface UploadTarget {
  readonly unitId: string;
  readonly side: PhotoSide;
}

interface UploadDeps {
  readonly deps: ConsoleDeps;
  readonly gate: Gate;
  readonly spool: Spool;
  readonly limiter: KeyedLimiter;
  /** The timeout that is `FORM_TIMEOUT_MS` outside of tests. */
  readonly formTimeoutMs: number;
}

/**
 * Mounts the upload of a photo. The body is `multipart/form-data` with the token first, then one
 * file.
 */
export async function mountPhotoUpload(
  { scope, gate }: SectionRoutes,
  deps: ConsoleDeps,
  formTimeoutMs: number = FORM_TIMEOUT_MS,
): Promise<void> {
  const spool = new Spool({
    noun: 'picture',
    bodyBytesMax: IMAGE_BYTES_MAX,
    heldBytesMax: HELD_BYTES_MAX,
    shopBytesMax: SHOP_BYTES_MAX,
  });
  const uploadDeps = {
    deps,
    gate,
    spool,
    limiter: new KeyedLimiter(ACCOUNT_BOUNDS),
    formTimeoutMs,
  };
  const url = gate.registerPath('POST', '/stock/:id/photos/:side', EDIT_STOCK);
  await scope.register(async (raw) => {
    raw.removeAllContentTypeParsers();
    await raw.register(multipart, {
      // Do not throw here, because the spool reports a file that is too large.
      throwFileSizeLimit: false,
      limits: {
        files: 1,
        fields: FIELDS_MAX,
        parts: FIELDS_MAX + 1,
        fieldNameSize: 100,
        fieldSize: FIELD_BYTES_MAX,
        fileSize: IMAGE_BYTES_MAX + 1,
        headerPairs: HEADERS_MAX,
      },
    });
    raw.addContentTypeParser('*', (_request, _body, done) => done(null));
    raw.post(url, async (request, reply) => await handleUpload(uploadDeps, request, reply));
  });
}

async function handleUpload(
  uploadDeps: UploadDeps,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { deps, gate, spool } = uploadDeps;
  try {
    const context = await gate.authorize(request, EDIT_STOCK);
    const { unitId, side } = await requireUnit(deps, context);
    if (!request.isMultipart()) throw refusal({ kind: 'broken_form' });
    const contentLength = Number(request.headers['content-length'] ?? Number.NaN);
    const upload: UploadResult =
      contentLength <= IMAGE_BYTES_MAX + FORM_OVERHEAD_BYTES_MAX
        ? await queueUpload(uploadDeps, context, { unitId, side })
        : { kind: 'fault', error: Number.isNaN(contentLength) ? 'again' : 'too_large' };
    if (upload.kind === 'fault') await discard(spool, request);
    const response = await responseFor(deps, context, { unitId, side }, upload);
    return await gate.send(reply, context, response);
  } catch (error) {
    // Read the rest of the body, because the client reads the response only after sending all of
    // it.
    await discard(spool, request);
    throw error;
  }
}

async function discard(spool: Spool, request: FastifyRequest): Promise<void> {
  const { raw } = request;
  raw.unpipe();
  if (!raw.readableEnded && !raw.destroyed) await spool.discard(raw);
}

async function requireUnit(
  { db }: ConsoleDeps,
  { shop, params }: RequestContext,
): Promise<UploadTarget> {
  const { id } = params;
  const side = parseSide(params['side']);
  if (side === null || !isUuid(id)) throw refusal({ kind: 'not_found' });
  const unitId = id.toLowerCase();
  const photos = await findUnitPhotos(db, shop.id, unitId);
  if (photos === undefined) throw refusal({ kind: 'not_found' });
  return { unitId, side };
}

/**
 * Checks the token before any byte of the image is buffered, and stores the image after the
 * complete form has arrived.
 */
async function queueUpload(
  uploadDeps: UploadDeps,
  context: RequestContext,
  target: UploadTarget,
): Promise<UploadResult> {
  const { account, request } = context;
  const done = await uploadDeps.limiter.run(
    account.id,
    async () => await readUpload(uploadDeps, context, target),
    request.signal,
  );
  return done?.value ?? { kind: 'fault', error: 'again' };
}

async function readUpload(
  { deps, gate, spool, formTimeoutMs }: UploadDeps,
  context: RequestContext,
  target: UploadTarget,
): Promise<UploadResult> {
  const parts = context.request.parts();
  try {
    const { file, token } = await withinMs(formTimeoutMs, nextFile(parts));
    if (!gate.isValidFormToken(context, token)) throw refusal({ kind: 'stale_form' });
    if (file === null) return { kind: 'fault', error: 'empty' };
    return await spool.buffer(context.shop.id, file.file, async (pieces) => {
      const rest = await withinMs(formTimeoutMs, nextFile(parts));
      if (rest.file !== null) throw refusal({ kind: 'broken_form' });
      return await store({ deps, gate }, context, { ...target, pieces });
    });
  } catch (error) {
    return toUploadResult(error);
  }
}

/**
 * Waits for `work`.
 *
 * @throws ApiError 408 when `work` takes longer; its result is then ignored
 */
async function withinMs<T>(ms: number, work: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    const detail = 'The form around the photo came too slowly. Nothing was written.';
    late.reject(new ApiError(408, 'invalid_request', { detail }));
  }, ms);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** Returns the next file of the form, and the token if it came before the file. */
async function nextFile(
  parts: AsyncIterableIterator<Multipart>,
): Promise<{ readonly file: MultipartFile | null; readonly token: string | undefined }> {
  let token: string | undefined;
  // The parser's limits allow no more parts than this.
  for (let count = 0; count <= FIELDS_MAX + 1; count++) {
    const next = await parts.next();
    if (next.done === true) return { file: null, token };
    const part = next.value;
    if (part.type === 'file') return { file: part, token };
    if (part.fieldname === FORM_TOKEN_FIELD && typeof part.value === 'string') token = part.value;
  }
  return { file: null, token };
}

async function store(
  { deps, gate }: Pick<UploadDeps, 'deps' | 'gate'>,
  context: RequestContext,
  sent: UploadTarget & { readonly pieces: readonly Uint8Array[] },
): Promise<UploadResult> {
  const [first] = sent.pieces;
  if (first === undefined || first.length === 0) return { kind: 'fault', error: 'empty' };
  const detected = detectFormat(
    Buffer.concat(sent.pieces.slice(0, 2)).subarray(0, SIGNATURE_BYTES),
  );
  const { db, clock, log, images } = deps;
  const write: StorePhotoDeps['write'] = async (shopId, work) =>
    await deps.write(shopId, async (tx) => {
      await gate.reauthorize(tx, context, EDIT_STOCK);
      return await work(tx);
    });
  const storing: StorePhotoDeps = { db, clock, log, images, write, queue: deps.decodeQueue };
  // Ignore the declared type, which browsers derive from the file's name. Only the bytes count.
  const result = await storePhoto(storing, { shopId: context.shop.id, declared: null, ...sent });
  switch (result.kind) {
    case 'created':
    case 'replaced':
      return { kind: 'stored' };
    case 'unchanged':
    case 'not_found':
      return { kind: result.kind };
    case 'unsupported': {
      const isHeic = detected.kind === 'other' && detected.name === 'HEIC';
      return { kind: 'fault', error: isHeic ? 'heic' : 'unsupported' };
    }
    case 'mislabeled':
    case 'unreadable':
      return { kind: 'fault', error: 'unreadable' };
    case 'busy':
    case 'expired':
      return { kind: 'fault', error: 'again' };
  }
}

/**
 * Converts errors of the body to a result that the unit's page shows. Throws all other errors
 * again.
 */
function toUploadResult(error: unknown): UploadResult {
  if (error instanceof ApiError && error.statusCode === 413) {
    return { kind: 'fault', error: 'too_large' };
  }
  if (error instanceof ApiError && (error.statusCode === 400 || error.statusCode === 408)) {
    return { kind: 'fault', error: 'again' };
  }
  if (error instanceof StoreUnavailable) {
    throw unavailable({ cause: error, detail: 'The store of photos does not answer.' });
  }
  if (error instanceof ConsoleRefusal || error instanceof ApiError) throw error;
  // The multipart parser throws `FST_…` errors for limits and plain errors for malformed bodies.
  if (error instanceof Error && /^FST_|multipart|boundary|header/i.test(messageOf(error))) {
    throw refusal({ kind: 'broken_form' });
  }
  throw error;
}

function messageOf(error: Error): string {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return `${code} ${error.message}`;
}

async function responseFor(
  deps: ConsoleDeps,
  context: RequestContext,
  { unitId, side }: UploadTarget,
  upload: UploadResult,
): Promise<ConsoleResponse> {
  switch (upload.kind) {
    case 'not_found':
      return NOT_FOUND;
    case 'stored':
      return redirectTo(context.shopPath(`/stock/${unitId}`), 'photo_saved');
    case 'unchanged':
      return redirectTo(context.shopPath(`/stock/${unitId}`), 'unchanged');
    case 'fault': {
      const text = photoErrorMessages[context.language][upload.error];
      return await unitPage(deps, context, unitId, { side, text });
    }
  }
}

function refusal(kind: Refusal): ConsoleRefusal {
  return new ConsoleRefusal(kind);
}
