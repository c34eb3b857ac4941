import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createImage } from './cardport/image.ts';
import { findImageFault } from './image.ts';

/** The smallest image, one gray pixel, with a stuffed byte and a restart marker in its scan. */
const JPEG = Buffer.from(
  'ffd8' +
    'ffe000104a46494600010100000100010000' +
    'ffc0000b080001000101011100' +
    'ffda0008010100003f00' +
    'a1ff00b2ffd0c3' +
    'ffd9',
  'hex',
);
const WEBP = Buffer.concat([
  Buffer.from('RIFF\u0012\0\0\0WEBPVP8L\u0005\0\0\0', 'latin1'),
  Buffer.from('2f00000000', 'hex'),
  Buffer.alloc(1),
]);
const PICTURES = { 'image/jpeg': JPEG, 'image/png': createImage(7), 'image/webp': WEBP };

describe('an image', () => {
  it('is valid when it is complete or of an unknown type', () => {
    for (const [type, bytes] of Object.entries(PICTURES)) {
      assert.equal(findImageFault(`${type}; q=1`, bytes), null, type);
    }
    assert.equal(findImageFault('image/avif', Buffer.from('x')), null);
  });

  it('is invalid when it is truncated at any point', () => {
    for (const [type, bytes] of Object.entries(PICTURES)) {
      const step = Math.max(1, Math.floor(bytes.length / 100));
      for (let length = 0; length < bytes.length; length += step) {
        assert.notEqual(findImageFault(type, bytes.subarray(0, length)), null, `${type} ${length}`);
      }
    }
  });

  it('is invalid when it is another kind of file', () => {
    const page = Buffer.from('<!doctype html><title>Not found</title>'.repeat(9));
    for (const type of Object.keys(PICTURES))
      assert.notEqual(findImageFault(type, page), null, type);
    assert.notEqual(findImageFault('image/jpeg', PICTURES['image/png']), null);
    const noScan = Buffer.concat([JPEG.subarray(0, 33), Buffer.from('ffd9', 'hex')]);
    assert.equal(findImageFault('image/jpeg', noScan), 'it ends before its first scan');
    const damaged = Buffer.from(PICTURES['image/png']);
    damaged[200] = (damaged[200] ?? 0) ^ 1;
    assert.match(findImageFault('image/png', damaged) ?? '', /is damaged/);
  });
});
