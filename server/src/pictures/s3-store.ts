import { Readable } from 'node:stream';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import type { PhotoStore } from '../base/photo-store.ts';
import { OPEN_READS_MAX, OpenReads } from './open-reads.ts';
import {
  pathOfKey,
  type PictureKey,
  type PictureStore,
  type StoredBytes,
  StoreUnavailable,
} from './picture-store.ts';

export interface S3Waits {
  readonly connectMs: number;
  /** Until the response of one try starts. */
  readonly silenceMs: number;
  /** For a whole call including retries, but without reading a picture's bytes. */
  readonly callMs: number;
}

const WAITS: S3Waits = { connectMs: 3_000, silenceMs: 10_000, callMs: 25_000 };
/** Limit for checking the bucket, which delays the start of the service. */
const CHECK_MS_MAX = 5_000;
const PROBE = 'probe';
/** The first try and two retries, within `callMs`. */
const ATTEMPTS_MAX = 3;
/** Connections in addition to those of reads: for writing and removing. */
const OTHER_SOCKETS = 32;

/**
 * Stores pictures in a bucket of Amazon S3 or a compatible store. The SDK finds the credentials:
 * `AWS_ACCESS_KEY_ID` and `AWS_SECRET_ACCESS_KEY`, a profile, or the machine's role.
 *
 * @throws Error if neither the settings nor the SDK's sources name a region
 */
export async function openS3Store(
  settings: Extract<PhotoStore, { readonly kind: 's3' }>,
  waits: S3Waits = WAITS,
): Promise<PictureStore> {
  const agent = { keepAlive: true, maxSockets: OPEN_READS_MAX + OTHER_SOCKETS };
  const { endpoint } = settings;
  const region = settings.region ?? (endpoint === null ? null : 'us-east-1');
  const client = new S3Client({
    ...(region === null ? {} : { region }),
    ...(endpoint === null ? {} : { endpoint }),
    forcePathStyle: settings.isPathStyle,
    maxAttempts: ATTEMPTS_MAX,
    // The SDK's default checksums (since 2025) are refused by older compatible stores; the
    // signature covers the bytes.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: {
      connectionTimeout: waits.connectMs,
      requestTimeout: waits.silenceMs,
      throwOnRequestTimeout: true,
      httpAgent: agent,
      httpsAgent: agent,
    },
  });
  try {
    await client.config.region();
  } catch (error) {
    const told =
      'PHOTO_STORE: the region of the bucket is not known; add ?region=… or set AWS_REGION';
    throw new Error(told, { cause: error });
  }
  return new S3Store(client, settings, waits);
}

class S3Store implements PictureStore {
  readonly #client: S3Client;
  readonly #bucket: string;
  readonly #prefix: string;
  readonly #callMs: number;
  readonly #reads = new OpenReads();

  constructor(
    client: S3Client,
    { bucket, prefix }: { readonly bucket: string; readonly prefix: string },
    { callMs }: S3Waits,
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
    // GET, not HEAD: only a response with a body distinguishes a missing object from a missing
    // bucket or a wrong key.
    const command = new GetObjectCommand({ Bucket: this.#bucket, Key: `${this.#prefix}${PROBE}` });
    const abortSignal = AbortSignal.timeout(Math.min(CHECK_MS_MAX, this.#callMs));
    const answer = await orMissing(async () => await this.#client.send(command, { abortSignal }));
    if (answer?.Body instanceof Readable) answer.Body.destroy();
  }

  async write(key: PictureKey, bytes: Uint8Array, contentType: string): Promise<void> {
    const command = new PutObjectCommand({
      ...this.#addressOf(key),
      Body: bytes,
      ContentLength: bytes.length,
      ContentType: contentType,
    });
    await this.#within('written', async (abortSignal) => {
      await this.#client.send(command, { abortSignal });
    });
  }

  async open(key: PictureKey, signal?: AbortSignal): Promise<StoredBytes | undefined> {
    const open = async (): Promise<StoredBytes | undefined> => {
      const command = new GetObjectCommand(this.#addressOf(key));
      const answer = await this.#within('read', async (abortSignal) =>
        orMissing(async () => await this.#client.send(command, { abortSignal })),
      );
      if (answer === undefined) return undefined;
      const { Body: stream, ContentLength: length } = answer;
      if (!(stream instanceof Readable) || length === undefined) {
        throw new StoreUnavailable('the store sent an image without its length');
      }
      return { stream, length };
    };
    return await this.#reads.take(key.shopId, open, signal);
  }

  async lengthOf(key: PictureKey): Promise<number | undefined> {
    const command = new HeadObjectCommand(this.#addressOf(key));
    const answer = await this.#within('checked', async (abortSignal) =>
      orMissing(async () => await this.#client.send(command, { abortSignal })),
    );
    if (answer === undefined) return undefined;
    const { ContentLength: length } = answer;
    if (length === undefined) throw new StoreUnavailable('the store sent no length for an image');
    return length;
  }

  async remove(key: PictureKey): Promise<void> {
    const command = new DeleteObjectCommand(this.#addressOf(key));
    await this.#within('removed', async (abortSignal) =>
      orMissing(async () => await this.#client.send(command, { abortSignal })),
    );
  }

  async close(): Promise<void> {
    this.#client.destroy();
  }

  #addressOf(key: PictureKey): { readonly Bucket: string; readonly Key: string } {
    return { Bucket: this.#bucket, Key: `${this.#prefix}${pathOfKey(key)}` };
  }

  async #within<T>(deed: string, call: (signal: AbortSignal) => Promise<T>): Promise<T> {
    // Covers the call only; the reader limits the reading of the stream.
    const patience = new AbortController();
    const timer = setTimeout(() => patience.abort(), this.#callMs);
    try {
      return await call(patience.signal);
    } catch (error) {
      throw new StoreUnavailable(`an image could not be ${deed}`, { cause: error });
    } finally {
      clearTimeout(timer);
    }
  }
}

/** The response, or undefined if the object does not exist. A missing bucket is an error. */
async function orMissing<T>(call: () => Promise<T>): Promise<T | undefined> {
  try {
    return await call();
  } catch (error) {
    // HEAD has no body to name the error: it only says `NotFound`.
    const isMissing = error instanceof Error && ['NoSuchKey', 'NotFound'].includes(error.name);
    if (isMissing) return undefined;
    throw error;
  }
}
