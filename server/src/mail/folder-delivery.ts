import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createTransport } from 'nodemailer';
import type { Clock } from '../base/clock.ts';
import type { MailSender } from '../base/mail-settings.ts';
import { newId } from '../base/secrets.ts';
import type { Deliver } from './mailer.ts';

/**
 * Writes each mail to a file `<time>-<id>.eml` (RFC 5322), from which people can copy links. Only
 * the owner can read it, because a mail may contain an invitation link. It is never deleted.
 */
export function deliverToFolder(folder: string, from: MailSender, clock: Clock): Deliver {
  const transport = createTransport({
    streamTransport: true,
    buffer: true,
    newline: 'unix',
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return async ({ to, subject, text }) => {
    const sent = await transport.sendMail({
      from,
      to: { name: '', address: to },
      subject,
      text: 'replaced below',
      date: clock.now(),
    });
    const message = withPlainText(sent.message, text);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const time = clock.now().toISOString().replaceAll(':', '-');
    const file = join(folder, `${time}-${newId()}.eml`);
    await writeFile(file, message, { mode: 0o600, flag: 'wx' });
  };
}

// Replaces the text of a message with unencoded text (8bit, RFC 6152). With the library's
// encodings, the text is unreadable or a long link is broken over two lines.
function withPlainText(message: unknown, text: string): string {
  if (!Buffer.isBuffer(message)) throw new Error('the message is not buffered');
  const [header = ''] = message.toString('utf8').split('\n\n');
  const encoding = /^Content-Transfer-Encoding: .*$/m;
  if (!encoding.test(header)) throw new Error('the message has no encoding');
  return `${header.replace(encoding, 'Content-Transfer-Encoding: 8bit')}\n\n${text}\n`;
}
