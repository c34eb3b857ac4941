// A child process that decodes images for the service, one at a time.
import { drawJpeg } from './draw-jpeg.ts';
import type { ImageFormat } from './image-format.ts';
import { reEncode, type ReEncodeResult } from './re-encode.ts';

export type DecoderJob =
  | { readonly kind: 're-encode'; readonly bytes: Buffer; readonly declared: ImageFormat | null }
  | { readonly kind: 'draw'; readonly svg: string };

export type DecoderReply =
  | { readonly kind: 'done'; readonly result: ReEncodeResult | Buffer }
  | { readonly kind: 'failed'; readonly message: string };

process.on('message', (job: DecoderJob) => {
  void run(job).then((answer) => process.send?.(answer));
});
// The process exits with its parent, even if the parent crashes. SIGINT and SIGTERM are ignored, so
// that the parent can shut down gracefully.
process.on('disconnect', () => process.exit());
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => undefined);

async function run(job: DecoderJob): Promise<DecoderReply> {
  try {
    const result =
      job.kind === 'draw' ? await drawJpeg(job.svg) : await reEncode(job.bytes, job.declared);
    return { kind: 'done', result };
  } catch (error) {
    return { kind: 'failed', message: error instanceof Error ? error.message : String(error) };
  }
}
