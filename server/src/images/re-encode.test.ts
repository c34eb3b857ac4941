import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { deflateSync } from 'node:zlib';
import sharp from 'sharp';
import {
  makePngClaimingSize,
  makeCorneredPng,
  CORNER_COLORS,
  cornersOf,
  jpegMarkers,
  makeExif,
  makeNoisyImage,
  makeCameraJpeg,
  makePlainImage,
  pngChunk,
  makeProgressiveJpeg,
  METADATA_WORDS,
  webpChunks,
} from '../../test/images.ts';
import type { ImageFormat } from './image-format.ts';
import { type EncodedImage, type ImageRefusal, reEncode } from './re-encode.ts';

async function made(bytes: Buffer, declared: ImageFormat | null = null): Promise<EncodedImage> {
  const result = await reEncode(bytes, declared);
  assert.ok(result.kind === 'picture', JSON.stringify(result));
  return result.picture;
}

async function refused(bytes: Buffer, declared: ImageFormat | null = null): Promise<ImageRefusal> {
  const result = await reEncode(bytes, declared);
  assert.ok(result.kind !== 'picture', 'it was taken');
  return result;
}

/** Returns a JPEG with a frame header that states a larger size than its few pixels have. */
async function claimingJpeg(width: number, height: number): Promise<Buffer> {
  const jpeg = await makePlainImage(16, 16, 'jpeg');
  const frame = jpeg.indexOf(Buffer.from([0xff, 0xc0]));
  jpeg.writeUInt16BE(height, frame + 5);
  jpeg.writeUInt16BE(width, frame + 7);
  return jpeg;
}

/** Allows a small difference, because JPEG and its subsampling blur colors a little. */
function assertCorners(found: readonly (readonly number[])[], what: string): void {
  for (const [index, hex] of CORNER_COLORS.entries()) {
    for (const channel of [0, 1, 2]) {
      const wanted = Number.parseInt(hex.slice(1 + channel * 2, 3 + channel * 2), 16);
      const got = found[index]?.[channel] ?? -1;
      assert.ok(
        Math.abs(got - wanted) <= 12,
        `${what}: corner ${index} is ${found[index]?.join()}`,
      );
    }
  }
}

/** The markers of a JPEG without metadata: start of image, JFIF, tables, frame and scan. */
const PLAIN_MARKERS = new Set([0xe0, 0xdb, 0xc0, 0xc4, 0xda]);

describe('a re-encoded image (decision 0080)', () => {
  for (const orientation of [1, 2, 3, 4, 5, 6, 7, 8]) {
    it(`the image is upright and without metadata for EXIF orientation ${orientation}`, async () => {
      const sent = await makeCameraJpeg(await makeCorneredPng(400, 300), orientation);
      for (const trace of METADATA_WORDS) assert.ok(sent.includes(trace), trace);
      const picture = await made(sent, 'jpeg');
      assert.equal(picture.contentType, 'image/jpeg');
      assert.deepEqual([picture.large.width, picture.large.height], [400, 300]);
      assert.deepEqual([picture.small.width, picture.small.height], [360, 270]);
      for (const { bytes, width, height } of [picture.large, picture.small]) {
        const { format, width: w, height: h, exif, icc, xmp, iptc } = await sharp(bytes).metadata();
        assert.deepEqual([format, w, h], ['jpeg', width, height]);
        assert.deepEqual([exif, icc, xmp, iptc], [undefined, undefined, undefined, undefined]);
        assert.ok(
          jpegMarkers(bytes).every((marker) => PLAIN_MARKERS.has(marker)),
          'a segment',
        );
        for (const trace of METADATA_WORDS) assert.equal(bytes.includes(trace), false, trace);
        assertCorners(await cornersOf(bytes), `orientation ${orientation}`);
      }
    });
  }

  it('colors are converted to sRGB from a P3 profile, CMYK, 16 bits, gray or a palette', async () => {
    const upright = await makeCorneredPng();
    for (const [name, sent] of [
      ['P3', await sharp(upright).withIccProfile('p3').png().toBuffer()],
      ['16 bits', await sharp(upright).toColourspace('rgb16').png().toBuffer()],
      ['palette', await sharp(upright).png({ palette: true }).toBuffer()],
      ['WebP', await sharp(upright).webp({ quality: 95 }).toBuffer()],
    ] as const) {
      const { large, contentType } = await made(sent);
      assert.equal(contentType, 'image/jpeg', name);
      assertCorners(await cornersOf(large.bytes), name);
    }
    const cmyk = await made(await sharp(upright).toColourspace('cmyk').jpeg().toBuffer());
    assert.equal((await sharp(cmyk.large.bytes).metadata()).space, 'srgb');
    for (const colourspace of ['b-w', 'grey16']) {
      const gray = await made(await sharp(upright).toColourspace(colourspace).png().toBuffer());
      const [[red = 0, green = 0, blue = 0] = []] = await cornersOf(gray.large.bytes);
      assert.ok(Math.abs(red - green) <= 2 && Math.abs(green - blue) <= 2, colourspace);
      assert.ok(red > 60 && red < 140, `${colourspace}: ${red}`);
    }
  });

  it('the image is WebP if it has transparency, without EXIF or XMP, and otherwise JPEG', async () => {
    const hole = { create: { width: 40, height: 40, channels: 4 as const, background: '#0000' } };
    const upright = await sharp(await makeCorneredPng())
      .ensureAlpha()
      .composite([{ input: hole, left: 180, top: 130, blend: 'dest-out' }])
      .png()
      .toBuffer();
    const opaque = await sharp(upright).ensureAlpha().png().toBuffer();
    assert.equal((await made(opaque)).contentType, 'image/jpeg');
    const clear = { ...hole.create, background: '#ffffff80', width: 400, height: 300 };
    const sent = await sharp({ create: clear })
      .webp()
      .withExif({ IFD0: { Copyright: METADATA_WORDS[0] ?? '' } })
      .withXmp(`<x:xmpmeta xmlns:x="adobe:ns:meta/">${METADATA_WORDS[2]}</x:xmpmeta>`)
      .toBuffer();
    assert.ok(webpChunks(sent).includes('EXIF') && webpChunks(sent).includes('XMP '));
    const picture = await made(sent, 'webp');
    assert.equal(picture.contentType, 'image/webp');
    for (const { bytes } of [picture.large, picture.small]) {
      assert.deepEqual(webpChunks(bytes), ['VP8X', 'ALPH', 'VP8 ']);
      const { hasAlpha, exif, xmp } = await sharp(bytes).metadata();
      assert.deepEqual([hasAlpha, exif, xmp], [true, undefined, undefined]);
    }
  });

  it('the longest sides have at most 1,600 and 360 pixels, and an image is never enlarged', async () => {
    for (const [width, height, large, small] of [
      [3200, 1600, [1600, 800], [360, 180]],
      [1000, 2000, [800, 1600], [180, 360]],
      [1600, 1600, [1600, 1600], [360, 360]],
      [1601, 1, [1600, 1], [360, 1]],
      [200, 100, [200, 100], [200, 100]],
      [1, 1, [1, 1], [1, 1]],
    ] as const) {
      const picture = await made(await makePlainImage(width, height, 'png'));
      assert.deepEqual([picture.large.width, picture.large.height], large, `${width}×${height}`);
      assert.deepEqual([picture.small.width, picture.small.height], small, `${width}×${height}`);
    }
  });

  it('the etag is strong, derived from the bytes, and the same for the same image', async () => {
    const sent = await makeCameraJpeg(await makeCorneredPng(), 6);
    const [first, second] = [await made(sent), await made(sent)];
    assert.deepEqual(first.large.bytes, second.large.bytes);
    assert.match(first.etag, /^"[A-Za-z0-9_-]{22}"$/);
    const sum = createHash('sha256').update(first.large.bytes).digest('base64url');
    assert.equal(first.etag, `"${sum.slice(0, 22)}"`);
    assert.equal(first.etag, second.etag);
  });
});

/** Matches the message for a supported image that cannot be decoded. */
const DAMAGED = /damaged or incomplete/;

describe('an invalid image (decision 0080)', () => {
  it('an image that is truncated anywhere is refused', async () => {
    for (const format of ['jpeg', 'png', 'webp'] as const) {
      const whole = await makeNoisyImage(300, 200, format);
      await made(whole, format);
      const cuts = [16, 40, 200, whole.length >> 1, whole.length - 200, whole.length - 3];
      for (const length of cuts) {
        const { kind, detail } = await refused(whole.subarray(0, length), format);
        assert.equal(kind, 'unreadable', `${format} of ${length}: ${detail}`);
        assert.match(detail, DAMAGED, `${format} of ${length}`);
      }
    }
    // Cameras may append data such as a video or a depth map, which is ignored.
    const jpeg = await makeNoisyImage(300, 200, 'jpeg');
    await made(Buffer.concat([jpeg, Buffer.alloc(5_000, 7)]), 'jpeg');
    // Some cameras leave stray bytes before the end marker.
    const end = jpeg.length - 2;
    await made(Buffer.concat([jpeg.subarray(0, end), Buffer.alloc(60), jpeg.subarray(end)]));
    const [wrong, at] = [await makeNoisyImage(300, 200, 'png'), 20_000];
    wrong[at] = 255 - (wrong[at] ?? 0);
    assert.match((await refused(wrong, 'png')).detail, DAMAGED, 'a checksum is wrong');
  });

  it('an image whose bytes do not match Content-Type is refused', async () => {
    const [jpeg, png] = [await makePlainImage(10, 10, 'jpeg'), await makePlainImage(10, 10, 'png')];
    assert.deepEqual(await refused(jpeg, 'png'), {
      kind: 'mislabeled',
      detail: 'The image is JPEG, but Content-Type says image/png.',
    });
    assert.match((await refused(png, 'webp')).detail, /is PNG, .* image\/webp/);
    const heic = Buffer.from('\0\0\0\x18ftypheic\0\0\0\0mif1heic', 'latin1');
    assert.match((await refused(heic, 'jpeg')).detail, /is HEIC, .* image\/jpeg\. .*iPhone/);
    const avif = Buffer.from('\0\0\0\x1cftypavif\0\0\0\0mif1avif', 'latin1');
    assert.equal(
      (await refused(avif, 'jpeg')).detail,
      'The image is AVIF, but Content-Type says image/jpeg. Send JPEG, PNG or WebP.',
    );
    assert.match((await refused(Buffer.from('hello'), 'jpeg')).detail, /in an unknown format/);
  });

  it('an image of another format is unsupported, and the message names the format', async () => {
    const base = sharp(await makePlainImage(10, 10, 'png'));
    for (const [name, bytes] of [
      ['HEIC', Buffer.from('\0\0\0\x18ftypheic\0\0\0\0mif1heic', 'latin1')],
      ['AVIF', await base.clone().avif().toBuffer()],
      ['GIF', await base.clone().gif().toBuffer()],
      ['TIFF', await base.clone().tiff().toBuffer()],
      ['SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>')],
      ['SVG', Buffer.from('<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"/>')],
      ['PDF', Buffer.from('%PDF-1.7\n')],
      ['in an unknown format', Buffer.from('{"hello":"world"}')],
      ['in an unknown format', Buffer.from([0xff])],
    ] as const) {
      const { kind, detail } = await refused(bytes);
      assert.equal(kind, 'unsupported', name);
      assert.match(detail, new RegExp(`^The image is ${name}.*Send JPEG, PNG or WebP`), name);
    }
  });

  it('an empty or animated image is refused', async () => {
    assert.match((await refused(Buffer.alloc(0), 'jpeg')).detail, /is empty/);
    const animated = await sharp(
      await Promise.all([makePlainImage(20, 20, 'png'), makeCorneredPng(20, 20)]),
      {
        join: { animated: true },
      },
    )
      .webp()
      .toBuffer();
    assert.match((await refused(animated, 'webp')).detail, /animated/);
    const still = await makePlainImage(20, 20, 'png');
    const apng = Buffer.concat([
      still.subarray(0, 33),
      pngChunk('acTL', Buffer.from([0, 0, 0, 1, 0, 0, 0, 0])),
      still.subarray(33),
    ]);
    assert.match((await refused(apng, 'png')).detail, /animated/);
  });
});

describe('decompression bombs (decision 0080)', () => {
  it('images of more than 50,000,000 pixels are refused by their header, and images of exactly that many are accepted', async () => {
    for (const format of ['png', 'jpeg'] as const) {
      assert.equal((await made(await makePlainImage(10_000, 5_000, format))).large.width, 1_600);
    }
    for (const over of [makePngClaimingSize(50_001, 1_000), await claimingJpeg(50_001, 1_000)]) {
      const { kind, detail } = await refused(over);
      assert.equal(kind, 'unreadable');
      assert.match(detail, /50001 × 1000 pixels; the maximum is 50 megapixels/);
    }
    const webp = await makePlainImage(16, 16, 'webp');
    assert.equal(webp.toString('latin1', 12, 16), 'VP8L');
    // A WebP header stores each side minus one in 14 bits.
    webp.writeUInt32LE(7_999 + 6_250 * 2 ** 14, 21);
    assert.match((await refused(webp)).detail, /8000 × 6251 pixels; the maximum is 50 megapixels/);
  });

  it('bombs are refused without allocating the memory that a header claims', async () => {
    const claims = [
      makePngClaimingSize(30_000, 30_000),
      makePngClaimingSize(2 ** 31 - 1, 2 ** 31 - 1),
    ];
    const jpeg = await claimingJpeg(65_535, 65_535);
    const webp = await sharp(await makePlainImage(16, 16, 'png'))
      .ensureAlpha(0.5)
      .webp()
      .toBuffer();
    webp.writeUIntLE(16_383, 24, 3);
    webp.writeUIntLE(16_383, 27, 3);
    const before = process.memoryUsage().rss;
    for (const claim of [...claims, jpeg, webp]) {
      assert.match((await refused(claim)).detail, /50 megapixels/);
    }
    assert.ok(process.memoryUsage().rss - before < 50_000_000);
  });

  it('images with endless segments or chunks are refused', async (test) => {
    const startMs = performance.now();
    const png = (await makePlainImage(20, 20, 'png')).subarray(0, 33);
    const jpeg = Buffer.from([0xff, 0xd8]);
    for (const bomb of [
      Buffer.concat([png, Buffer.alloc(15_000_000)]),
      Buffer.concat([jpeg, Buffer.alloc(15_000_000, 0xff)]),
      Buffer.concat([jpeg, Buffer.alloc(15_000_000, Buffer.from([0xff, 0xd0]))]),
    ]) {
      assert.match((await refused(bomb)).detail, DAMAGED);
    }
    test.diagnostic(`${Math.round(performance.now() - startMs)} ms for three bombs`);
  });

  it('images with a wrong size, or with hidden text or profiles, are handled safely', async () => {
    // The header states 16 × 16 pixels, but the compressed data inflates to 100 MB.
    const lie = makePngClaimingSize(16, 16);
    const small = Buffer.concat([
      lie.subarray(0, 33),
      pngChunk('IDAT', deflateSync(Buffer.alloc(100_000_000))),
      pngChunk('IEND', Buffer.alloc(0)),
    ]);
    const before = process.memoryUsage().rss;
    await reEncode(small, 'png');
    const still = await makePlainImage(20, 20, 'png');
    const packed = deflateSync(Buffer.alloc(100_000_000));
    for (const [type, head] of [
      ['zTXt', 'Comment\0\0'],
      ['iTXt', 'Comment\0\x01\0\0\0'],
      ['iCCP', 'profile\0\0'],
    ] as const) {
      const chunk = pngChunk(type, Buffer.concat([Buffer.from(head, 'latin1'), packed]));
      const chunks = Array.from({ length: 15 }, () => chunk);
      const bomb = Buffer.concat([still.subarray(0, 33), ...chunks, still.subarray(33)]);
      const result = await reEncode(bomb, 'png');
      if (result.kind === 'picture') assert.equal(result.picture.large.width, 20, type);
    }
    assert.ok(process.memoryUsage().rss - before < 400_000_000, 'no gigabyte is unpacked');
  });

  it('many small compressed texts in an image are not decompressed', async () => {
    const still = await makePlainImage(20, 20, 'png');
    const packed = deflateSync(Buffer.alloc(7_900_000, 'a'));
    const maxBefore = process.resourceUsage().maxRSS;
    for (const [type, head] of [
      ['zTXt', 'Comment\0\0'],
      ['iTXt', 'Comment\0\x01\0\0\0'],
    ] as const) {
      const chunk = pngChunk(type, Buffer.concat([Buffer.from(head, 'latin1'), packed]));
      const chunks = Array.from({ length: 1_500 }, () => chunk);
      const bomb = [
        still.subarray(0, 33),
        ...chunks,
        still.subarray(33, -12),
        ...chunks.slice(600),
      ];
      const { large } = await made(Buffer.concat([...bomb, still.subarray(-12)]), 'png');
      assert.equal(large.width, 20, type);
    }
    const risenKb = process.resourceUsage().maxRSS - maxBefore;
    assert.ok(risenKb < 400_000, `${risenKb} kB more`);
  });

  it('images with millions of rows of few pixels are refused by their header', async () => {
    assert.equal((await made(await makePlainImage(10, 65_535, 'png'))).large.height, 1_600);
    const { kind, detail } = await refused(await makePlainImage(10, 65_536, 'png'));
    assert.equal(kind, 'unreadable');
    assert.match(detail, /10 × 65536 pixels; the maximum is 65535 pixels per side/);
  });

  it('images with invalid EXIF offsets are decoded without the EXIF', async () => {
    const exif = makeExif(6);
    for (let at = 8; at < exif.length - 4; at += 3) {
      const broken = Buffer.from(exif);
      broken.writeUInt32LE(0xffff_fff0, at);
      const jpeg = await makePlainImage(20, 10, 'jpeg');
      const body = Buffer.concat([Buffer.from('Exif\0\0'), broken]);
      const length = Buffer.alloc(2);
      length.writeUInt16BE(body.length + 2);
      const sent = [jpeg.subarray(0, 2), Buffer.from([0xff, 0xe1]), length, body, jpeg.subarray(2)];
      const result = await reEncode(Buffer.concat(sent), 'jpeg');
      if (result.kind === 'picture') assert.ok(result.picture.large.bytes.length > 0);
    }
  });

  it('images with too many JPEG scans are refused before they are decoded', async () => {
    // The decoder itself refuses the repeated scans.
    const most = await refused(await makeProgressiveJpeg(64, 64, 64));
    assert.equal(most.detail, 'The image is damaged or incomplete.');
    const many = await refused(await makeProgressiveJpeg(64, 64, 65));
    assert.equal(
      many.detail,
      'The JPEG has too many scans for 64 × 64 pixels. Save it again as a baseline JPEG.',
    );
    // Encoders write about 10 scans, which is fine at 40 megapixels. 26 scans are more than a
    // billion pixels.
    const large = await refused(await makeProgressiveJpeg(8_000, 5_000, 26));
    assert.match(large.detail, /too many scans for 8000 × 5000 pixels/);
  });
});
