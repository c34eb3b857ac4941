import { type ConformanceTest, testFactory } from '../definition.ts';
import { expect, expectError } from '../expect.ts';

const test = testFactory('4.3');

export const tests: readonly ConformanceTest[] = [
  test('ends', 'DELETE /connection ends the connection', async (context) => {
    const app = await context.connected({ app: context.spareApp });
    const ended = await app.delete('/connection');
    expect(ended.status >= 200 && ended.status < 300, 'success', ended.status);
    expectError(await app.get('/connection'), 403, 'connection_revoked');
    expectError(await app.get('/inventory/changes'), 403, 'connection_revoked');
  }),
];
