import multipart, { type Multipart, type MultipartFile } from '@fastify/multipart';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isUuid } from '../../base/field.ts';
import { type LimiterBounds, KeyedLimiter } from '../../base/keyed-limiter.ts';
import { ApiError, unavailable } from '../../http/errors.ts';
import { Spool } from '../../http/spool.ts';
import { findUnitPhotos } from '../../inventory/photo.ts';
import { type PhotoStoring, storePhoto } from '../../inventory/store-photo.ts';
import { parseSide, type PhotoSide } from '../../inventory/unit-photo.ts';
import { FORM_TOKEN_FIELD } from '../../pages/form-guard.ts';
import { KIND_BYTES, tellKind } from '../../pictures/picture-kind.ts';
import { StoreUnavailable } from '../../pictures/picture-store.ts';
import { PICTURE_BYTES_MAX } from '../../pictures/re-encode.ts';
import { type ConsoleAnswer, goTo, NOT_FOUND } from '../answer.ts';
import type { ConsoleDeps } from '../deps.ts';
import { ConsoleRefusal, type RefusalKind } from '../refusal.ts';
import { CHANGES_STOCK, type Gate, type SectionRoutes } from '../section.ts';
import type { Visit } from '../visit.ts';
import { unitPage } from './unit-page.ts';
import type { PhotoFaultKind } from './unit-photos.ts';
import { photoFaultMessages } from './messages/unit.ts';

/**
 * Limits of the pictures in memory: four of the largest, two of one shop. The Shop API has its own
 * limit.
 */
const HELD_BYTES_MAX = 4 * PICTURE_BYTES_MAX;
const SHOP_BYTES_MAX = 2 * PICTURE_BYTES_MAX;
/** Size of the form without its file: token, names and boundaries. */
const AROUND_BYTES_MAX = 65_536;
/** The form has a token and a file; fields added by browser extensions are ignored. */
const FIELDS_MAX = 4;
const FIELD_BYTES_MAX = 1_000;
const HEADERS_MAX = 20;

/**
 * Milliseconds for everything before the file, and again for everything after it. The spool limits
 * only the pace of the file, and a form that stalls after it would keep the picture in memory.
 */
const AROUND_MS_MAX = 10_000;
/**
 * One picture for each member at a time, so that no member uses up the shop's share; a second
 * device waits.
 */
const ACCOUNT_BOUNDS: LimiterBounds = { atOnce: 1, waitingMax: 4, waitMsMax: 20_000 };

type Upload =
  | { readonly kind: 'stored' | 'unchanged' | 'not_found' }
  | { readonly kind: 'fault'; readonly fault: PhotoFaultKind };

interface Target {
  readonly unitId: string;
  readonly side: PhotoSide;
}

interface Uploading {
  readonly deps: ConsoleDeps;
  readonly gate: Gate;
  readonly spool: Spool;
  readonly turns: KeyedLimiter;
  /** See `AROUND_MS_MAX`. */
  readonly aroundMs: number;
}

/** Mounts the upload of a photo: `multipart/form-data` with the token first, then one file. */
export async function mountPhotoUpload(
  { scope, gate }: SectionRoutes,
  deps: ConsoleDeps,
  aroundMs: number = AROUND_MS_MAX,
): Promise<void> {
  const spool = new Spool({
    noun: 'picture',
    bodyBytesMax: PICTURE_BYTES_MAX,
    heldBytesMax: HELD_BYTES_MAX,
    shopBytesMax: SHOP_BYTES_MAX,
  });
  const uploading = { deps, gate, spool, turns: new KeyedLimiter(ACCOUNT_BOUNDS), aroundMs };
  const url = gate.path('POST', '/stock/:id/photos/:side', CHANGES_STOCK);
  await scope.register(async (raw) => {
    raw.removeAllContentTypeParsers();
    await raw.register(multipart, {
      // The spool reports a file that is too large.
      throwFileSizeLimit: false,
      limits: {
        files: 1,
        fields: FIELDS_MAX,
        parts: FIELDS_MAX + 1,
        fieldNameSize: 100,
        fieldSize: FIELD_BYTES_MAX,
        fileSize: PICTURE_BYTES_MAX + 1,
        headerPairs: HEADERS_MAX,
      },
    });
    raw.addContentTypeParser('*', (_request, _body, done) => done(null));
    raw.post(url, async (request, reply) => await answerUpload(uploading, request, reply));
  });
}

async function answerUpload(
  uploading: Uploading,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { deps, gate, spool } = uploading;
  try {
    const visit = await gate.enter(request, CHANGES_STOCK);
    const { unitId, side } = await requireUnit(deps, visit);
    if (!request.isMultipart()) throw refusal({ kind: 'broken_form' });
    const told = Number(request.headers['content-length'] ?? Number.NaN);
    const upload: Upload =
      told <= PICTURE_BYTES_MAX + AROUND_BYTES_MAX
        ? await takeUpload(uploading, visit, { unitId, side })
        : { kind: 'fault', fault: Number.isNaN(told) ? 'again' : 'too_large' };
    if (upload.kind === 'fault') await discard(spool, request);
    const answer = await answerOf(deps, visit, { unitId, side }, upload);
    return await gate.send(reply, visit, answer);
  } catch (error) {
    // The client reads the response only after sending the whole body.
    await discard(spool, request);
    throw error;
  }
}

async function discard(spool: Spool, request: FastifyRequest): Promise<void> {
  const { raw } = request;
  raw.unpipe();
  if (!raw.readableEnded && !raw.destroyed) await spool.discard(raw);
}

async function requireUnit({ db }: ConsoleDeps, { shop, params }: Visit): Promise<Target> {
  const { id } = params;
  const side = parseSide(params['side']);
  if (side === null || !isUuid(id)) throw refusal({ kind: 'not_found' });
  const unitId = id.toLowerCase();
  const photos = await findUnitPhotos(db, shop.id, unitId);
  if (photos === undefined) throw refusal({ kind: 'not_found' });
  return { unitId, side };
}

/**
 * Checks the token before it keeps a byte of the picture, and stores the picture after the whole
 * form arrived.
 */
async function takeUpload(uploading: Uploading, visit: Visit, target: Target): Promise<Upload> {
  const { account, request } = visit;
  const done = await uploading.turns.run(
    account.id,
    async () => await readUpload(uploading, visit, target),
    request.signal,
  );
  return done?.value ?? { kind: 'fault', fault: 'again' };
}

async function readUpload(
  { deps, gate, spool, aroundMs }: Uploading,
  visit: Visit,
  target: Target,
): Promise<Upload> {
  const parts = visit.request.parts();
  try {
    const { file, token } = await withinMs(aroundMs, nextFile(parts));
    if (!gate.isOurForm(visit, token)) throw refusal({ kind: 'stale_form' });
    if (file === null) return { kind: 'fault', fault: 'empty' };
    return await spool.hold(visit.shop.id, file.file, async (pieces) => {
      const rest = await withinMs(aroundMs, nextFile(parts));
      if (rest.file !== null) throw refusal({ kind: 'broken_form' });
      return await store({ deps, gate }, visit, { ...target, pieces });
    });
  } catch (error) {
    return faultOf(error);
  }
}

/** @throws ApiError 408 when `work` takes longer; its result is then ignored */
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

/** The next file of the form, and the token if it came before the file. */
async function nextFile(
  parts: AsyncIterableIterator<Multipart>,
): Promise<{ readonly file: MultipartFile | null; readonly token: string | undefined }> {
  let token: string | undefined;
  // The limits allow no more parts.
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
  { deps, gate }: Pick<Uploading, 'deps' | 'gate'>,
  visit: Visit,
  sent: Target & { readonly pieces: readonly Uint8Array[] },
): Promise<Upload> {
  const [first] = sent.pieces;
  if (first === undefined || first.length === 0) return { kind: 'fault', fault: 'empty' };
  const told = tellKind(Buffer.concat(sent.pieces.slice(0, 2)).subarray(0, KIND_BYTES));
  const { db, clock, log, pictures } = deps;
  const write: PhotoStoring['write'] = async (shopId, work) =>
    await deps.write(shopId, async (tx) => {
      await gate.lookAgain(tx, visit, CHANGES_STOCK);
      return await work(tx);
    });
  const storing: PhotoStoring = { db, clock, log, pictures, write, queue: deps.pictureQueue };
  // Browsers derive the type from the file's name, so only the bytes count.
  const result = await storePhoto(storing, { shopId: visit.shop.id, declared: null, ...sent });
  switch (result.kind) {
    case 'created':
    case 'replaced':
      return { kind: 'stored' };
    case 'unchanged':
    case 'not_found':
      return { kind: result.kind };
    case 'unsupported': {
      const isHeic = told.kind === 'other' && told.name === 'HEIC';
      return { kind: 'fault', fault: isHeic ? 'heic' : 'unsupported' };
    }
    case 'mislabelled':
    case 'unreadable':
      return { kind: 'fault', fault: 'unreadable' };
    case 'busy':
    case 'expired':
      return { kind: 'fault', fault: 'again' };
  }
}

/** The unit's page reports faults of the body; other errors are thrown again. */
function faultOf(error: unknown): Upload {
  if (error instanceof ApiError && error.statusCode === 413) {
    return { kind: 'fault', fault: 'too_large' };
  }
  if (error instanceof ApiError && (error.statusCode === 400 || error.statusCode === 408)) {
    return { kind: 'fault', fault: 'again' };
  }
  if (error instanceof StoreUnavailable) {
    throw unavailable({ cause: error, detail: 'The store of photos does not answer.' });
  }
  if (error instanceof ConsoleRefusal || error instanceof ApiError) throw error;
  // Errors of the multipart parser: `FST_…` for limits, plain errors for malformed bodies.
  if (error instanceof Error && /^FST_|multipart|boundary|header/i.test(messageOf(error))) {
    throw refusal({ kind: 'broken_form' });
  }
  throw error;
}

function messageOf(error: Error): string {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return `${code} ${error.message}`;
}

async function answerOf(
  deps: ConsoleDeps,
  visit: Visit,
  { unitId, side }: Target,
  upload: Upload,
): Promise<ConsoleAnswer> {
  switch (upload.kind) {
    case 'not_found':
      return NOT_FOUND;
    case 'stored':
      return goTo(visit.path(`/stock/${unitId}`), 'photo_saved');
    case 'unchanged':
      return goTo(visit.path(`/stock/${unitId}`), 'unchanged');
    case 'fault': {
      const text = photoFaultMessages[visit.language][upload.fault];
      return await unitPage(deps, visit, unitId, { side, text });
    }
  }
}

function refusal(kind: RefusalKind): ConsoleRefusal {
  return new ConsoleRefusal(kind);
}
