import { constants, existsSync } from 'node:fs';
import { access, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { newId } from '../base/secrets.ts';
import type { Config } from '../config/config.ts';
import { findFolderRisk } from '../database/data-folder.ts';
import { DecoderPool } from '../images/decoder-pool.ts';
import { openImageStore } from '../images/open-image-store.ts';
import { type ImageKey, pathOfKey } from '../images/image-store.ts';
import { addressesOf } from '../oauth/addresses.ts';
import { DiskSpace } from '../runtime/disk-space.ts';
import { checkWithin, type Finding, ok, problem, warning } from './finding.ts';

/** Long enough for a distant or busy server, but shorter than the mail client's own timeouts. */
const CHECK_SECONDS = 20;
const FETCH_TIMEOUT_MS = 5_000;
const METADATA_BYTES_MAX = 100_000;

export async function checkDisk(config: Config): Promise<readonly Finding[]> {
  const { store } = config;
  const advice = 'give the user that runs Cardport write access to the folder';
  return await checkWithin(CHECK_SECONDS, 'disk', advice, async () => {
    if (store.kind === 'packaged' && existsSync(store.folder)) {
      await access(store.folder, constants.W_OK | constants.X_OK);
    }
    const problems = await new DiskSpace(config).findProblems();
    if (problems.length === 0) return [ok('disk', 'folders are writable and have free space')];
    const free = 'enlarge the disk or remove files of other programs (docs/operating.md)';
    return problems.map((sentence) => problem('disk', sentence, free));
  });
}

export async function checkFolder({ folder }: Config): Promise<readonly Finding[]> {
  const check = 'data folder';
  const advice = 'read docs/operating.md, The data folder';
  return await checkWithin(CHECK_SECONDS, check, advice, async () => {
    const risk = findFolderRisk(folder);
    return [
      risk === null ? ok(check, 'no other user can write to it') : warning(check, risk, advice),
    ];
  });
}

export async function checkMail({ mail }: Config): Promise<readonly Finding[]> {
  const { target } = mail;
  if (target.kind === 'folder') {
    const advice = 'set MAIL_URL to a mail server, or deliver the files yourself';
    return [warning('mail', `emails are only written to the folder ${target.path}`, advice)];
  }
  const server = `${target.host}:${target.port}`;
  const advice = `check MAIL_URL, and that this machine can reach ${server}`;
  return await checkWithin(CHECK_SECONDS, 'mail', advice, async () => {
    const { checkMailServer } = await import('../mail/smtp-delivery.ts');
    await checkMailServer(target);
    const signedIn = target.credentials === null ? 'answers' : 'accepts the sign-in';
    return [ok('mail', `${server} ${signedIn}; nothing was sent`)];
  });
}

export async function checkPhotoStore({ photoStore }: Config): Promise<readonly Finding[]> {
  const check = 'photo store';
  const isFolder = photoStore.kind === 'folder';
  if (isFolder && !existsSync(photoStore.path)) {
    const advice =
      'serve creates the folder; if photos exist elsewhere, correct PHOTO_STORE or DATA_DIR';
    return [warning(check, `the folder ${photoStore.path} does not exist`, advice)];
  }
  const place = isFolder ? photoStore.path : `s3://${photoStore.bucket}`;
  const advice = isFolder
    ? 'give the user that runs Cardport write access to the folder of PHOTO_STORE'
    : 'check PHOTO_STORE, the AWS_ variables, and the permissions in docs/operating.md (Photos)';
  return await checkWithin(CHECK_SECONDS, check, advice, async () => {
    const store = await openImageStore(photoStore);
    const key: ImageKey = { shopId: newId(), pictureId: newId(), size: 'small' };
    try {
      await store.write(key, Buffer.from('probe'), 'image/jpeg');
      const stored = await store.open(key);
      const text = stored === undefined ? '' : (await buffer(stored.stream)).toString();
      if (text !== 'probe') throw new Error('a photo was written but could not be read back');
    } finally {
      await store.remove(key);
      if (isFolder) await removeEmptyFolders(join(photoStore.path, pathOfKey(key)));
      await store.close();
    }
    return [ok(check, `a photo was written to ${place}, read and removed`)];
  });
}

export async function checkDecoder(): Promise<readonly Finding[]> {
  const check = 'photo decoder';
  const advice =
    'install Cardport again with `npm ci --omit=dev` and the Node that README.md names';
  return await checkWithin(CHECK_SECONDS, check, advice, async () => {
    const decoders = new DecoderPool();
    try {
      await decoders.drawJpeg('<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>');
    } finally {
      decoders.close();
    }
    return [ok(check, 'images can be decoded')];
  });
}

/** Removes the two folders that writing the probe may have created. */
async function removeEmptyFolders(file: string): Promise<void> {
  try {
    await rmdir(dirname(file));
    await rmdir(dirname(dirname(file)));
  } catch {
    // A folder may be missing because the write failed, or may contain other files.
  }
}

export async function checkPublicUrl({
  publicUrl,
  isPublicUrlGiven,
}: Config): Promise<readonly Finding[]> {
  const check = 'PUBLIC_URL';
  if (!isPublicUrlGiven) {
    const message = `it is not set, so only this machine can reach the service (${publicUrl})`;
    return [warning(check, message, 'set PUBLIC_URL to the https origin that apps use')];
  }
  const { issuer } = addressesOf(publicUrl);
  const advice = `start serve, and check DNS, certificate and proxy of ${publicUrl}`;
  return await checkWithin(CHECK_SECONDS, check, advice, async () => {
    const url = `${publicUrl}/.well-known/oauth-authorization-server${new URL(issuer).pathname}`;
    const signal = AbortSignal.timeout(FETCH_TIMEOUT_MS);
    const response = await fetch(url, { signal, redirect: 'manual' });
    const text = (await response.text()).slice(0, METADATA_BYTES_MAX);
    if (response.status !== 200) throw new Error(`${url} responds with ${response.status}`);
    const metadata: unknown = JSON.parse(text);
    const found =
      typeof metadata === 'object' && metadata !== null && 'issuer' in metadata
        ? metadata.issuer
        : undefined;
    if (found === issuer) return [ok(check, `${publicUrl} leads to the service`)];
    const message = `the service at ${publicUrl} has the issuer ${JSON.stringify(found)}, not ${issuer}`;
    return [problem(check, message, 'set the same PUBLIC_URL for serve and for this command')];
  });
}
