import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { AppClient } from '../../test/app-client.ts';
import { seedShop, startTestService } from '../../test/service.ts';
import { openTestDatabase } from '../../test/test-database.ts';

describe('token errors', () => {
  it('token errors are counted by grant type and error code, and clients cannot add time series', async () => {
    await using base = await openTestDatabase();
    await using service = await startTestService(base, { environment: { METRICS_PORT: '0' } });
    const client = new AppClient(service, await seedShop(base));
    const counts = async (): Promise<ReadonlyMap<string, number>> => {
      const text = await (await fetch(service.metricsUrl ?? '')).text();
      const found = text.matchAll(/^cardport_oauth_token_errors_total\{(.*)\} (\d+)$/gm);
      return new Map([...found].map(([, labels = '', count]) => [labels, Number(count)]));
    };
    const before = await counts();
    assert.ok(before.size > 0 && [...before.values()].every((count) => count === 0));
    assert.equal((await client.refresh(`cpr_${'x'.repeat(43)}`)).body.error, 'invalid_grant');
    assert.equal((await client.exchange('x')).body.error, 'invalid_grant');
    assert.equal((await client.post('token', { grant_type: 'made up' })).status, 400);
    assert.equal((await client.send('token', '', { authorization: '' })).status, 401);
    assert.equal((await client.send('token', '{}', { 'content-type': 'text/html' })).status, 400);
    await client.revoke('x');
    const after = await counts();
    assert.deepEqual([...after.keys()], [...before.keys()]);
    const counted = [...after].filter(([, count]) => count > 0);
    assert.deepEqual(
      new Map(counted),
      new Map([
        ['grant_type="authorization_code",error="invalid_grant"', 1],
        ['grant_type="refresh_token",error="invalid_grant"', 1],
        ['grant_type="other",error="invalid_request"', 1],
        ['grant_type="other",error="invalid_client"', 1],
        ['grant_type="other",error="unsupported_grant_type"', 1],
      ]),
    );
  });
});
