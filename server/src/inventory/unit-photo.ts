/** In the order of `photos`. */
export const PHOTO_SIDES = ['front', 'back'] as const;

export type PhotoSide = (typeof PHOTO_SIDES)[number];

/**
 * A photo in a unit's `photos` (decision 0001). Width and height are those of the large size, in
 * pixels.
 */
export interface ShownPhoto {
  readonly side: PhotoSide;
  readonly contentType: string;
  readonly width: number;
  readonly height: number;
  /** The ETag header of both sizes, including its quotes; computed from the large size. */
  readonly etag: string;
  /** ISO 8601 with milliseconds; a string because the column is JSON. */
  readonly updatedAt: string;
}

export interface UnitPhoto extends ShownPhoto {
  readonly pictureId: string;
  /** Length of the large size, so that HEAD does not query the store. */
  readonly largeBytes: number;
  readonly smallBytes: number;
}

/** Only the shown members, front before back. */
export function showPhotos(photos: readonly UnitPhoto[]): ShownPhoto[] {
  return PHOTO_SIDES.flatMap((side) => photos.filter((photo) => photo.side === side)).map(
    ({ side, contentType, width, height, etag, updatedAt }) => ({
      side,
      contentType,
      width,
      height,
      etag,
      updatedAt,
    }),
  );
}

export function parseSide(text: unknown): PhotoSide | null {
  return PHOTO_SIDES.find((side) => side === text) ?? null;
}
