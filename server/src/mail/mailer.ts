import { KeyedLimiter } from '../base/keyed-limiter.ts';

export interface Mail {
  /** A single address. */
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

export type SendResult =
  | { readonly kind: 'sent' }
  | {
      readonly kind: 'failed';
      /**
       * `invalid`: the mail is malformed and was not sent. `busy`: too many mails are being sent.
       * `rejected`: the server refuses it (SMTP 5xx). `unreachable`: the server or folder cannot be
       * used now.
       */
      readonly reason: 'invalid' | 'busy' | 'rejected' | 'unreachable';
      /** For the log; it may contain addresses. */
      readonly cause: unknown;
    };

export interface Mailer {
  /** Sends one mail, within a minute. Failures are returned, not thrown. */
  send(mail: Mail): Promise<SendResult>;
}

export type Deliver = (mail: Mail) => Promise<void>;

/**
 * Mails sent at once, and waiting: a shop sends invitations one by one, and a server may be slow.
 */
const BOUNDS = { concurrency: 4, waitingMax: 100, waitMsMax: 20_000 };
/** Longest subject and text, in UTF-16 code units; ours have some hundreds. */
const SUBJECT_LENGTH_MAX = 500;
const TEXT_LENGTH_MAX = 20_000;

/** A mailer that validates mails and limits how many are sent at once. */
export function boundedMailer(deliver: Deliver): Mailer {
  const limiter = new KeyedLimiter(BOUNDS);
  return {
    async send(mail) {
      const problem = findMailProblem(mail);
      if (problem !== null) return { kind: 'failed', reason: 'invalid', cause: new Error(problem) };
      try {
        const done = await limiter.run('mail', async () => await deliver(mail));
        if (done === undefined) return { kind: 'failed', reason: 'busy', cause: null };
        return { kind: 'sent' };
      } catch (cause) {
        return { kind: 'failed', reason: isRejected(cause) ? 'rejected' : 'unreachable', cause };
      }
    },
  };
}

/**
 * Why the mail is invalid, or null. Control characters could inject headers (CWE-93); the specials
 * of RFC 5322 could turn one address into several.
 */
function findMailProblem({ to, subject, text }: Mail): string | null {
  if (to.length > 254 || !/^[^\s@<>()[\]:;,"\\]+@[^\s@<>()[\]:;,"\\]+$/.test(to)) {
    return 'the address is not valid';
  }
  // oxlint-disable-next-line no-control-regex -- the range is what is looked for
  const isLine = !/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/.test(`${to}${subject}`);
  if (!isLine || subject.length > SUBJECT_LENGTH_MAX) return 'the subject must be a single line';
  return text.length > TEXT_LENGTH_MAX || text.includes('\0') ? 'the text is empty' : null;
}

/** RFC 5321 §4.2.1: 5xx is permanent. */
function isRejected(error: unknown): boolean {
  return (
    error instanceof Error &&
    'responseCode' in error &&
    typeof error.responseCode === 'number' &&
    error.responseCode >= 500
  );
}
