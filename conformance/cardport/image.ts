import { crc32, deflateSync } from 'node:zlib';

/** The image's long edge exceeds that of a large photo, so that both sizes are generated. */
const WIDTH = 1200;
const HEIGHT = 1700;

/** Creates a PNG with a vertical gradient. */
export function createImage(red: number): Buffer<ArrayBuffer> {
  const row = 1 + WIDTH * 3;
  const pixels = Buffer.alloc(row * HEIGHT);
  for (let y = 0; y < HEIGHT; y++) {
    const shade = Math.floor((y / HEIGHT) * 255);
    for (let x = 0; x < WIDTH; x++) {
      const at = y * row + 1 + x * 3;
      pixels[at] = red;
      pixels[at + 1] = shade;
      pixels[at + 2] = 255 - shade;
    }
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(WIDTH, 0);
  header.writeUInt32BE(HEIGHT, 4);
  // 8 bits per channel, three channels (PNG specification, 11.2.2).
  header.set([8, 2, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(pixels, { level: 1 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(data.length, 0);
  frame.writeUInt32BE(crc32(named), 4);
  return Buffer.concat([frame.subarray(0, 4), named, frame.subarray(4)]);
}
