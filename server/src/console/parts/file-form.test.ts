import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { makePlainImage } from '../../../test/images.ts';
import { formTo } from '../../../test/plain-browser.ts';
import { startTestService } from '../../../test/service.ts';
import { openSignedIn } from '../../../test/signed-in-browser.ts';
import { openStockConsole } from '../../../test/stock-console.ts';
import { openTestDatabase } from '../../../test/test-database.ts';
import { openLog } from '../../base/log.ts';
import { findUnitPhotos } from '../../inventory/photo.ts';

interface Sent {
  readonly type: string;
  readonly body: string | Buffer;
}

function formType(boundary: string): string {
  return `multipart/form-data; boundary=${boundary}`;
}

/** Returns a complete form: the token, then the file. */
function formOf(boundary: string, token: string, file: string | Buffer): Buffer {
  const disposition = 'content-disposition: form-data; name=';
  return Buffer.concat([
    Buffer.from(`--${boundary}\r\n${disposition}"form_token"\r\n\r\n${token}\r\n`),
    Buffer.from(`--${boundary}\r\n${disposition}"photo"; filename="a.png"\r\n\r\n`),
    Buffer.from(file),
    Buffer.from(`\r\n--${boundary}--\r\n`),
  ]);
}

function malformedForms(token: string, file: Buffer): readonly Sent[] {
  const whole = formOf('b', token, file);
  const text = whole.toString('latin1');
  const changed = (from: string | RegExp, to: string): Sent => ({
    type: formType('b'),
    body: Buffer.from(text.replace(from, to), 'latin1'),
  });
  const long = [71, 100, 256, 257, 300, 5_000].map((length) => 'x'.repeat(length));
  // Each body matches its boundary, so only the boundary itself is wrong (RFC 2046 §5.1.1).
  const boundaries = [...long, '', '"', '""', '"a', '"a "', '" "', 'a{b', '<b>', '"a\\"b"', 'é'];
  return [
    ...boundaries.map((boundary) => ({
      type: formType(boundary),
      body: formOf(boundary.replaceAll(/^"|"$/g, ''), token, file),
    })),
    { type: `multipart/form-data; boundary="${'x'.repeat(71)}"`, body: whole },
    { type: "multipart/form-data; boundary*=utf-8''b", body: whole },
    { type: 'multipart/form-data', body: whole },
    { type: 'multipart/form-data;', body: whole },
    { type: 'multipart/form-data; boundary', body: whole },
    { type: 'multipart/form-data; boundary = b', body: whole },
    { type: 'multipart/mixed; boundary=b', body: whole },
    { type: 'application/json', body: '{}' },
    { type: formType('c'), body: whole },
    { type: formType('b'), body: '' },
    { type: formType('b'), body: '--b--' },
    { type: formType('b'), body: '--b\r\nnonsense' },
    { type: formType('b'), body: '--b\r\n\r\n\r\n--b\r\n\r\n\r\n--b' },
    { type: formType('b'), body: `--b\r\n${'x: y\r\n'.repeat(3_000)}\r\n\r\n--b--\r\n` },
    { type: formType('b'), body: `--b\r\nx: ${'y'.repeat(200_000)}\r\n\r\n\r\n--b--\r\n` },
    { type: formType('b'), body: whole.subarray(0, 40) },
    { type: formType('b'), body: whole.subarray(0, whole.length - 30) },
    changed('name="form_token"', 'name="__proto__"'),
    changed('name="form_token"', 'name="constructor"'),
    changed('name="photo"', 'name="toString"'),
    changed('\r\n\r\n', '\r\ncontent-type: application/json\r\n\r\n'),
    changed(/^--b[^]*?(?=--b)/, '$&$&'),
  ];
}

describe('a form with a file', () => {
  it('more than 30 malformed forms get a page with 4xx on both upload pages, write nothing, and log no error', async () => {
    await using base = await openTestDatabase();
    await using desk = await openStockConsole(base);
    const lines: string[] = [];
    const log = openLog({ level: 'warn', write: (text) => void lines.push(text) });
    await using service = await startTestService(base, { log });
    const { seeded } = desk;
    const browser = await openSignedIn(service, base.db, seeded.member.account.id);
    const shop = `${service.publicUrl}/console/shops/${seeded.shop.slug}`;
    const unitId = await desk.makeUnit();
    const photoForm = formTo(await browser.visit(`${shop}/stock/${unitId}`), '/photos/front');
    const importForm = formTo(await browser.visit(`${shop}/stock/import`), '/stock/import');
    const cookie = browser.cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
    const post = async (action: string, { type, body }: Sent): Promise<Response> =>
      await fetch(new URL(action, shop), {
        method: 'POST',
        redirect: 'manual',
        headers: { cookie, 'content-type': type },
        body: new Uint8Array(Buffer.from(body)),
      });
    const png = await makePlainImage(40, 30, 'png');
    for (const { action, fields } of [photoForm, importForm]) {
      const token = fields['form_token'] ?? '';
      const forms = malformedForms(token, png);
      assert.ok(forms.length > 30);
      for (const form of forms) {
        const label = `${action} ${form.type.slice(0, 100)} ${String(form.body).slice(0, 80)}`;
        const answer = await post(action, form);
        assert.ok(answer.status >= 400 && answer.status < 500, `${answer.status} ${label}`);
        assert.match(answer.headers.get('content-type') ?? '', /^text\/html/, label);
      }
    }
    assert.deepEqual(await findUnitPhotos(base.db, seeded.shop.id, unitId), []);
    const token = photoForm.fields['form_token'] ?? '';
    for (const boundary of ["ab'()+_,-./:=?9", '-'.repeat(70)]) {
      const body = formOf(boundary, token, png);
      const answer = await post(photoForm.action, { type: formType(`"${boundary}"`), body });
      assert.equal(answer.status, 303, boundary);
    }
    log.flush();
    assert.deepEqual(lines, []);
  });
});
