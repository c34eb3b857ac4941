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
  /** Until the answer to a try begins. */
  readonly silenceMs: number;
  /** For a whole call, its retries included, without the bytes of a picture that is read. */
  readonly callMs: number;
}

const WAITS: S3Waits = { connectMs: 3_000, silenceMs: 10_000, callMs: 25_000 };
/** A check of the bucket, which the start of the service waits for. */
const CHECK_MS_MAX = 5_000;
const PROBE = 'probe';
/** The first try and two more, within `callMs`. */
const ATTEMPTS_MAX = 3;
/** Connections beyond those that readers hold: for writing and removing. */
const OTHER_SOCKETS = 32;

/**
 * Keeps pictures in a bucket of Amazon S3 or of a store that speaks its protocol. Credentials come from where the SDK
 * looks for them: `AWS_ACCESS_KEY_ID` and `AWS_SECRET_ACCESS_KEY`, a profile, or the machine's role.
 *
 * @throws Error when no region is told, neither by the settings nor where the SDK looks
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
    // What the SDK adds by itself since 2025 is refused by older stores of other makers; the signature covers the bytes.
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
    const told = 'PHOTO_STORE: the bucket’s region is not known: add ?region=… or set AWS_REGION';
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
    // GET, not HEAD: only an answer with a body tells a missing object from a missing bucket or a wrong key.
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
        throw new StoreUnavailable('the store sent a picture without its length');
      }
      return { stream, length };
    };
    return await this.#reads.take(key.shopId, open, signal);
  }

  async lengthOf(key: PictureKey): Promise<number | undefined> {
    const command = new HeadObjectCommand(this.#addressOf(key));
    const answer = await this.#within('looked for', async (abortSignal) =>
      orMissing(async () => await this.#client.send(command, { abortSignal })),
    );
    if (answer === undefined) return undefined;
    const { ContentLength: length } = answer;
    if (length === undefined) throw new StoreUnavailable('the store told no length of a picture');
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
    // Ends with the call: what is read afterwards is its reader's to bound.
    const patience = new AbortController();
    const timer = setTimeout(() => patience.abort(), this.#callMs);
    try {
      return await call(patience.signal);
    } catch (error) {
      throw new StoreUnavailable(`a picture could not be ${deed}`, { cause: error });
    } finally {
      clearTimeout(timer);
    }
  }
}

/** The answer, or undefined when the store has no such object. A bucket that is not there is a fault. */
async function orMissing<T>(call: () => Promise<T>): Promise<T | undefined> {
  try {
    return await call();
  } catch (error) {
    // HEAD has no body to name the fault in: `NotFound` is all it says.
    const isMissing = error instanceof Error && ['NoSuchKey', 'NotFound'].includes(error.name);
    if (isMissing) return undefined;
    throw error;
  }
}
