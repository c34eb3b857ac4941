import { headerOf } from '../response.ts';
import { type ConformanceTest, testFactory } from '../definition.ts';
import { expect, expectNoStore, expectStatus, NotRun } from '../expect.ts';
import { findImageFault } from '../image.ts';

const test = testFactory('4.7');

export const tests: readonly ConformanceTest[] = [
  test('photo', 'each photo of a unit is a complete image', async (context) => {
    const { photo } = context.shop.stock;
    if (photo === null) throw new NotRun('the target has no unit with a photo');
    const app = await context.sharedConnection();
    for (const side of photo.sides) {
      const response = await app.get(`/inventory/items/${photo.unitId}/photos/${side}`);
      expectStatus(response, 200);
      const type = headerOf(response, 'content-type') ?? 'none';
      expect(type.startsWith('image/'), 'an image content type', type);
      expect(response.body.length > 0, 'a body with bytes', response.body.length);
      const fault = findImageFault(type, response.body);
      expect(fault === null, `the photo of the ${side} to be a complete image`, fault);
      expectNoStore(response);
    }
  }),
];
