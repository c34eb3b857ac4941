import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createTransport } from 'nodemailer';
import type { Clock } from '../base/clock.ts';
import type { MailSender } from '../base/mail-settings.ts';
import { newId } from '../base/secrets.ts';
import type { Deliver } from './mailer.ts';

/**
 * Writes each mail to a file `<time>-<id>.eml` (RFC 5322). Only the owner can read the file,
 * because a mail may contain an invitation link. Files are never deleted.
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
      text,
      date: clock.now(),
    });
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const time = clock.now().toISOString().replaceAll(':', '-');
    const file = join(folder, `${time}-${newId()}.eml`);
    await writeFile(file, sent.message, { mode: 0o600, flag: 'wx' });
  };
}
