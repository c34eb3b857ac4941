import type { Log } from '../base/log.ts';
import type { PhotoStore } from '../base/photo-store.ts';
import type { PictureStore } from './picture-store.ts';

/** Opens the store that the settings name. Nothing is asked of it, and no folder made, before it is checked or used. */
export async function openPictureStore(settings: PhotoStore): Promise<PictureStore> {
  if (settings.kind === 'folder') {
    const { FolderStore } = await import('./folder-store.ts');
    return new FolderStore(settings.path);
  }
  // Loaded where it is used: 10 MB and a third of a second that a folder has no use for.
  const { openS3Store } = await import('./s3-store.ts');
  return await openS3Store(settings);
}

/**
 * Looks whether the store can be used. A folder that cannot ends the start; a bucket may be away for a moment, and is told
 * of only.
 *
 * @throws StoreUnusable
 */
export async function checkPictureStore(
  store: PictureStore,
  { kind }: Pick<PhotoStore, 'kind'>,
  log: Pick<Log, 'warn'>,
): Promise<void> {
  try {
    await store.check();
  } catch (error) {
    if (kind === 'folder') throw error;
    log.warn({ error }, 'the bucket of PHOTO_STORE cannot be read; photos are 503 until it can');
  }
}
