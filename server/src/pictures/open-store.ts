import type { PhotoStore } from '../base/photo-store.ts';
import type { PictureStore } from './picture-store.ts';

/** Opens the store that the settings name. Nothing is asked of it, and no folder made, before its first use. */
export async function openPictureStore(settings: PhotoStore): Promise<PictureStore> {
  if (settings.kind === 'folder') {
    const { FolderStore } = await import('./folder-store.ts');
    return new FolderStore(settings.path);
  }
  // Loaded where it is used: 10 MB and a third of a second that a folder has no use for.
  const { openS3Store } = await import('./s3-store.ts');
  return await openS3Store(settings);
}
