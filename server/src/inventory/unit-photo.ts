/** The sides of a unit that may have a photo, in the order of the manifest. */
export const PHOTO_SIDES = ['front', 'back'] as const;

export type PhotoSide = (typeof PHOTO_SIDES)[number];

/** A photo as a unit's manifest shows it (decision 0001). Sizes are those of the large picture, in pixels. */
export interface ShownPhoto {
  readonly side: PhotoSide;
  readonly contentType: string;
  readonly width: number;
  readonly height: number;
  /** The exact value of the ETag header of both sizes, with its quotes; made from the large picture's bytes. */
  readonly etag: string;
  /** ISO 8601 with milliseconds: the column is JSON. */
  readonly updatedAt: string;
}

/** A photo as a unit's row keeps it: what the manifest shows, and where its bytes are. */
export interface UnitPhoto extends ShownPhoto {
  readonly pictureId: string;
  /** Bytes of the large picture, so that HEAD asks nothing of the store. */
  readonly largeBytes: number;
  readonly smallBytes: number;
}

/** What a unit's record shows of its photos: exactly the members of the manifest, front before back. */
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

/** A side of a unit that may have a photo, or null: the parser of a path's segment. */
export function parseSide(text: unknown): PhotoSide | null {
  return PHOTO_SIDES.find((side) => side === text) ?? null;
}
