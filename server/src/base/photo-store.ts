export type PhotoStore =
  | { readonly kind: 'folder'; readonly path: string }
  | {
      readonly kind: 's3';
      readonly bucket: string;
      /** The start of every object key, without surrounding slashes; may be empty. */
      readonly prefix: string;
      /** Null: `AWS_REGION`, or `us-east-1` if there is an endpoint. */
      readonly region: string | null;
      /** An origin, for stores other than Amazon's; null: Amazon's. */
      readonly endpoint: string | null;
      /** True: `endpoint/bucket/key`; false: `bucket.endpoint/key`. */
      readonly isPathStyle: boolean;
    };
