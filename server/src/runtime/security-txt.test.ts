import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { startTestService } from '../../test/service.ts';
import { openTestDatabase } from '../../test/test-database.ts';

const DAY_MS = 86_400_000;

describe('/.well-known/security.txt (RFC 9116)', () => {
  it('security.txt says where to report a vulnerability, and expires in 90 to 365 days', async () => {
    await using base = await openTestDatabase();
    await using service = await startTestService(base);
    const answer = await fetch(`${service.url}/.well-known/security.txt`);
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get('content-type'), 'text/plain; charset=utf-8');
    const lines = (await answer.text()).trimEnd().split('\n');
    const fields = new Map(
      lines.map((line) => {
        const [, name = '', value = ''] = /^([A-Z][A-Za-z-]+): (\S.*)$/.exec(line) ?? [];
        return [name, value];
      }),
    );
    assert.equal(fields.size, lines.length, 'no field twice');
    const policy = readFileSync(new URL('../../../SECURITY.md', import.meta.url), 'utf8');
    assert.ok(policy.includes(`<${fields.get('Contact')}>`), 'the address of SECURITY.md');
    assert.equal(fields.get('Canonical'), `${service.publicUrl}/.well-known/security.txt`);
    const days = (Date.parse(fields.get('Expires') ?? '') - Date.now()) / DAY_MS;
    assert.ok(days > 90 && days < 365, String(days));
  });
});
