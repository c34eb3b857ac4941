/** @see https://wicg.github.io/shape-detection-api/#barcode-detection-api */
interface BarcodeDetector {
  detect(source: HTMLVideoElement): Promise<readonly { readonly rawValue: string }[]>;
}
interface Window {
  /** Missing in browsers that cannot detect barcodes. */
  readonly BarcodeDetector?: new (options: {
    readonly formats: readonly string[];
  }) => BarcodeDetector;
}
