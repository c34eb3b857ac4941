import { createTransport } from 'nodemailer';
import type { MailSender, MailTarget } from '../base/mail-settings.ts';
import type { Deliver } from './mailer.ts';

/** How long a server may take to be found, to be connected to, and to greet. */
const CONNECT_TIMEOUT_MS = 10_000;
/** How long it may be silent: with the others less than a minute, after which who invites has gone. */
const SILENCE_TIMEOUT_MS = 20_000;

/** Sends each mail over a connection of its own: invitations are rare, and a kept connection is one that has died. */
export function deliverBySmtp(
  { host, port, isSecure, needsTls, credentials }: Extract<MailTarget, { readonly kind: 'smtp' }>,
  from: MailSender,
): Deliver {
  const given = credentials?.() ?? null;
  const transport = createTransport({
    host,
    port,
    secure: isSecure,
    requireTLS: needsTls && !isSecure,
    ...(given === null ? {} : { auth: { user: given.user, pass: given.password } }),
    dnsTimeout: CONNECT_TIMEOUT_MS,
    connectionTimeout: CONNECT_TIMEOUT_MS,
    greetingTimeout: CONNECT_TIMEOUT_MS,
    socketTimeout: SILENCE_TIMEOUT_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return async ({ to, subject, text }) => {
    await transport.sendMail({ from, to: { name: '', address: to }, subject, text });
  };
}
