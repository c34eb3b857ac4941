import type { Mail } from '../mail/mailer.ts';
import type { Language } from '../html/language.ts';
import type { Account } from '../shops/account.ts';
import { failuresMailMessages } from './messages.ts';

export interface FailuresMail {
  readonly account: Pick<Account, 'email' | 'language'>;
  /** The number of failed attempts within an hour. */
  readonly failures: number;
  /** The public URL without a trailing slash. */
  readonly publicUrl: string;
}

/** Uses both languages if the account has not set one. */
export function renderFailuresMail({ account, failures, publicUrl }: FailuresMail): Mail {
  const languages: readonly Language[] =
    account.language === null ? ['en', 'ja'] : [account.language];
  const texts = languages.map((language) => {
    const messages = failuresMailMessages[language];
    return [
      messages.what(failures),
      messages.notYou,
      '',
      messages.look,
      `${publicUrl}/console/account/sessions`,
      '',
      messages.change,
      `${publicUrl}/console/account/password`,
      '',
      messages.known,
      '',
    ].join('\n');
  });
  const subject = languages.map((language) => failuresMailMessages[language].subject).join(' / ');
  return { to: account.email, subject, text: texts.join('\n----\n\n') };
}
