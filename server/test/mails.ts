import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { MAIL_FOLDER } from './service.ts';

/**
 * Returns the texts of the mails that this process sent to an address, oldest first. Mails are
 * files in `folder`.
 */
export function mailsTo(address: string, folder = MAIL_FOLDER): readonly string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .toSorted()
    .map((name) => readFileSync(join(folder, name), 'utf8'))
    .filter((source) => source.includes(`To: ${address}\n`))
    .map(decodeMail);
}

/** Decodes the text of a mail (RFC 2045 §6.7 and §6.8). */
export function decodeMail(source: string): string {
  const [header = '', ...body] = source.split('\n\n');
  const text = body.join('\n\n');
  if (/^content-transfer-encoding: base64$/im.test(header)) {
    return Buffer.from(text, 'base64').toString('utf8');
  }
  if (!/^content-transfer-encoding: quoted-printable$/im.test(header)) return text;
  const bytes = text
    .replaceAll(/=\r?\n/g, '')
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) =>
      String.fromCodePoint(Number.parseInt(hex, 16)),
    );
  return Buffer.from(bytes, 'latin1').toString('utf8');
}
