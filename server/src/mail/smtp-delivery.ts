import { createTransport, type Transporter } from 'nodemailer';
import type { MailSender, MailTarget } from '../base/mail-settings.ts';
import type { Deliver } from './mailer.ts';

/** The timeout of the DNS lookup, the connection and the greeting. */
const CONNECT_TIMEOUT_MS = 10_000;
// The maximum time without data from the server. All timeouts together stay under a minute, because
// the inviting member waits for the result.
const SILENCE_TIMEOUT_MS = 20_000;

type SmtpTarget = Extract<MailTarget, { readonly kind: 'smtp' }>;

/**
 * Opens a connection for each mail. Mails are so rare that a pooled connection would be closed
 * before the next one.
 */
export function deliverBySmtp(target: SmtpTarget, from: MailSender): Deliver {
  const transport = openTransport(target);
  return async ({ to, subject, text }) => {
    await transport.sendMail({ from, to: { name: '', address: to }, subject, text });
  };
}

/** Connects and signs in, but sends nothing. Throws an Error with the server's reason. */
export async function checkMailServer(target: SmtpTarget): Promise<void> {
  const transport = openTransport(target);
  try {
    await transport.verify();
  } finally {
    transport.close();
  }
}

function openTransport({ host, port, isSecure, needsTls, credentials }: SmtpTarget): Transporter {
  const given = credentials?.() ?? null;
  return createTransport({
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
}
