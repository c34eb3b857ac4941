import multipart, { type Multipart, type MultipartFile } from '@fastify/multipart';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { FairLimiter, type LimiterOptions } from '../../base/fair-limiter.ts';
import { ApiError } from '../../http/errors.ts';
import { Spool } from '../../http/spool.ts';
import { FORM_TOKEN_FIELD } from '../../html/form-guard.ts';
import { ConsoleRefusal } from '../refusal.ts';
import type { RequestContext } from '../request-context.ts';
import type { ConsoleResponse } from '../response.ts';
import type { Gate, RequiredPermission, SectionRoutes } from '../section.ts';

/** `again` means that the form arrived incomplete or that too many uploads are waiting. */
export type FileError = 'empty' | 'too_large' | 'again';

/** A form with a token, a few short fields and then one file. */
export interface FileForm<Target> {
  readonly path: string;
  readonly needed: RequiredPermission;
  /** The word for the file in the spool's error messages. */
  readonly noun: string;
  readonly fileBytesMax: number;
  /** The maximum memory for the files of all shops together. */
  readonly heldBytesMax: number;
  /** The maximum memory for the files of one shop. */
  readonly shopBytesMax: number;
  /** Called before the file is read. Throws a refusal if the object does not exist. */
  readonly find: (context: RequestContext) => Promise<Target>;
  /** Handles a form that has arrived completely. */
  readonly accept: (
    context: RequestContext,
    target: Target,
    form: ReceivedForm,
  ) => Promise<ConsoleResponse>;
  readonly refuse: (
    context: RequestContext,
    target: Target,
    error: FileError,
  ) => Promise<ConsoleResponse>;
}

export interface ReceivedForm {
  readonly fields: ReadonlyMap<string, string>;
  /** The name of the file on the member's device. */
  readonly name: string;
  readonly pieces: readonly Uint8Array[];
}

/** The maximum size of the form without the file: token, names and boundaries. */
const FORM_OVERHEAD_BYTES_MAX = 65_536;
/** The maximum number of fields other than the file. Browser extensions may add some. */
const FIELDS_MAX = 8;
const FIELD_BYTES_MAX = 1_000;
const HEADERS_MAX = 20;
/** RFC 2046 §5.1.1: at most 70 characters, quoted or a token. The parser accepts others too. */
const BOUNDARY = /;\s*boundary=(?:"[\w'()+,./:=? -]{1,70}(?<! )"|[\w'+.-]{1,70})\s*(?:;|$)/i;
/**
 * The time limit for the parts before the file, and again for those after it. The spool enforces a
 * minimum rate only for the file, and a form that stalls after the file keeps the file in memory.
 */
const FORM_TIMEOUT_MS = 10_000;
/**
 * One upload of a member at a time, so that no member uses up the shop's share. All uploads together
 * are limited by the spool's memory: a slot of the process would be held by slow browsers.
 */
const UPLOAD_BOUNDS: LimiterOptions = {
  bounds: [
    { running: Infinity, waiting: 500 },
    { running: 8, waiting: 20 },
    { running: 1, waiting: 4 },
  ],
  waitMsMax: 20_000,
};

/** Mounts a form whose body is `multipart/form-data` with the token first and one file last. */
export async function mountFileForm<Target>(
  { scope, gate }: SectionRoutes,
  form: FileForm<Target>,
): Promise<void> {
  const { noun, fileBytesMax, heldBytesMax, shopBytesMax } = form;
  const spool = new Spool({ noun, bodyBytesMax: fileBytesMax, heldBytesMax, shopBytesMax });
  const reader = new FormReader(form, gate, spool);
  const url = gate.registerPath('POST', form.path, form.needed);
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
        fileSize: fileBytesMax + 1,
        headerPairs: HEADERS_MAX,
      },
    });
    raw.addContentTypeParser('*', (_request, _body, done) => done(null));
    raw.post(url, async (request, reply) => await reader.handle(request, reply));
  });
}

type Outcome =
  | { readonly kind: 'response'; readonly response: ConsoleResponse }
  | { readonly kind: 'error'; readonly error: FileError };

class FormReader<Target> {
  readonly #form: FileForm<Target>;
  readonly #gate: Gate;
  readonly #spool: Spool;
  readonly #limiter = new FairLimiter(UPLOAD_BOUNDS);

  constructor(form: FileForm<Target>, gate: Gate, spool: Spool) {
    this.#form = form;
    this.#gate = gate;
    this.#spool = spool;
  }

  async handle(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    try {
      const context = await this.#gate.authorize(request, this.#form.needed);
      const target = await this.#form.find(context);
      const outcome = await this.#read(context, target);
      if (outcome.kind === 'response') {
        return await this.#gate.send(reply, context, outcome.response);
      }
      await this.#discard(request);
      const response = await this.#form.refuse(context, target, outcome.error);
      return await this.#gate.send(reply, context, response);
    } catch (error) {
      // The client reads the response only after sending the whole body, so read the rest.
      await this.#discard(request);
      throw error;
    }
  }

  async #discard(request: FastifyRequest): Promise<void> {
    const { raw } = request;
    raw.unpipe();
    if (!raw.readableEnded && !raw.destroyed) await this.#spool.discard(raw);
  }

  async #read(context: RequestContext, target: Target): Promise<Outcome> {
    const { shop, account, request } = context;
    const isComplete = BOUNDARY.test(request.headers['content-type'] ?? '');
    if (!request.isMultipart() || !isComplete) throw brokenForm();
    const contentLength = Number(request.headers['content-length'] ?? Number.NaN);
    if (Number.isNaN(contentLength)) return { kind: 'error', error: 'again' };
    if (contentLength > this.#form.fileBytesMax + FORM_OVERHEAD_BYTES_MAX) {
      return { kind: 'error', error: 'too_large' };
    }
    const done = await this.#limiter.run(
      [shop.id, account.id],
      async () => await this.#readParts(context, target),
      request.signal,
    );
    return done?.value ?? { kind: 'error', error: 'again' };
  }

  /**
   * Checks the token before any byte of the file is buffered, and accepts the file after the
   * complete form has arrived.
   */
  async #readParts(context: RequestContext, target: Target): Promise<Outcome> {
    const parts = context.request.parts();
    try {
      const { file, fields } = await this.#inTime(nextFile(parts));
      if (!this.#gate.isValidFormToken(context, fields.get(FORM_TOKEN_FIELD))) {
        throw new ConsoleRefusal({ kind: 'stale_form' });
      }
      if (file === null) return { kind: 'error', error: 'empty' };
      return await this.#spool.buffer(context.shop.id, file.file, async (pieces) => {
        const rest = await this.#inTime(nextFile(parts));
        if (rest.file !== null) throw brokenForm();
        if (pieces.every(({ length }) => length === 0)) return { kind: 'error', error: 'empty' };
        const received = { fields, name: file.filename, pieces };
        return {
          kind: 'response',
          response: await this.#form.accept(context, target, received),
        };
      });
    } catch (error) {
      return toOutcome(error);
    }
  }

  /**
   * Waits at most `FORM_TIMEOUT_MS` for the result of `work`.
   *
   * @throws ApiError 408 after the timeout
   */
  async #inTime<T>(work: Promise<T>): Promise<T> {
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(() => {
      const detail =
        'The form fields before or after the file arrived too slowly. Nothing was written.';
      late.reject(new ApiError(408, 'invalid_request', { detail }));
    }, FORM_TIMEOUT_MS);
    try {
      return await Promise.race([work, late.promise]);
    } finally {
      clearTimeout(timer);
    }
  }
}

async function nextFile(parts: AsyncIterableIterator<Multipart>): Promise<{
  readonly file: MultipartFile | null;
  readonly fields: ReadonlyMap<string, string>;
}> {
  const fields = new Map<string, string>();
  // The parser's limits allow no more parts than this.
  for (let count = 0; count <= FIELDS_MAX + 1; count++) {
    // Every error of the parser, also of its set-up, comes from here.
    const next = await parts.next().catch(() => {
      throw brokenForm();
    });
    if (next.done === true) return { file: null, fields };
    const part = next.value;
    if (part.type === 'file') return { file: part, fields };
    if (fields.has(part.fieldname)) throw brokenForm();
    if (typeof part.value === 'string') fields.set(part.fieldname, part.value);
  }
  return { file: null, fields };
}

/** Converts an error of the request body to one that the page shows. Rethrows all other errors. */
function toOutcome(error: unknown): Outcome {
  if (error instanceof ApiError && error.statusCode === 413) {
    return { kind: 'error', error: 'too_large' };
  }
  if (error instanceof ApiError && (error.statusCode === 400 || error.statusCode === 408)) {
    return { kind: 'error', error: 'again' };
  }
  throw error;
}

function brokenForm(): ConsoleRefusal {
  return new ConsoleRefusal({ kind: 'broken_form' });
}
