import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PhotoStoreSettings } from '../src/base/photo-store.ts';
import { changeEnvironment } from './changed-environment.ts';

/** A real S3 server in a separate process, with an empty bucket. */
export interface S3Server extends AsyncDisposable {
  /** The settings of a photo store that uses this server. */
  readonly settings: Extract<PhotoStoreSettings, { readonly kind: 's3' }>;
  readonly endpoint: string;
  /** Stops the process, which simulates an outage of the store. */
  stop(): Promise<void>;
}

/** Time limit until the server listens. */
const START_MS_MAX = 30_000;

/** Sets the environment variables from which the AWS SDK takes the key pair of s3rver. */
export function useS3Credentials(): Disposable {
  return changeEnvironment({ AWS_ACCESS_KEY_ID: 'S3RVER', AWS_SECRET_ACCESS_KEY: 'S3RVER' });
}

/**
 * Starts s3rver on a free port of 127.0.0.1. It runs wherever npm runs, but does not verify
 * signatures, which another test covers (decision 0080).
 */
export async function startS3Server(): Promise<S3Server> {
  const credentials = useS3Credentials();
  const folder = await mkdtemp(join(tmpdir(), 'cardport-s3-'));
  const program = createRequire(import.meta.url).resolve('s3rver/bin/s3rver.js');
  const options = ['-d', folder, '-p', '0', '--configure-bucket', 'cards'];
  const child = spawn(process.execPath, ['--no-warnings', program, ...options], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const stop = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await ended;
  };
  const endpoint = `http://127.0.0.1:${await portOf(child)}`;
  return {
    endpoint,
    settings: {
      kind: 's3',
      bucket: 'cards',
      prefix: 'shop/photos',
      region: null,
      endpoint,
      isPathStyle: true,
    },
    stop,
    [Symbol.asyncDispose]: async () => {
      credentials[Symbol.dispose]();
      await stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Returns the port that the server prints when it listens. */
async function portOf(child: ChildProcess): Promise<number> {
  return await new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('s3rver does not listen')), START_MS_MAX);
    let output = '';
    const onOutput = (chunk: Buffer): void => {
      output += chunk.toString();
      const port = /listening on \S+:(\d+)/.exec(output)?.[1];
      if (port === undefined) return;
      clearTimeout(timer);
      resolve(Number(port));
    };
    child.stdout?.on('data', onOutput);
    child.stderr?.on('data', onOutput);
    child.once('exit', () => reject(new Error(`s3rver ended: ${output}`)));
  });
}
