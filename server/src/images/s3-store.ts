import { Readable } from 'node:stream';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import type { PhotoStoreSettings } from '../base/photo-store.ts';
import { OPEN_READS_MAX, ReadLimiter } from './read-limiter.ts';
import {
  pathOfKey,
  type ImageKey,
  type ImageStore,
  type StoredImage,
  StoreUnavailable,
} from './image-store.ts';

export interface S3Timeouts {
  readonly connectMs: number;
  /** The maximum time until the response of one attempt starts. */
  readonly responseMs: number;
  /** The maximum time of a call with its retries, without reading the bytes of the image. */
  readonly callMs: number;
}

const TIMEOUTS: S3Timeouts = { connectMs: 3_000, responseMs: 10_000, callMs: 25_000 };
/** The timeout of the check at the start of the service. */
const CHECK_MS_MAX = 5_000;
const PROBE = 'probe';
/** The number of attempts of a call, all within `callMs`. */
const ATTEMPTS_MAX = 3;
/** The number of connections for writing and removing, in addition to those for reading. */
const OTHER_SOCKETS = 32;

/**
 * Opens any S3-compatible store. The SDK finds the credentials (environment, profile or role).
 * @throws Error if neither the settings nor the SDK's sources name a region
 */
export async function openS3Store(
  settings: Extract<PhotoStoreSettings, { readonly kind: 's3' }>,
  timeouts: S3Timeouts = TIMEOUTS,
): Promise<ImageStore> {
  const agent = { keepAlive: true, maxSockets: OPEN_READS_MAX + OTHER_SOCKETS };
  const { endpoint } = settings;
  const region = settings.region ?? (endpoint === null ? null : 'us-east-1');
  const client = new S3Client({
    ...(region === null ? {} : { region }),
    ...(endpoint === null ? {} : { endpoint }),
    forcePathStyle: settings.isPathStyle,
    maxAttempts: ATTEMPTS_MAX,
    // Older compatible stores reject the SDK's default checksums, which are unnecessary because the
    // signature covers the bytes.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: {
      connectionTimeout: timeouts.connectMs,
      requestTimeout: timeouts.responseMs,
      throwOnRequestTimeout: true,
      httpAgent: agent,
      httpsAgent: agent,
    },
  });
  try {
    await client.config.region();
  } catch (error) {
    const message =
      'PHOTO_STORE: the region of the bucket is not known; add ?region=… or set AWS_REGION';
    throw new Error(message, { cause: error });
  }
  return new S3Store(client, settings, timeouts);
}

class S3Store implements ImageStore {
  readonly #client: S3Client;
  readonly #bucket: string;
  readonly #prefix: string;
  readonly #callMs: number;
  readonly #reads = new ReadLimiter();

  constructor(
    client: S3Client,
    { bucket, prefix }: { readonly bucket: string; readonly prefix: string },
    { callMs }: S3Timeouts,
  ) {
    this.#client = client;
    this.#bucket = bucket;
    this.#prefix = prefix === '' ? '' : `${prefix}/`;
    this.#callMs = callMs;
  }

  get openReads(): number {
    return this.#reads.count;
  }

  get waitingReads(): number {
    return this.#reads.waiting;
  }

  async check(): Promise<void> {
    // Use GET instead of HEAD, because only a response body distinguishes a missing object from a
    // missing bucket or a wrong key.
    const command = new GetObjectCommand({ Bucket: this.#bucket, Key: `${this.#prefix}${PROBE}` });
    const abortSignal = AbortSignal.timeout(Math.min(CHECK_MS_MAX, this.#callMs));
    const response = await undefinedIfMissing(
      async () => await this.#client.send(command, { abortSignal }),
    );
    if (response?.Body instanceof Readable) response.Body.destroy();
  }

  async write(key: ImageKey, bytes: Uint8Array, contentType: string): Promise<void> {
    const command = new PutObjectCommand({
      ...this.#addressOf(key),
      Body: bytes,
      ContentLength: bytes.length,
      ContentType: contentType,
    });
    await this.#callWithTimeout('written', async (abortSignal) => {
      await this.#client.send(command, { abortSignal });
    });
  }

  async open(key: ImageKey, signal?: AbortSignal): Promise<StoredImage | undefined> {
    const open = async (): Promise<StoredImage | undefined> => {
      const command = new GetObjectCommand(this.#addressOf(key));
      const response = await this.#callWithTimeout('read', async (abortSignal) =>
        undefinedIfMissing(async () => await this.#client.send(command, { abortSignal })),
      );
      if (response === undefined) return undefined;
      const { Body: stream, ContentLength: length } = response;
      if (!(stream instanceof Readable) || length === undefined) {
        throw new StoreUnavailable('the store sent an image without its length');
      }
      return { stream, length };
    };
    return await this.#reads.openStream(key.shopId, open, signal);
  }

  async lengthOf(key: ImageKey): Promise<number | undefined> {
    const command = new HeadObjectCommand(this.#addressOf(key));
    const response = await this.#callWithTimeout('checked', async (abortSignal) =>
      undefinedIfMissing(async () => await this.#client.send(command, { abortSignal })),
    );
    if (response === undefined) return undefined;
    const { ContentLength: length } = response;
    if (length === undefined) throw new StoreUnavailable('the store sent no length for an image');
    return length;
  }

  async remove(key: ImageKey): Promise<void> {
    const command = new DeleteObjectCommand(this.#addressOf(key));
    await this.#callWithTimeout('removed', async (abortSignal) =>
      undefinedIfMissing(async () => await this.#client.send(command, { abortSignal })),
    );
  }

  async close(): Promise<void> {
    this.#client.destroy();
  }

  #addressOf(key: ImageKey): { readonly Bucket: string; readonly Key: string } {
    return { Bucket: this.#bucket, Key: `${this.#prefix}${pathOfKey(key)}` };
  }

  async #callWithTimeout<T>(action: string, call: (signal: AbortSignal) => Promise<T>): Promise<T> {
    // The timeout ends when the call returns, before the caller reads the stream.
    const timeout = new AbortController();
    const timer = setTimeout(() => timeout.abort(), this.#callMs);
    try {
      return await call(timeout.signal);
    } catch (error) {
      throw new StoreUnavailable(`an image could not be ${action}`, { cause: error });
    } finally {
      clearTimeout(timer);
    }
  }
}

/** Awaits a call. Returns undefined if the object does not exist. A missing bucket is an error. */
async function undefinedIfMissing<T>(call: () => Promise<T>): Promise<T | undefined> {
  try {
    return await call();
  } catch (error) {
    // The response to HEAD has no body with the error's name, so the SDK only reports `NotFound`.
    const isMissing = error instanceof Error && ['NoSuchKey', 'NotFound'].includes(error.name);
    if (isMissing) return undefined;
    throw error;
  }
}
