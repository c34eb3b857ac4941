import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { inspect } from 'node:util';
import { temporaryFolder } from '../../test/cardport.ts';
import { type Config, readConfig } from './config.ts';
import { renderConfigurationPage, variables } from './variables.ts';

const SECRET = 'a secret of thirty-two characters';

function read(environment: Record<string, string>): Config {
  const result = readConfig(environment);
  if (result.kind !== 'config') throw new Error(result.problems.join());
  return result.config;
}

function faultsOf(environment: Record<string, string>): readonly string[] {
  const result = readConfig(environment);
  return result.kind === 'invalid' ? result.problems : [];
}

describe('the settings (decision 0021)', () => {
  it('have the defaults of the decision', () => {
    const config = read({});
    assert.equal(config.port, 8080);
    assert.equal(config.host, '127.0.0.1');
    assert.equal(config.publicUrl, 'http://127.0.0.1:8080');
    assert.deepEqual(config.store, { kind: 'packaged', folder: `${process.cwd()}/data` });
    assert.equal(config.secretKey, null);
    assert.deepEqual(config.photoStore, { kind: 'folder', path: `${process.cwd()}/data/photos` });
    assert.deepEqual(config.rateLimits?.api, { perMinute: 6_000, burst: 1_000 });
    assert.deepEqual(config.rateLimits.failures, { perMinute: 60, burst: 60 });
    assert.equal(config.refreshReplay, 'header');
    assert.equal(config.trustProxy, false);
    assert.equal(config.metrics, null);
    assert.equal(config.allowsLoopbackWebhooks, false);
    assert.ok(Object.isFrozen(config));
  });

  it('treat an empty variable as missing', () => {
    assert.equal(read({ PORT: '', PUBLIC_URL: ' ' }).port, 8080);
  });

  it('use PORT in the default of PUBLIC_URL', () => {
    assert.equal(read({ PORT: '9000' }).publicUrl, 'http://127.0.0.1:9000');
  });

  it('report all errors together', () => {
    const faults = faultsOf({
      PORT: '65536',
      PUBLIC_URL: 'http://shop.example',
      REFRESH_REPLAY: 'sometimes',
      TRUST_PROXY: 'everyone',
      DATABASE_URL: 'postgres://user:hunter2@db/cardport',
    });
    assert.deepEqual(
      faults.map((fault) => fault.split(' ')[0]),
      ['PORT', 'PUBLIC_URL', 'TRUST_PROXY', 'REFRESH_REPLAY', 'SECRET_KEY'],
    );
  });

  it('never show a secret in an error or in util.inspect', () => {
    const short = 'short hunter2';
    const keys = { SECRET_KEY: short, SECRET_KEY_PREVIOUS: short };
    const environment = { DATABASE_URL: 'mysql://user:hunter2@db/x', ...keys };
    assert.equal(faultsOf(environment).length, 3);
    assert.doesNotMatch(faultsOf(environment).join(), /hunter2/);
    const config = read({
      DATABASE_URL: 'postgres://user:hunter2@db/x',
      SECRET_KEY: SECRET,
      SECRET_KEY_PREVIOUS: `former ${SECRET}`,
    });
    assert.doesNotMatch(
      inspect(config, { depth: 9 }) + JSON.stringify(config),
      /hunter2|secret of/,
    );
    assert.equal(config.secretKey?.reveal(), SECRET);
    assert.equal(config.secretKeyPrevious?.reveal(), `former ${SECRET}`);
  });

  it('read a secret from the file that NAME_FILE names', () => {
    using folder = temporaryFolder();
    const file = (name: string, text: string): string => {
      writeFileSync(join(folder.path, name), text);
      return join(folder.path, name);
    };
    const environment = {
      DATABASE_URL_FILE: file('url', 'postgres://user:hunter2@db/x\n'),
      SECRET_KEY_FILE: file('key', `${SECRET}\n`),
      SECRET_KEY_PREVIOUS_FILE: file('former', `former ${SECRET}`),
      MAIL_URL_FILE: file('mail', 'smtp://u:hunter2@m.example'),
    };
    const { store, secretKey, secretKeyPrevious, mail } = read(environment);
    assert.ok(store.kind === 'postgresql');
    assert.equal(store.url.reveal(), 'postgres://user:hunter2@db/x');
    assert.equal(secretKey?.reveal(), SECRET);
    assert.equal(secretKeyPrevious?.reveal(), `former ${SECRET}`);
    assert.equal(mail.target.kind, 'smtp');
    assert.equal(read({ SECRET_KEY_FILE: ' ', SECRET_KEY: SECRET }).secretKey?.reveal(), SECRET);

    const both = faultsOf({ SECRET_KEY: SECRET, SECRET_KEY_FILE: environment.SECRET_KEY_FILE });
    assert.deepEqual(both, ['SECRET_KEY_FILE and SECRET_KEY are both set: set only one of them']);
    const missing = join(folder.path, 'missing');
    assert.deepEqual(faultsOf({ SECRET_KEY_FILE: missing }), [
      `SECRET_KEY_FILE names ${missing}, which cannot be read (ENOENT)`,
    ]);
    const empty = file('empty', '\n');
    assert.deepEqual(faultsOf({ MAIL_URL_FILE: empty }), [
      `MAIL_URL_FILE names ${empty}, which is empty`,
    ]);
    const wrong = faultsOf({ DATABASE_URL_FILE: file('wrong', 'mysql://user:hunter2@db/x') });
    assert.match(wrong.join(), /^DATABASE_URL must/);
    assert.doesNotMatch(wrong.join(), /hunter2/);
    assert.equal(read({ PORT_FILE: empty }).port, 8080);
  });

  it('by default write mail to a folder, with a sender at the host of PUBLIC_URL', () => {
    const { mail } = read({ PUBLIC_URL: 'https://cards.example' });
    assert.deepEqual(mail.target, { kind: 'folder', path: `${process.cwd()}/data/mail` });
    assert.deepEqual(mail.from, { name: 'Cardport', address: 'no-reply@cards.example' });
    assert.equal(read({}).mail.from.address, 'no-reply@localhost');
    const given = read({
      MAIL_URL: 'smtp://u%40x:hunter2%25@m.example',
      MAIL_FROM: '雲 <a@b.example>',
    });
    const { target } = given.mail;
    assert.ok(target.kind === 'smtp');
    assert.deepEqual([target.host, target.port, target.needsTls], ['m.example', 587, true]);
    assert.deepEqual(target.credentials?.(), { user: 'u@x', password: 'hunter2%' });
    assert.doesNotMatch(inspect(given, { depth: 9 }) + JSON.stringify(given), /hunter2/);
    assert.deepEqual(given.mail.from, { name: '雲', address: 'a@b.example' });
    const faults = faultsOf({ MAIL_URL: 'smtp://u:hunter2%@m.example' }).join();
    assert.match(faults, /^MAIL_URL must have a percent-encoded user and password/);
    assert.doesNotMatch(faults, /hunter2/);
  });

  for (const [name, good, bad] of [
    [
      'MAIL_URL',
      ['smtp://127.0.0.1:2525', 'smtps://u:p@m.example', './mails'],
      ['imap://m.example', 'smtp://', 'smtp://m.example/x', 'smtp://m.example?pool=true'],
    ],
    [
      'MAIL_FROM',
      ['a@b.example', 'A B <a@b.example>'],
      ['a', 'a@b.example, c@d.example', '<a@b>, <c@d>', 'A <a@b.example', 'a b@c.example'],
    ],
    ['PORT', ['0', '65535'], ['-1', '65536', '80.5', '0x50', 'http']],
    [
      'PUBLIC_URL',
      [
        'https://a.example',
        'http://localhost:1',
        'http://127.9.9.9',
        'http://[::1]:2',
        'https://a.example/',
      ],
      [
        'a.example',
        'http://a.example',
        'https://a.example/path',
        'https://u@a.example',
        'ftp://a.example',
        'https://a.example/?q',
      ],
    ],
    ['SECRET_KEY', ['x'.repeat(32)], ['x'.repeat(31)]],
    ['SECRET_KEY_PREVIOUS', ['x'.repeat(32)], ['x'.repeat(31)]],
    [
      'DATABASE_URL',
      [
        'postgres://h/d',
        'postgresql://h/d',
        'postgres://u:p@h1:5432,[::1]/d?target_session_attrs=read-write',
      ],
      [
        'http://h/d',
        'postgres//h',
        'postgres://h1,,h2/d',
        'postgres://h/d?target_session_attrs=standby',
      ],
    ],
    [
      'RATE_LIMITS',
      ['off', 'api=5', 'api=5/1,token=9'],
      ['on', 'api=0', 'api', 'other=5', 'api=-1'],
    ],
    [
      'TRUST_PROXY',
      ['off', 'false', 'true', '1', '10.0.0.0/8, ::1', 'loopback'],
      ['yes', '0', '10', '10.0.0.0/33', 'proxy.example'],
    ],
    [
      'PHOTO_STORE',
      [
        './photos',
        's3://bucket/a/b',
        's3://bucket',
        's3://bucket?region=ap-northeast-1',
        's3://bucket/a?endpoint=http://127.0.0.1:9000&pathStyle=false',
      ],
      [
        's3://',
        'gs://bucket',
        's3://B',
        's3://bucket?regoin=x',
        's3://bucket?region=a&region=b',
        's3://bucket?region=Tokyo 1',
        's3://bucket?endpoint=minio:9000',
        's3://bucket?endpoint=https://user:password@minio.example',
        's3://bucket?endpoint=https://minio.example/path',
        's3://bucket?pathStyle=yes',
      ],
    ],
    ['METRICS_PORT', ['9464'], ['x']],
    ['DATABASE_WAIT_SECONDS', ['0', '60', '86400'], ['-1', '86401', '1m']],
    ['ALLOW_LOOPBACK_WEBHOOKS', ['true', 'false'], ['yes', '1']],
    ['LOG_LEVEL', ['silent', 'trace'], ['loud']],
  ] as const) {
    it(`${name} accepts ${good.join(' · ')} and refuses ${bad.join(' · ')}`, () => {
      const rest = name === 'DATABASE_URL' ? { SECRET_KEY: SECRET } : {};
      for (const value of good) assert.deepEqual(faultsOf({ [name]: value, ...rest }), [], value);
      for (const value of bad) {
        assert.equal(faultsOf({ [name]: value, ...rest })[0]?.split(' ')[0], name, value);
      }
    });
  }

  it('allow loopback webhooks only with a loopback PUBLIC_URL', () => {
    assert.equal(read({ ALLOW_LOOPBACK_WEBHOOKS: 'true' }).allowsLoopbackWebhooks, true);
    const faults = faultsOf({ ALLOW_LOOPBACK_WEBHOOKS: 'true', PUBLIC_URL: 'https://a.example' });
    assert.match(faults.join(), /^ALLOW_LOOPBACK_WEBHOOKS/);
  });

  it('store photos in a folder relative to the working directory, or in a bucket', () => {
    const folder = { kind: 'folder', path: `${process.cwd()}/photos` };
    assert.deepEqual(read({ PHOTO_STORE: './photos' }).photoStore, folder);
    const amazon = { kind: 's3', bucket: 'cards', prefix: 'a/b', endpoint: null };
    assert.deepEqual(read({ PHOTO_STORE: 's3://cards/a/b/?region=eu-west-1' }).photoStore, {
      ...amazon,
      region: 'eu-west-1',
      isPathStyle: false,
    });
    const other = { kind: 's3', bucket: 'cards', prefix: '', endpoint: 'https://minio.example' };
    assert.deepEqual(
      read({ PHOTO_STORE: 's3://cards?endpoint=https://minio.example' }).photoStore,
      {
        ...other,
        region: null,
        isPathStyle: true,
      },
    );
  });

  it('are the same in docs/configuration.md', () => {
    const page = readFileSync(new URL('../../../docs/configuration.md', import.meta.url), 'utf8');
    assert.equal(page, renderConfigurationPage());
    for (const name of Object.keys(variables)) {
      assert.match(page, new RegExp(`\\| \`${name}\` \\|`));
    }
  });
});
