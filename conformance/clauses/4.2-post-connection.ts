import { type ConformanceTest, testFactory } from '../definition.ts';
import { expect, expectSuccess } from '../expect.ts';

const test = testFactory('4.2');

export const tests: readonly ConformanceTest[] = [
  test(
    'creates',
    'POST /connection creates the connection, and returns the connected shop',
    async (context) => {
      const before = await context.connected({ app: context.spareApp });
      expectSuccess(await before.delete('/connection'));
      const app = await context.approved({ app: context.spareApp });
      const opened = await app.post('/connection');
      expect(opened.status >= 200 && opened.status < 300, 'success', opened.status);
      const { id, name, slug } = context.shop;
      expect(
        [id, name, slug].some((word) => opened.text.includes(JSON.stringify(word))),
        'the connected shop in the response',
        opened.text,
      );
    },
  ),
];
