import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { redactSecrets, openLog } from './log.ts';
import { newId, newSecret, newSecretOfShop } from './secrets.ts';

describe('the log', () => {
  it('the log redacts secrets, cookies, passwords and email addresses wherever they occur', () => {
    const lines: string[] = [];
    const log = openLog({ level: 'debug', write: (text) => lines.push(text) });
    const secrets = [
      newSecret('cpa'),
      newSecret('cpr'),
      newSecret('cpc'),
      newSecret('cps'),
      newSecret('cpi'),
      newSecret('cpo'),
      newSecret('cpp'),
      newSecret('cpw'),
      newSecret('csk'),
      newSecretOfShop('cpa', newId()),
      newSecretOfShop('csk', newId()),
      'whsec_AAECAwQFBgc+/w==',
    ];
    log.info(
      { deep: { list: secrets, url: `https://x/?token=${secrets[0]}` } },
      `of ${secrets[1]}`,
    );
    log.warn(
      {
        headers: {
          authorization: 'Basic YWJjOmRlZg==',
          'set-cookie': ['a=very'],
          cookie: 'b=secret',
        },
        body: { password: 'pass"word', client_secret: 'unprefixed', code_verifier: 'proof-key' },
        email: 'Aoi.Tanaka+x@cards.example',
      },
      'for 葵@カード.example',
    );
    log.error(
      { error: new Error('postgres://me:hunter2@db/x', { cause: new Error(secrets[2]) }) },
      'x',
    );
    log.close();
    const text = lines.join('');
    for (const hidden of [
      ...secrets,
      'YWJjOmRlZg',
      'very',
      'b=secret',
      'word"',
      'unprefixed',
      'proof-key',
      'Tanaka',
      'hunter2',
      '葵@',
    ]) {
      assert.ok(!text.replaceAll('"password"', '').includes(hidden), `${hidden} in ${text}`);
    }
    for (const line of text.trim().split('\n')) JSON.parse(line);
  });

  it('the log redacts lines of up to 2 MB in linear time', () => {
    for (const piece of ['a', 'token', '@', 'a@', '"token', '://', 'cpa_', '\\"', '"token":[']) {
      assert.ok(redactSecrets(piece.repeat(200_000)).length > 0, piece);
    }
  });

  it('the log does not redact client ids, paths and times', () => {
    const line = `{"clientId":"${newSecret('app')}","path":"/partner/v1/cards","ms":1.5,"at":"12:00"}`;
    assert.equal(redactSecrets(line), line);
  });

  it('the log has one line of valid JSON per request, even if the path has quotes or line breaks', () => {
    const lines: string[] = [];
    const log = openLog({ level: 'info', write: (text) => lines.push(text) });
    const path = `/"\\\n\u0000<é>${newSecret('cpa')}${'x'.repeat(2_000)}`;
    const subject = { shopId: 'shop', clientId: 'app' };
    log.access({
      requestId: 'r',
      method: 'GET',
      path,
      status: 404,
      milliseconds: 1.234,
      ...subject,
    });
    assert.deepEqual(lines, [], 'held for a batch');
    log.flush();
    const record: Readonly<Record<string, unknown>> = JSON.parse(lines.join(''));
    assert.equal(record['status'], 404);
    assert.equal(record['ms'], 1.23);
    assert.ok(String(record['path']).length <= 500);
    assert.ok(!lines.join('').includes('cpa_A'));
    log.close();
  });

  it('the log redacts secrets and addresses that are percent-encoded in a path', () => {
    const lines: string[] = [];
    const log = openLog({ level: 'info', write: (text) => lines.push(text) });
    const secret = newSecret('cpa');
    const path = `/x/${secret.replace('_', '%5F')}/hana%40demo.example/%e7%a9%ba/%zz`;
    const of = { requestId: 'r', method: 'GET', shopId: null, clientId: null };
    log.access({ ...of, path, status: 404, milliseconds: 1 });
    log.close();
    assert.ok(!lines.join('').includes(secret.slice(4)));
    assert.ok(!lines.join('').includes('demo.example'));
  });

  it('the log writes errors immediately, other lines in batches, and nothing at level silent', () => {
    const lines: string[] = [];
    const log = openLog({ level: 'info', write: (text) => lines.push(text) });
    log.info({}, 'one');
    log.debug({}, 'not shown');
    assert.equal(lines.length, 0);
    log.error({}, 'two');
    assert.equal(lines.join('').split('\n').length, 3);
    log.close();
    const silent = openLog({ level: 'silent', write: (text) => lines.push(text) });
    silent.error({}, 'x');
    silent.access({
      requestId: 'r',
      method: 'G',
      path: '/',
      status: 1,
      milliseconds: 1,
      shopId: null,
      clientId: null,
    });
    silent.close();
    assert.ok(!lines.join('').includes('"x"'));
  });
});
