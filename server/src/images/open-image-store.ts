import type { Log } from '../base/log.ts';
import type { PhotoStoreSettings } from '../base/photo-store.ts';
import type { ImageStore } from './image-store.ts';

/** Opens the store. Before its first use, the store is not contacted and no folder is created. */
export async function openImageStore(settings: PhotoStoreSettings): Promise<ImageStore> {
  if (settings.kind === 'folder') {
    const { FolderStore } = await import('./folder-store.ts');
    return new FolderStore(settings.path);
  }
  // Load the S3 client only if it is used: it takes 10 MB and a third of a second.
  const { openS3Store } = await import('./s3-store.ts');
  return await openS3Store(settings);
}

/** An unavailable bucket is only logged. @throws StoreUnusable if the folder is unusable */
export async function checkImageStore(
  store: ImageStore,
  { kind }: Pick<PhotoStoreSettings, 'kind'>,
  log: Pick<Log, 'warn'>,
): Promise<void> {
  try {
    await store.check();
  } catch (error) {
    if (kind === 'folder') throw error;
    log.warn(
      { error },
      'the bucket of PHOTO_STORE cannot be read; photo requests get 503 until it can be read',
    );
  }
}
