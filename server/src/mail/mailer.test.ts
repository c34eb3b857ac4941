import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { mailsTo, decodeMail } from '../../test/mails.ts';
import { startSmtpServer } from '../../test/smtp-server.ts';
import { waitUntil } from '../../test/wait-until.ts';
import { ManualClock } from '../base/clock.ts';
import { parseMailSender, parseMailTarget } from '../config/values.ts';
import type { Mail, Mailer, SendResult } from './mailer.ts';
import { openMailer } from './open-mailer.ts';

const clock = new ManualClock(new Date('2026-06-01T12:00:00.000Z'));
const LINK = `https://cards.example/console/invitations/cpi_${'x'.repeat(43)}`;
const MAIL: Mail = {
  to: 'aki@kumo.example',
  subject: 'クモ・カーズへのご招待',
  text: `こちらから：\n${LINK}\n.\n.. 以上`,
};

function open(url: string): Mailer {
  const from = parseMailSender('雲 <no-reply@cards.example>');
  return openMailer({ target: parseMailTarget(url), from }, clock);
}

function reasonOf(result: SendResult): string {
  return result.kind === 'failed' ? result.reason : result.kind;
}

describe('mail into a folder', () => {
  it('mail into a folder is written as complete files that only their owner may read, in both languages', async () => {
    const root = mkdtempSync(join(tmpdir(), 'cardport-mail-'));
    const folder = join(root, 'mail');
    const mailer = open(folder);
    assert.deepEqual(await mailer.send(MAIL), { kind: 'sent' });
    assert.deepEqual(await mailer.send({ ...MAIL, text: 'second' }), { kind: 'sent' });
    const names = readdirSync(folder);
    assert.equal(names.length, 2);
    for (const name of names) {
      assert.match(name, /^2026-06-01T12-00-00\.000Z-[0-9a-f-]{36}\.eml$/);
      assert.equal(statSync(join(folder, name)).mode & 0o777, 0o600);
    }
    const texts = mailsTo(MAIL.to, folder).map((text) => text.trimEnd());
    assert.deepEqual(new Set(texts), new Set([MAIL.text, 'second']));
    const sources = names.map((name) => readFileSync(join(folder, name), 'utf8'));
    for (const source of sources) {
      assert.match(source, /^Date: Mon, 01 Jun 2026/m);
      assert.match(source, /^Content-Type: text\/plain; charset=utf-8$/m);
      assert.match(source, /^Content-Transfer-Encoding: 8bit$/m);
    }
    // The link can be copied without a mail program.
    assert.ok(sources.some((source) => source.split('\n').includes(LINK)));
    rmSync(root, { recursive: true });
  });

  it('a folder that cannot be created is reported as unreachable', async () => {
    const root = mkdtempSync(join(tmpdir(), 'cardport-mail-'));
    writeFileSync(join(root, 'file'), '');
    assert.equal(reasonOf(await open(join(root, 'file', 'mail')).send(MAIL)), 'unreachable');
    rmSync(root, { recursive: true });
  });
});

describe('mail over SMTP', () => {
  it('mail over SMTP reaches one recipient completely, from the configured sender', async () => {
    await using server = await startSmtpServer();
    assert.deepEqual(await open(server.url).send(MAIL), { kind: 'sent' });
    const [mail] = server.mails;
    assert.deepEqual(mail?.to, ['<aki@kumo.example>']);
    assert.match(mail.from, /^<no-reply@cards\.example>/);
    assert.equal(decodeMail(mail.source).trimEnd(), MAIL.text);
  });

  it('mail contains no header injected by a text, and reaches no other recipient', async () => {
    await using server = await startSmtpServer();
    const mailer = open(server.url);
    for (const change of [
      { subject: 'a\r\nBcc: evil@x.example' },
      { subject: 'a\u2028b' },
      { subject: 'x'.repeat(501) },
      { to: 'aki@kumo.example\r\nBcc: evil@x.example' },
      { to: 'aki@kumo.example, evil@x.example' },
      { to: 'evil@x.example <aki@kumo.example>' },
      { to: 'a,evil@x.example' },
      { to: '' },
      { text: 'x'.repeat(20_001) },
    ]) {
      const result = await mailer.send({ ...MAIL, ...change });
      assert.equal(reasonOf(result), 'invalid', JSON.stringify(change).slice(0, 80));
    }
    assert.equal(server.mails.length, 0);
    assert.equal(server.openMax, 0);
  });

  it('the result distinguishes permanent refusals, temporary refusals and connection errors', async () => {
    await using never = await startSmtpServer({ recipientAnswer: '550 nobody' });
    assert.equal(reasonOf(await open(never.url).send(MAIL)), 'rejected');
    await using later = await startSmtpServer({ recipientAnswer: '450 later' });
    assert.equal(reasonOf(await open(later.url).send(MAIL)), 'unreachable');
    const gone = await startSmtpServer();
    await gone[Symbol.asyncDispose]();
    assert.equal(reasonOf(await open(gone.url).send(MAIL)), 'unreachable');
  });

  it('four mails are sent at the same time, a hundred are queued, and one more is refused', async () => {
    const gate = Promise.withResolvers<void>();
    await using server = await startSmtpServer({ gate: gate.promise });
    const mailer = open(server.url);
    const sent = Array.from({ length: 104 }, async () => await mailer.send(MAIL));
    await waitUntil(() => server.openMax === 4);
    assert.equal(reasonOf(await mailer.send(MAIL)), 'busy');
    assert.deepEqual([server.openMax, server.mails.length], [4, 0]);
    gate.resolve();
    assert.deepEqual(new Set((await Promise.all(sent)).map(reasonOf)), new Set(['sent']));
    assert.equal(server.mails.length, 104);
  });

  it('no password is sent to a server without TLS, except on loopback', () => {
    const needsTls = (url: string): boolean => {
      const target = parseMailTarget(url);
      return target.kind === 'smtp' && target.needsTls;
    };
    assert.deepEqual(
      ['smtp://u:p@mail.example', 'smtps://mail.example', 'smtp://mail.example'].map(needsTls),
      [true, true, false],
    );
    assert.equal(needsTls('smtp://u:p@127.0.0.1:2525'), false);
  });
});
