import { type ConformanceTest, testFactory } from '../definition.ts';
import { expect, expectStatus } from '../expect.ts';

const test = testFactory('9');

export const tests: readonly ConformanceTest[] = [
  test('in-base', '{base_url} ends with the version segment v1', async (context) => {
    const { pathname } = new URL(context.target.baseUrl);
    expect(pathname.endsWith('/v1'), 'a path that ends with /v1', pathname);
  }),

  test(
    'in-resource',
    'the resource identifier ends with the version segment v1',
    async (context) => {
      const { metadataUrl } = context.target;
      const response = await context.send({ method: 'GET', url: metadataUrl });
      expectStatus(response, 200);
      expect(
        /"resource"\s*:\s*"[^"]*\/v1"/.test(response.text),
        'a resource that ends with /v1',
        response.text,
      );
    },
  ),
];
