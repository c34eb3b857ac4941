import { headerOf } from '../answer.ts';
import { type ConformanceTest, testsOf } from '../definition.ts';
import { expect, expectNoStore, expectStatus, NotRun } from '../expect.ts';
import { pictureFault } from '../picture.ts';

const test = testsOf('4.7');

export const tests: readonly ConformanceTest[] = [
  test('photo', 'each side of a unit that has a photo gives a whole picture', async (context) => {
    const { photo } = context.shop.stock;
    if (photo === null) throw new NotRun('the target has no unit with a photo');
    const app = await context.kept();
    for (const side of photo.sides) {
      const answer = await app.get(`/inventory/items/${photo.unitId}/photos/${side}`);
      expectStatus(answer, 200);
      const type = headerOf(answer, 'content-type') ?? 'none';
      expect(type.startsWith('image/'), 'a content type of a picture', type);
      expect(answer.body.length > 0, 'bytes', answer.body.length);
      const fault = pictureFault(type, answer.body);
      expect(fault === null, `the ${side} to be a whole picture`, fault);
      expectNoStore(answer);
    }
  }),
];
