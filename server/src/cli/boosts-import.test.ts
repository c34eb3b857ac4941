import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Run } from '../../test/cardport.ts';
import { runCardportInProcess, environmentOf } from '../../test/cardport-in-process.ts';
import { startTestService } from '../../test/service.ts';
import { openTestDatabase } from '../../test/test-database.ts';
import { newId } from '../base/secrets.ts';

const game = { id: newId(), code: 'skyfall', name: '空のかけら' };

describe('boosts import (decision 0009)', () => {
  it('boosts import applies every kind of line while a service is running', async () => {
    await using base = await openTestDatabase();
    await using stack = new AsyncDisposableStack();
    const environment = environmentOf(base);
    const served = await startTestService(base);
    stack.defer(async () => void (await served.close()));
    const run = async (words: string, lines: readonly unknown[] = []): Promise<Run> => {
      const stdin = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
      return await runCardportInProcess(words.split(' '), { environment, stdin });
    };
    assert.equal((await run('shop add --name A --slug a')).code, 0);
    const { key }: { key: string } = JSON.parse((await run('key add --shop a --json')).stdout);
    const headers = { authorization: `Bearer ${key}` };
    const list = async (): Promise<readonly Record<string, unknown>[]> => {
      const answer = await fetch(`${served.shopUrl}/boosts`, { headers });
      const { boosts }: { boosts: Record<string, unknown>[] } = JSON.parse(await answer.text());
      return boosts;
    };
    const [cardId, gradeId, id] = [newId(), newId(), newId()];
    const card = { id: cardId, name: '蒼天竜アルバ', languageCode: 'ja', game };
    assert.equal((await run('catalog import -', [card])).code, 0);
    const grade = { code: 'A', label: '美品', serviceCode: 'shop', serviceName: '当店' };
    const data = { target: { kind: 'card', cardId, gradeId }, priceMinor: 9_000, note: '急募' };
    const lines = [
      { kind: 'grade', id: gradeId, data: grade },
      { kind: 'boost', id, data },
      { kind: 'boost', id: newId(), data: { ...data, priceMinor: -1 } },
      { kind: 'boost', id: newId(), data: { target: { kind: 'card', cardId: id }, priceMinor: 1 } },
      { kind: 'boost', id: newId(), data: { priceMinor: 1 } },
    ];
    const first = await run('boosts import --shop a --json -', lines);
    assert.equal(first.code, 3, first.stderr);
    const report: { accepted: number; rejected: { line: number; detail: string }[] } = JSON.parse(
      first.stdout,
    );
    assert.equal(report.accepted, 2);
    const rejected = report.rejected.map(({ line, detail }) => `${line} ${detail}`);
    assert.equal(rejected.length, 3);
    assert.match(rejected[0] ?? '', /^3 priceMinor must be a whole number/);
    assert.match(rejected[1] ?? '', /^4 target\.cardId: there is no card/);
    assert.match(rejected[2] ?? '', /^5 A new boost must have target\.$/);
    const [boost, ...others] = await list();
    assert.equal(others.length, 0);
    assert.deepEqual([boost?.['id'], boost?.['status'], boost?.['note']], [id, 'open', '急募']);

    const again = await run('inventory import --shop a -', lines.slice(0, 2));
    assert.deepEqual([again.code, again.stdout], [0, 'Accepted 2 lines.\n']);
    assert.deepEqual(await list(), [boost], 'unchanged lines change nothing');
    assert.equal((await run('boosts import --shop nobody -', lines)).code, 1);
    assert.equal((await run('boosts import -', lines)).code, 2);
  });
});
