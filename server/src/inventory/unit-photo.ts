/** The sides of a unit, in the order in which `photos` lists them. */
export const PHOTO_SIDES = ['front', 'back'] as const;

export type PhotoSide = (typeof PHOTO_SIDES)[number];

/** A unit's photo (decision 0001). Width and height are those of the large size, in pixels. */
export interface ShownPhoto {
  readonly side: PhotoSide;
  readonly contentType: string;
  readonly width: number;
  readonly height: number;
  /** The ETag header of both sizes with its quotes, computed from the large size. */
  readonly etag: string;
  /** An ISO 8601 time with milliseconds. It is a string because the column is JSON. */
  readonly updatedAt: string;
}

export interface UnitPhoto extends ShownPhoto {
  readonly pictureId: string;
  /** The length of the large size, stored so that HEAD does not query the store. */
  readonly largeBytes: number;
  readonly smallBytes: number;
}

/** Returns the public fields of the photos, the front before the back. */
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
