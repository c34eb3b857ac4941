import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { environmentOf, runCardportInProcess } from '../../test/cardport-in-process.ts';
import { seedShop } from '../../test/service.ts';
import { openTestDatabase } from '../../test/test-database.ts';

describe('the commands that name something', () => {
  it('each command refuses a name with an invisible character, and takes one in any script', async () => {
    await using base = await openTestDatabase();
    const { shop } = await seedShop(base);
    const at = ['--shop', shop.slug];
    const uri = ['--redirect-uri', 'https://app.example/cb', '--scope', 'inventory:read'];
    const commands = (name: string, slug: string): readonly (readonly string[])[] => [
      ['shop', 'add', '--slug', slug, '--name', name],
      ['shop', 'rename', shop.slug, '--name', name],
      ['app', 'add', ...at, ...uri, '--name', name],
      ['key', 'add', ...at, '--name', name],
      ['member', 'add', ...at, '--email', `${slug}@x.example`, '--name', name, '--password-stdin'],
    ];
    const options = { environment: environmentOf(base), stdin: 'a sentence that is long\n' };
    for (const name of ['Shop \u202eelpmaxe.knab', 'a\u2028b', 'PayPal\u200b']) {
      for (const command of commands(name, 'bad')) {
        const refused = await runCardportInProcess(command, options);
        assert.equal(refused.code, 2, command.join(' '));
        assert.match(refused.stderr, /name must not contain invisible characters/);
      }
    }
    for (const command of commands('می\u200cخواهم 👩\u200d🚀 葛\u{e0100}', 'good')) {
      const done = await runCardportInProcess(command, options);
      assert.equal(done.code, 0, `${command.join(' ')}: ${done.stderr}`);
    }
  });
});
