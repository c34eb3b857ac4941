import type { Mail } from '../mail/mailer.ts';
import type { Language } from '../pages/language.ts';
import type { Account } from '../shops/account.ts';

/** What the mail about failed sign-ins tells. */
export interface FailuresMail {
  readonly account: Pick<Account, 'email' | 'language'>;
  /** Within an hour. */
  readonly failures: number;
  /** `PUBLIC_URL` without a slash at its end. */
  readonly publicUrl: string;
}

interface Words {
  readonly subject: string;
  readonly what: (failures: number) => string;
  readonly notYou: string;
  readonly look: string;
  readonly change: string;
  readonly known: string;
}

export const WORDS: Readonly<Record<Language, Words>> = {
  en: {
    subject: 'Failed sign-ins to your Cardport account',
    what: (failures) =>
      `Within an hour, a sign-in to your Cardport account has failed ${failures} times.`,
    notYou: 'If that was you, you need do nothing. If not, somebody may be guessing your password.',
    look: 'See when and from which networks it was tried:',
    change: 'If you use your password elsewhere, or it is easy to guess, change it:',
    known:
      'While it goes on, sign in from a browser in which you signed in before, or with a passkey: others may be refused. You get at most one such mail a day.',
  },
  ja: {
    subject: 'Cardport アカウントへのログイン失敗のお知らせ',
    what: (failures) =>
      `Cardport のアカウントへのログインが、1 時間以内に ${failures} 回失敗しました。`,
    notYou:
      'ご本人の操作であれば、何もなさる必要はありません。お心当たりがない場合は、第三者がパスワードを推測している可能性があります。',
    look: '試行の日時とネットワークは、次のページで確認できます。',
    change:
      'ほかのサービスと同じパスワードや推測されやすいパスワードをお使いの場合は、変更してください。',
    known:
      '失敗が続いている間は、以前ログインしたことのあるブラウザか、パスキーでログインしてください。それ以外のブラウザではログインできないことがあります。このメールは 1 日に 1 通までお送りします。',
  },
};

/** The mail about a burst of failed sign-ins; in both languages when the person has not chosen one. */
export function renderFailuresMail({ account, failures, publicUrl }: FailuresMail): Mail {
  const languages: readonly Language[] =
    account.language === null ? ['en', 'ja'] : [account.language];
  const texts = languages.map((language) => {
    const words = WORDS[language];
    return [
      words.what(failures),
      words.notYou,
      '',
      words.look,
      `${publicUrl}/console/account/sessions`,
      '',
      words.change,
      `${publicUrl}/console/account/password`,
      '',
      words.known,
      '',
    ].join('\n');
  });
  const subject = languages.map((language) => WORDS[language].subject).join(' / ');
  return { to: account.email, subject, text: texts.join('\n----\n\n') };
}
