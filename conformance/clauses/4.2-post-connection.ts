import { type ConformanceTest, testsOf } from '../definition.ts';
import { expect, expectStatus } from '../expect.ts';

const test = testsOf('4.2');

export const tests: readonly ConformanceTest[] = [
  test(
    'creates',
    'it creates the connection, and its answer names the connected shop',
    async (context) => {
      const before = await context.connected({ app: context.spareApp });
      expectStatus(await before.delete('/connection'), 200, 204);
      const app = await context.approved({ app: context.spareApp });
      const opened = await app.post('/connection');
      expect(opened.status >= 200 && opened.status < 300, 'success', opened.status);
      const { id, name } = context.shop;
      expect(opened.text.includes(id), 'the shop’s id in the answer', opened.text);
      expect(opened.text.includes(name), 'the shop’s name in the answer', opened.text);
    },
  ),
];
