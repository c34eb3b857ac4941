export type PhotoStoreSettings =
  | { readonly kind: 'folder'; readonly path: string }
  | {
      readonly kind: 's3';
      readonly bucket: string;
      /** The start of every object key, without slashes around it. It may be empty. */
      readonly prefix: string;
      /** If null, the region is `AWS_REGION`, or `us-east-1` if there is an endpoint. */
      readonly region: string | null;
      /** The origin of the store, or null for Amazon S3. */
      readonly endpoint: string | null;
      /** If true, objects are at `endpoint/bucket/key`, else at `bucket.endpoint/key`. */
      readonly isPathStyle: boolean;
    };
