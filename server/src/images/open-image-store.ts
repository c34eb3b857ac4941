import type { Log } from '../base/log.ts';
import type { PhotoStore } from '../base/photo-store.ts';
import type { ImageStore } from './image-store.ts';

/** Neither contacts the store nor creates folders; that happens on the first check or use. */
export async function openImageStore(settings: PhotoStore): Promise<ImageStore> {
  if (settings.kind === 'folder') {
    const { FolderStore } = await import('./folder-store.ts');
    return new FolderStore(settings.path);
  }
  // Loaded on demand: it costs 10 MB and a third of a second that a folder store does not need.
  const { openS3Store } = await import('./s3-store.ts');
  return await openS3Store(settings);
}

/**
 * An unusable folder stops the start of the service; an unavailable bucket only causes a warning.
 * @throws StoreUnusable
 */
export async function checkImageStore(
  store: ImageStore,
  { kind }: Pick<PhotoStore, 'kind'>,
  log: Pick<Log, 'warn'>,
): Promise<void> {
  try {
    await store.check();
  } catch (error) {
    if (kind === 'folder') throw error;
    log.warn(
      { error },
      'the bucket of PHOTO_STORE cannot be read; photo requests get 503 until it can',
    );
  }
}
