import { createTransport } from 'nodemailer';
import type { MailSender, MailTarget } from '../base/mail-settings.ts';
import type { Deliver } from './mailer.ts';

/** Limits the DNS lookup, the connection and the greeting. */
const CONNECT_TIMEOUT_MS = 10_000;
/** All limits together are below a minute, after which the inviting member has left the page. */
const SILENCE_TIMEOUT_MS = 20_000;

/** A connection per mail: mails are rare, and a pooled connection would have died by then. */
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
