/** The sides of a unit that may have a photo, in the order of `photos`. */
export const PHOTO_SIDES = ['front', 'back'] as const;

export type PhotoSide = (typeof PHOTO_SIDES)[number];

/**
 * A photo as shown in a unit's `photos` (decision 0001). Width and height are those of the large
 * size, in pixels.
 */
export interface ShownPhoto {
  readonly side: PhotoSide;
  readonly contentType: string;
  readonly width: number;
  readonly height: number;
  /**
   * The value of the ETag header of both sizes, including its quotes; computed from the large size.
   */
  readonly etag: string;
  /** ISO 8601 with milliseconds; a string because the column is JSON. */
  readonly updatedAt: string;
}

/** A photo as stored in a unit's row: the shown members, and where its bytes are. */
export interface UnitPhoto extends ShownPhoto {
  readonly pictureId: string;
  /** Length of the large size, so that HEAD does not query the store. */
  readonly largeBytes: number;
  readonly smallBytes: number;
}

/** The photos in a unit's record: only the shown members, front before back. */
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

/** Parses a side from a path segment; null if invalid. */
export function parseSide(text: unknown): PhotoSide | null {
  return PHOTO_SIDES.find((side) => side === text) ?? null;
}
